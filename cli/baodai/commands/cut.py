"""`baodai cut`: one tool output through layer 5."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o


def command(
    ctx: typer.Context,
    source: o.OneInput = "-",
    *,
    tool: Annotated[
        str, typer.Option("--tool", metavar="NAME", help="The tool it came from.")
    ] = "Bash",
    limit: Annotated[
        str | None, typer.Option("--limit", metavar="SIZE", help="Most tokens; by the tool.")
    ] = None,
    strategy: Annotated[
        str, typer.Option("--strategy", metavar="NAME", help="How it is cut; by the tool.")
    ] = "",
    model: o.Model = None,
    ledger: o.LedgerFile = None,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Cut one tool output as it would be cut when it enters the history: make 2>&1 | baodai cut."""
    from baodai.commands._cutting import cut  # loads the strategies

    cut(source, tool, limit, strategy, o.settings(ctx), o.diagnostics(ctx))
