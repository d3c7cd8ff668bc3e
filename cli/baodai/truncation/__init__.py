"""Strategies: text in, shorter text out, never a misleading half.

A strategy is a module here that exports `STRATEGY`. Use `strategies()` to get them by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

from baodai.catalogue import plugs

Count = Callable[[str], int]
"""Tokens of a text."""


@dataclass(frozen=True, slots=True)
class CutContext:
    """What a strategy may say in its marker.

    `ref` is the reference of the whole original text (`bd:…`), `target` the file, URL or command
    it came from, `first_line` the number of the first line shown (file reads), `language` the
    marker's language: "en" or "zh".
    """

    ref: str = ""
    target: str = ""
    first_line: int = 1
    language: str = "en"


class Strategy(Protocol):
    """One way to shorten a text."""

    name: str

    def cut(self, text: str, limit: int, count: Count, context: CutContext) -> str:
        """The text in at most `limit` tokens; itself where it fits; a fixed point of itself."""
        ...


def strategies() -> dict[str, Strategy]:
    """All strategies by name."""
    return cast("dict[str, Strategy]", plugs("baodai.truncation", "STRATEGY"))
