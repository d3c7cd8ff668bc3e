"""`baodai expand`: the original behind a marker."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o


def command(
    ctx: typer.Context,
    ref: Annotated[str, typer.Argument(metavar="REF", help="What a marker shows: bd:3f9c2a10.")],
    *,
    ledger: o.LedgerFile = None,
    as_json: o.Json = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Give back the original text behind a marker, looked up in the ledger."""
    from baodai.commands import _output as out
    from baodai.commands._expanding import originals
    from baodai.commands._recording import open_ledger

    wanted = ref if ref.startswith("bd:") else f"bd:{ref}"
    for text, original in originals(open_ledger(o.settings(ctx)), wanted):
        if as_json:
            where = {"source": original.source, "line": original.line, "tool": original.tool}
            out.json({"ref": wanted, **where, "text": text})
        else:
            out.text(text)
