"""What was typed while the agent was busy, as far as it stands only in queue records.

A queued text is delivered as a prompt (`dequeue`) or in the middle of a turn (`remove`); newer
versions write a `queued_command` attachment for the latter, older ones wrote nothing, though the
model read it. `popAll` gives the text back to the input box. What is still waiting at the end was
typed too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baodai.formats._claude_rows import Kind, Row, text_at

_NEAR = 60
"""Records around a delivery among which its own record stands."""

_DELIVERIES = frozenset({"dequeue", "remove"})

_HARNESS = re.compile(r"<task-notification|/[\w:-]+(?:\s|$)")
"""How entries begin that are no message of the user: notices, and commands of the program."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A queued text that no other record holds. `at` is the place where the model read it."""

    at: int
    row: Row
    waiting: bool


def typed_ahead(rows: Sequence[Row]) -> Iterator[Typed]:
    """The texts that stand only in queue records, in the order of their delivery."""
    waiting: list[Row] = []
    for row in rows:
        if row.kind is Kind.QUEUE:
            entry = _delivered(rows, waiting, row)
            if entry is not None and _only_here(rows, entry, row.index):
                yield Typed(row.index, entry, waiting=False)
    for entry in waiting:
        if _only_here(rows, entry, entry.index):
            yield Typed(entry.index, entry, waiting=True)


def _delivered(rows: Sequence[Row], waiting: list[Row], row: Row) -> Row | None:
    """The entry that an operation delivers; `waiting` is brought up to date."""
    operation = text_at(row.whole, "operation")
    if operation == "enqueue":
        waiting.append(row)
    elif operation == "popAll":
        waiting.clear()
    elif operation in _DELIVERIES and waiting:
        entry = _taken(rows, waiting, row)
        waiting.remove(entry)
        return entry
    return None


def _only_here(rows: Sequence[Row], entry: Row, at: int) -> bool:
    return _counts(entry) and not _recorded(rows, entry, at)


def _counts(entry: Row) -> bool:
    text = text_at(entry.whole, "content").strip()
    return bool(text) and _HARNESS.match(text) is None


def _taken(rows: Sequence[Row], waiting: Sequence[Row], operation: Row) -> Row:
    """Which entry an operation speaks of: the one it names, the one that arrives, the oldest."""
    named = text_at(operation.whole, "content")
    if named:
        same = [e for e in waiting if text_at(e.whole, "content") == named]
        if same:
            return same[0]
    if text_at(operation.whole, "operation") == "remove":
        mine = [entry for entry in waiting if _counts(entry)]
        return (mine or list(waiting))[0]
    arrived = [entry for entry in waiting if _recorded(rows, entry, operation.index)]
    return (arrived or list(waiting))[0]


def _recorded(rows: Sequence[Row], entry: Row, at: int) -> bool:
    """Whether the text of an entry arrives in a record of its own near `at`."""
    text = text_at(entry.whole, "content").strip()
    if not text:
        return True
    near = rows[entry.index + 1 : at + _NEAR]
    # Several entries that wait are delivered as one text, each on lines of its own.
    return any(f"\n{text}\n" in f"\n{said.strip()}\n" for row in near for said in _texts(row))


def _texts(row: Row) -> Iterator[str]:
    if row.kind is Kind.USER and not row.results:
        for item in row.items:
            yield text_at(item, "text")
    elif row.kind is Kind.ATTACHMENT:
        prompt = row.body.get("prompt")
        yield prompt if isinstance(prompt, str) else ""
        for item in prompt if isinstance(prompt, list) else ():
            yield text_at(item, "text")
