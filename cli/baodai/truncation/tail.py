"""Strategy `tail`: the end, whole lines."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.truncation import Count, CutContext
from baodai.truncation._fit import fit, tail_of
from baodai.truncation._marker import mark, measured


@dataclass(frozen=True, slots=True)
class Tail:
    """Keeps the end, the marker as its first line."""

    name: str = "tail"

    def cut(self, text: str, limit: int, count: Count, context: CutContext) -> str:
        """The end in at most `limit` tokens."""
        return fit(text, limit, count, lambda size: _made(text, size, context))


def _made(text: str, size: int, context: CutContext) -> str:
    kept = tail_of(text, size)
    marker = mark(measured(text[: len(text) - len(kept)]), context)
    return f"{marker}\n{kept}" if kept else marker


STRATEGY = Tail()
