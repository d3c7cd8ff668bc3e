"""One compaction for people: the arithmetic, what each layer did, every edit with its reason."""

from __future__ import annotations

from baodai.accounting import Account, AppliedEdit
from baodai.render.tables import table

_EDITS = 200
"""Edits a plan lists; the ledger and `--json` have all."""


def plan(account: Account, width: int) -> str:
    """What would be done to a conversation, edit by edit."""
    edits = [edit for layer in account.layers for edit in layer.edits]
    parts = [heading(account), layers(account, width)]
    if edits:
        parts.append(_edits(edits[:_EDITS], width))
    if len(edits) > _EDITS:
        parts.append(f"and {len(edits) - _EDITS:,} more edits (--json lists all)")
    return "\n\n".join(parts) + "\n"


def heading(account: Account) -> str:
    """Name, format and the window's arithmetic; `~` marks counts that are not the model's own."""
    b = account.budget
    about = "" if account.exact else "~"
    name = account.source
    if account.conversation not in {"", account.source}:
        name += f" · {account.conversation}"
    margin = f" - margin {b.margin:,}" if b.margin else ""
    overhead = f", overhead {b.overhead:,} counted in" if b.overhead else ""
    how = "exact" if account.exact else "approximate"
    return (
        f"{name} ({account.format}{f', {account.model}' if account.model else ''})\n"
        f"  {about}{account.tokens_before:,} -> {about}{account.tokens_after:,} tokens, "
        f"{account.messages_before:,} -> {account.messages_after:,} messages, "
        f"{account.turns:,} turns\n"
        f"  window {b.window:,} - reserve {b.reserve:,}{margin} = budget {b.budget:,}; "
        f"trigger {b.trigger:,}, target {b.target:,}{overhead}; counted with {account.counter} "
        f"({how})"
    )


def layers(account: Account, width: int) -> str:
    """What each layer saved, in the order of running; the sum is before minus after."""
    rows: list[tuple[object, ...]] = [
        (f"{r.number} {r.layer}", r.status, len(r.edits), r.tokens_before, r.tokens_after, r.saved)
        for r in account.layers
    ]
    rows.append(
        (
            "all",
            "fits" if account.fits else "does not fit",
            sum(len(r.edits) for r in account.layers),
            account.tokens_before,
            account.tokens_after,
            account.saved,
        )
    )
    return table(("layer", "status", "edits", "before", "after", "saved"), rows, width)


def _edits(edits: list[AppliedEdit], width: int) -> str:
    rows = [
        (
            e.layer,
            e.change.value,
            e.line or None,
            e.turn or None,
            e.tool,
            e.tokens_before,
            e.tokens_after,
            e.reason,
            e.target,
        )
        for e in edits
    ]
    heads = ("layer", "change", "line", "turn", "tool", "before", "after", "reason", "target")
    return table(heads, rows, width)
