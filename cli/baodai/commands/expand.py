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
    from baodai.commands import _output as out  # noqa: PLC0415 - opens the ledger
    from baodai.commands._recording import open_ledger  # noqa: PLC0415

    wanted = ref if ref.startswith("bd:") else f"bd:{ref}"
    found = open_ledger(o.settings(ctx)).expand(wanted)
    for original in found:
        if as_json:
            out.json(original)
        else:
            out.text(original.text)
