"""What the model would see next of an opencode session: its last compaction, what that kept.

A compaction is a user message with a `compaction` part and the answer to it (`summary: true`).
What stands behind it follows; what its `tail_start_id` names is kept between the two. Versions
before that wrote the summary alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baodai.formats._members import Members, list_at, members_at, text_at


@dataclass(frozen=True, slots=True)
class Fold:
    """A finished compaction: the places of its request, of its summary, of what it kept."""

    marker: int
    summary: int
    tail: int


def folds(elements: Sequence[object]) -> list[Fold]:
    """The finished compactions, in order."""
    places = {text_at(e, "info", "id"): i for i, e in enumerate(elements)}
    found: list[Fold] = []
    for i, element in enumerate(elements):
        info = members_at(element, "info")
        if info.get("summary") is not True or info.get("role") != "assistant":
            continue
        if "error" in info or not ("finish" in info or "completed" in members_at(info, "time")):
            continue  # it never finished, so nothing was folded
        marker = places.get(text_at(info, "parentID"), i)
        part = compaction_part(elements[marker])
        if part is None and i:
            marker, part = i - 1, compaction_part(elements[i - 1])
        marker = i if part is None else marker
        kept = places.get(text_at(part, "tail_start_id"), marker)
        found.append(Fold(marker, i, min(kept, marker)))
    return found


def compaction_part(element: object) -> Members | None:
    """The part that asks for a compaction, where a message has one."""
    for part in list_at(element, "parts"):
        if isinstance(part, dict) and part.get("type") == "compaction":
            return part
    return None


def order(elements: Sequence[object]) -> tuple[int, list[int]]:
    """The place of the live summary (-1: none), and those of the messages that follow it."""
    found = folds(elements)
    if not found:
        return -1, list(range(len(elements)))
    last = found[-1]
    places = [*range(last.tail, last.marker), *range(last.marker + 1, len(elements))]
    return last.summary, [i for i in places if i != last.summary]


def steps(parts: Sequence[object]) -> Iterator[list[int]]:
    """The places of the parts of each answer of the model; older versions kept many in one."""
    current: list[int] = []
    for j, part in enumerate(parts):
        if text_at(part, "type") == "step-start" and current:
            yield current
            current = []
        current.append(j)
    if current:
        yield current
