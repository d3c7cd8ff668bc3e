"""A compaction side by side: what was kept, shrunk, folded, dropped, and what stands there now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from baodai.accounting import AppliedEdit, Change
from baodai.model import Message
from baodai.pipeline import Compaction
from baodai.receipts import plain
from baodai.render.account import heading
from baodai.render.tables import columns_of, printable, shortened

_WIDEST = 240
"""Columns of the two sides where the terminal sets no bound."""

_FOLDS = frozenset({"folded", "merged"})


def side_by_side(compaction: Compaction, width: int, lines: int) -> Iterator[str]:
    """Every message with its fate: before on the left, after on the right, `lines` lines each."""
    yield heading(compaction.account)
    yield ""
    edits = _whole(compaction)
    after = {m.id: m for m in compaction.after.messages}
    before = {m.id for m in compaction.before.messages}
    for new in compaction.after.messages:
        # A summary is shown first and whole: it stands for all that is marked as folded.
        if new.id not in before:
            yield from _inserted(new, edits.get(new.id), width)
    run: list[Message] = []
    for message in compaction.before.messages:
        now = after.get(message.id)
        if now is message:
            run.append(message)
            continue
        yield from _kept(run, width)
        run = []
        yield from _changed(message, now, edits.get(message.id), width, lines)
    yield from _kept(run, width)


def _whole(compaction: Compaction) -> dict[str, AppliedEdit]:
    """The last edit of each message, with its size before the first."""
    found: dict[str, AppliedEdit] = {}
    for layer in compaction.account.layers:
        for edit in layer.edits:
            first = found.get(edit.message_id, edit)
            found[edit.message_id] = replace(edit, tokens_before=first.tokens_before)
    return found


def _inserted(message: Message, edit: AppliedEdit | None, width: int) -> Iterator[str]:
    size = f"{edit.tokens_after:,} tokens, " if edit else ""
    reason = edit.reason if edit else "put in"
    yield f"+ {message.role}  {size}{reason}"
    for line in plain(message).split("\n")[1:]:
        yield f"  | {printable(line)}"
    yield "-" * min(width, 100)


def _kept(run: list[Message], width: int) -> Iterator[str]:
    for message in run:
        said = " ".join(plain(message).split("\n", 1)[-1].split())
        yield shortened(
            f"= {message.line:>5} {message.role:<9} {printable(said[:500])}", min(width, _WIDEST)
        )


def _changed(
    old: Message, new: Message | None, edit: AppliedEdit | None, width: int, lines: int
) -> Iterator[str]:
    sign, word = _fate(new, edit)
    sizes = f"{edit.tokens_before:,} -> {edit.tokens_after:,} tokens" if edit else ""
    reason = f"{edit.layer}: {edit.reason}" if edit else ""
    ref = f"  ({edit.ref})" if edit and edit.ref and new is not None else ""
    yield shortened(f"{sign} {old.line:>5} {old.role:<9} {word}  {sizes}  {reason}{ref}", width)
    half = max(20, (min(width, _WIDEST) - 11) // 2)
    left = _excerpt(old, lines)
    right = _excerpt(new, lines) if new is not None else []
    for i in range(max(len(left), len(right))):
        one = shortened(left[i] if i < len(left) else "", half)
        two = shortened(right[i] if i < len(right) else "", half)
        yield f"      | {one}{' ' * (half - columns_of(one))} | {two}".rstrip()


def _fate(new: Message | None, edit: AppliedEdit | None) -> tuple[str, str]:
    if new is not None:
        return "~", "shrunk "
    if edit is not None and edit.change is Change.DROP and edit.reason_code in _FOLDS:
        return "-", "folded "
    return "-", "dropped"


def _excerpt(message: Message, lines: int) -> list[str]:
    """The first lines of a message, and how many more there are."""
    said = [printable(line) for line in plain(message).split("\n")[1:] if line.strip()]
    if len(said) <= lines:
        return said
    return [*said[: lines - 1], f"… {len(said) - lines + 1:,} more lines"]
