"""Which lines of an output are unlike the others: a record between log lines, a verdict in noise.

Lines are compared by how they open, numbers left out. Where nearly all share a few openings, the
others tell what the output was asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

_LINES = 12
"""Fewer lines are read whole anyway."""

_OPENING = 40
_COMMON = 0.05
"""An opening of so large a share of the lines is one of the common ones."""

_MOSTLY = 0.85
"""Share of the lines that must have a common opening before the others stand out."""

_FEW = 12
"""More lines than these that stand out, and none does."""

_LOOKED_AT = 200_000
_NUMBER = re.compile(r"[\d.:,/_-]*\d[\d.:,/_-]*(?:[TZ][\d.:+Z-]*)?|\b[0-9a-f]{8,}\b")


def unlike_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Begin and end of the lines between two places that are unlike the others, in order."""
    end = min(end, start + _LOOKED_AT)
    lines = [(begin, stop) for begin, stop in _lines(text, start, end) if stop > begin]
    if len(lines) < _LINES:
        return
    openings = [_opening(text[begin : min(stop, begin + _OPENING)]) for begin, stop in lines]
    counts = Counter(openings)
    least = max(3, _COMMON * len(lines))
    rare = [i for i, opening in enumerate(openings) if opening and counts[opening] < least]
    if len(rare) > _FEW or len(rare) > (1 - _MOSTLY) * len(lines):
        return
    yield from (lines[i] for i in rare if any(c.isalnum() for c in text[slice(*lines[i])]))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        yield at, stop
        at = stop + 1


def _opening(line: str) -> str:
    """The first two words without their numbers; empty for a line that goes on from the last."""
    if line[:1] in " \t":
        return ""
    words = _NUMBER.sub("0", line).split(None, 2)
    return " ".join(words[:2])
