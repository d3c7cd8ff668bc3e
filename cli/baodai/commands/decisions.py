"""`baodai decisions`: what the user decided."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o


def command(
    ctx: typer.Context,
    inputs: o.Inputs = None,
    *,
    live: Annotated[bool, typer.Option("--live", help="Only those that still hold.")] = False,
    format_name: o.FormatName = "",
    as_json: o.Json = False,
) -> None:
    """List what the user decided, with status, quote, turn and line."""
    from baodai.commands import _output as out  # loads the codecs
    from baodai.commands._reading import each
    from baodai.decisions import State
    from baodai.decisions.detect import detect

    strict = bool(o.settings(ctx).get("strict"))
    columns = ("source", "turn", "line", "kind", "status", "tier", "quote", "superseded_by", "id")
    found = [
        (name, d.turn, d.line, d.kind, d.state, d.tier, d.quote, d.superseded_by, d.id)
        for name, conversation in each(inputs, format_name, o.diagnostics(ctx), strict=strict)
        for d in detect(conversation)
        if not live or d.state is State.LIVE
    ]
    if as_json:
        out.rows(columns, found, as_json=True)
    else:
        # For people the quote comes last, where it may be long, and the ids are left out.
        short = [(row[0], row[1], row[2], row[3], row[4], row[6]) for row in found]
        out.rows(("source", "turn", "line", "kind", "status", "quote"), short, as_json=False)
