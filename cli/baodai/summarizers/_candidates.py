"""What a summary may say: lines with a weight, in a short and a long form.

A candidate's place in time is kept, so that the choice can cover the whole of what is folded.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that may go into a section. `forms` are its texts, the shortest first.

    `weight` ranks it (1 is a usual result), `at` is its place in time, 0 to 1, of the folded part.
    """

    section: str
    turn: int
    forms: tuple[str, ...]
    weight: float
    at: float
