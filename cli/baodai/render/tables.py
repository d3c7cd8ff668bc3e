"""Tables for a terminal: numbers to the right, wide signs counted as two columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_GAP = "  "
_LEAST = 8
"""Columns that a cell keeps, however narrow the terminal."""

_PLACES = 4
"""Decimal places of US dollars: a call often costs less than a cent."""


class Figure(str):
    """A figure that is written out already; it stands to the right like a number."""

    __slots__ = ()


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], width: int) -> str:
    """The rows under their headings; the widest texts are shortened until it fits `width`."""
    places = [_PLACES if name.endswith("usd") else 1 for name in columns]
    cells = [list(map(cell, row, places)) for row in rows]
    right = [all(_numeric(row[i]) for row in rows) and bool(rows) for i in range(len(columns))]
    widths = [
        max([columns_of(name), *(columns_of(row[i]) for row in cells)])
        for i, name in enumerate(columns)
    ]
    _narrow(widths, right, width)
    lines = [_line(columns, widths, right), _line(["-" * w for w in widths], widths, right)]
    lines += [_line(row, widths, right) for row in cells]
    if not rows:
        lines.append("(nothing)")
    return "\n".join(lines)


def cell(value: object, places: int = 1) -> str:
    """A value as text: thousands separated, yes and no, nothing for nothing."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.{places}f}"
        case _:
            return printable(" ".join(str(value).split()))


def printable(text: str) -> str:
    """The text without control signs, which could move a cursor or change colours."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def columns_of(text: str) -> int:
    """Columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def shortened(text: str, width: int) -> str:
    """The text in at most `width` columns, with `…` where something is left out."""
    if columns_of(text) <= width:
        return text
    kept, used = [], 1
    for sign in text:
        used += columns_of(sign)
        if used > width:
            break
        kept.append(sign)
    return "".join(kept) + "…"


def _numeric(value: object) -> bool:
    number = isinstance(value, (int, float, Figure)) and not isinstance(value, bool)
    return value is None or number


def _narrow(widths: list[int], right: Sequence[bool], width: int) -> None:
    """Take from the widest text columns what is too much."""
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    while excess > 0:
        texts = [i for i, r in enumerate(right) if not r and widths[i] > _LEAST]
        if not texts:
            return
        widest = max(texts, key=lambda i: widths[i])
        step = min(excess, max(1, widths[widest] // 8), widths[widest] - _LEAST)
        widths[widest] -= step
        excess -= step


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    parts = []
    for text, width, to_right in zip(cells, widths, right, strict=True):
        short = shortened(text, width)
        space = " " * (width - columns_of(short))
        parts.append(space + short if to_right else short + space)
    return _GAP.join(parts).rstrip()
