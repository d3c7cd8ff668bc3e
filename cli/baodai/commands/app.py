"""All verbs under one name: the application."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai import __version__
from baodai.commands import (
    compact,
    config,
    convert,
    cost,
    cut,
    decisions,
    expand,
    explain,
    formats,
    inspect,
    ledger,
    replay,
    report,
    show,
)

app = typer.Typer(
    name="baodai",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Brings transcripts of model conversations inside the context window, and says exactly "
    "what it saved, changed and kept.",
    epilog="Data goes to stdout, everything else to stderr; `-` is stdin. "
    "baodai explain NAME tells more of any code, layer, strategy, format or report.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"baodai {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Nothing of its own: options that stand before a verb."""


for verb in (
    *(compact, cost, convert, inspect, show, decisions, cut, expand),
    *(replay, report, explain, formats),
):
    app.command(verb.__name__.rpartition(".")[2])(verb.command)
app.add_typer(ledger.app, name="ledger")
app.add_typer(config.app, name="config")
