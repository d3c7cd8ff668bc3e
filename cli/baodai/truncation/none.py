"""Strategy `none`: a confirmation is short; it stays as it is."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.truncation import Count, CutContext


@dataclass(frozen=True, slots=True)
class Whole:
    """Cuts nothing, whatever the limit."""

    name: str = "none"

    def cut(self, text: str, limit: int, count: Count, context: CutContext) -> str:
        """The text."""
        del limit, count, context
        return text


STRATEGY = Whole()
