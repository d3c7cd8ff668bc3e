"""What an earlier summary tells, besides the user's words, when a new one takes its place.

Its lines stand for a stretch of time like any other, and get their share of the room; what was
done before the last compaction is not less true than what was done after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from baodai.digests.prose import gist
from baodai.summarizers import VERBATIM, Line, Summary
from baodai.summarizers._candidates import Candidate

_NEWEST = frozenset({"open", "state"})
"""Sections of which only the newest lines hold."""

_SHORT = 160
"""Characters of the short form of a line."""


def told_before(earlier: Summary, fresh: Sequence[Candidate], turns: int) -> list[Candidate]:
    """The lines of `earlier` that still hold as candidates, then the new ones, moved behind them.

    `turns` is how many are folded now: both parts get room by the turns they stand for.
    """
    before = earlier.last_turn - earlier.first_turn + 1
    share = before / (before + max(1, turns))
    old = [
        Candidate(name, line.turn, _forms(line), 1.0, share * at)
        for name, line, at in _lines(earlier)
        if not _replaced(name, line, fresh)
    ]
    return [*old, *(replace(c, at=share + (1 - share) * c.at) for c in fresh)]


def left_out(earlier: Summary | None, summary: Summary) -> tuple[str, ...]:
    """What is to be recorded of the lines that are there no more, or shorter."""
    if earlier is None:
        return ()
    told = {line.text for _, lines in summary.sections for line in lines}
    count = sum(1 for _, line, _ in _lines(earlier) if line.text not in told)
    if not count:
        return ()
    return (f"{count} older lines of the summary were left out, shortened or replaced",)


def _lines(earlier: Summary) -> Iterator[tuple[str, Line, float]]:
    """The lines that are no words of the user, each with its place in time, 0 to 1."""
    span = max(1, earlier.last_turn - earlier.first_turn + 1)
    for name, lines in earlier.sections:
        if name in VERBATIM:
            continue
        for i, line in enumerate(lines):
            turn = max(0, line.turn - earlier.first_turn)
            # Inside a turn by order: a session may be one turn of hundreds of steps.
            same = [other for other in lines if other.turn == line.turn]
            inside = (i - lines.index(same[0])) / len(same)
            yield name, line, min(0.999, (turn + inside) / span)


def _forms(line: Line) -> tuple[str, ...]:
    short = gist(line.text, _SHORT)
    return (short, line.text) if len(short) < len(line.text) else (line.text,)


def _replaced(name: str, line: Line, fresh: Sequence[Candidate]) -> bool:
    """The last state of a file, the newest open items and standing replace older ones."""
    same = (c for c in fresh if c.section == name)
    if name in _NEWEST:
        return any(same)
    return name == "files" and any(_file(c.forms[0]) == _file(line.text) for c in same)


def _file(text: str) -> str:
    return text.partition(":")[0]
