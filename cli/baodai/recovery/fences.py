"""Code fences as Markdown has them: which is open at the end of a text, what a line does to it.

In lists they are indented; how deep does not matter here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t]*(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*?)[ \t]*\r?$")


@dataclass(frozen=True, slots=True)
class Fence:
    """An open fence: its sign, how many, and what it says behind them."""

    sign: str
    length: int
    info: str


def fence_line(line: str) -> Fence | None:
    """The fence that a line is; `None` where it is none."""
    found = _FENCE.match(line)
    if found is None:
        return None
    marks = found["marks"]
    return Fence(marks[0], len(marks), found["info"])


def open_fence(text: str) -> Fence | None:
    """The fence that is open at the end of a text."""
    now: Fence | None = None
    for line in text.split("\n"):
        seen = fence_line(line)
        if seen is None:
            continue
        if now is None:
            now = seen
        elif seen.sign == now.sign and seen.length >= now.length and not seen.info:
            now = None
    return now
