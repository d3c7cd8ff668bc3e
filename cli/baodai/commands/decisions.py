"""`baodai decisions`: what the user decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from baodai.commands import _options as o

if TYPE_CHECKING:
    from baodai.decisions import Decision

_COLUMNS = ["source", "turn", "line", "kind", "status", "tier", "quote", "superseded_by", "id"]
_MORE = ["polarity", "object", "against", "accepted", "values", "scope", "because"]


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
    from baodai.config.build import extras
    from baodai.decisions import State
    from baodai.summarizers.carrying import decided

    words = extras(o.settings(ctx))
    strict = bool(o.settings(ctx).get("strict"))
    found = [
        (name, d)
        for name, conversation in each(inputs, format_name, o.diagnostics(ctx), strict=strict)
        for d in decided(conversation, words)
        if not live or d.state is State.LIVE
    ]
    if as_json:
        rows = [(name, *_whole(d)) for name, d in found]
        out.rows((*_COLUMNS, *_MORE), rows, as_json=True)
        return
    # For people the quote comes last, where it may be long, and the ids are left out.
    short = [(name, d.turn, d.line, d.kind, d.state, _said(d)) for name, d in found]
    out.rows(("source", "turn", "line", "kind", "status", "quote"), short, as_json=False)


def _whole(d: Decision) -> tuple[object, ...]:
    return (
        *(d.turn, d.line, d.kind, d.state, d.tier, d.quote, d.superseded_by, d.id),
        *(d.polarity, d.object, d.against, d.accepted, d.values, d.scope, d.because),
    )


def _said(d: Decision) -> str:
    return f"{d.quote} ({d.accepted})" if d.accepted else d.quote
