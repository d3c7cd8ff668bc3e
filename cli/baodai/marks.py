"""Marks that an option carries in its annotation: what kind of value it is beyond its type."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """Marks a number of tokens, which may be written `32k` or `1m` (thousands, millions)."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """Marks a text with a choice of values."""

    values: tuple[str, ...]
