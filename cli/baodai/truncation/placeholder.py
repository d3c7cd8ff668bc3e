"""Strategy `placeholder`: only the marker; the smallest thing that can stand for a text."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.truncation import Count, CutContext
from baodai.truncation._marker import mark, measured


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Leaves the marker alone, about 25 tokens: the floor of every strategy."""

    name: str = "placeholder"

    def cut(self, text: str, limit: int, count: Count, context: CutContext) -> str:
        """The marker; the text itself where that fits or is no longer."""
        marker = mark(measured(text), context)
        return text if count(text) <= limit or len(marker) >= len(text) else marker


STRATEGY = Placeholder()
