"""What stays of the user's words where the summary cannot hold all of them.

Live decisions and the first request stay; then the newest words that fit. What is left out is
counted in one line, over all rounds of compaction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from baodai.decisions import State
from baodai.summarizers import Line, SummaryTask

Lines = list[tuple[str, Line]]

_LINE = 16
"""Characters of a line beside its text: mark, turn, status."""

_LISTED = frozenset({"decisions", "preferences"})
_LEFT_OUT = {
    "en": "[{n} remarks of the user that decide nothing are left out]",
    "zh": "[略去用户 {n} 条不含决定的话]",
}
_COUNTED = re.compile(r"\[(?:略去用户 )?(\d+) (?:remarks of the user that|条不含决定)")


def size_of(lines: Sequence[tuple[str, Line]]) -> int:
    """Characters of the lines as they will stand."""
    return sum(len(line.text) + _LINE for _, line in lines)


def leaner(lines: Lines, task: SummaryTask, room: float) -> Lines:
    """The lines in `room` characters, as far as what must stay allows."""
    live = [d.quote for d in task.decisions if d.state is State.LIVE]
    kept: set[int] = set()
    for i, (name, line) in enumerate(lines):
        if name in _LISTED:
            holds = line.status in {"", State.LIVE.value}
        else:
            holds = i == 0 or any(quote in line.text for quote in live)
        if holds and not _count(line):
            kept.add(i)
    left = room - size_of([lines[i] for i in kept])
    loose = [i for i in range(len(lines)) if i not in kept and not _count(lines[i][1])]
    # What no longer holds goes first, then the oldest words.
    for i in sorted(loose, key=lambda i: (lines[i][0] in _LISTED, -lines[i][1].turn, -i)):
        cost = size_of([lines[i]])
        if cost > left:
            break
        kept.add(i)
        left -= cost
    out = [i for i in loose if i not in kept and lines[i][0] not in _LISTED]
    number = len(out) + sum(_count(line) for _, line in lines)
    told = [lines[i] for i in sorted(kept)]
    if number:
        turn = max((line.turn for i, (_, line) in enumerate(lines) if i not in kept), default=0)
        text = _LEFT_OUT[task.language].format(n=number)
        told.append(("requirements", Line(turn, text, keep=True)))
    return told


def _count(line: Line) -> int:
    """How many remarks a line of an earlier round says were left out."""
    found = _COUNTED.match(line.text)
    return int(found.group(1)) if found else 0
