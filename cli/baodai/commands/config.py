"""`baodai config`: the settings in force, and where each came from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from baodai.commands import _options as o

app = typer.Typer(
    rich_markup_mode=None,
    invoke_without_command=True,
    help="Show the settings in force and where each came from; init writes a commented file.",
)


@app.callback()
def show(
    ctx: typer.Context,
    *,
    as_json: o.Json = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Show the settings in force and where each came from; init writes a commented file."""
    if ctx.invoked_subcommand is not None:
        return
    from baodai.commands import _output as out  # knows all layers
    from baodai.config.values import shown, shown_key

    found = o.settings(ctx).values.values()
    if as_json:
        columns = ("key", "value", "origin", "help")
        rows = [(shown_key(s.spec.key), s.value, s.origin, s.spec.help) for s in found]
        out.rows(columns, rows, as_json=True)
        return
    text = [(shown_key(s.spec.key), shown(s.value), s.origin, s.spec.help) for s in found]
    out.rows(("key", "value", "from", "what it is"), text, as_json=False)


@app.command()
def init(
    *,
    path: Annotated[
        str, typer.Argument(metavar="[FILE]", help="The file to write; `-` is stdout.")
    ] = "baodai.toml",
) -> None:
    """Write a settings file in which every setting stands with its default, commented out."""
    from baodai.commands import _output as out  # knows all layers
    from baodai.config.template import template
    from baodai.errors import OutputClashError, OutputError

    if path == "-":
        out.text(template())
        return
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        hint = "name another file, or `-` for stdout"
        raise OutputClashError(f"{path} exists already", where=path, hint=hint) from None
    except OSError as error:
        raise OutputError(path, error.strerror or str(error)) from error
