"""Cuts at places a reader can bear, and finds how much fits with few counts.

Counting is the floor of the whole tool: a cut is chosen by characters and checked by one or two
counts, never a count for each line.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

from baodai.truncation import Count

_AROUND = 64
_ROUNDS = 12


def fit(text: str, limit: int, count: Count, make: Callable[[int], str]) -> str:
    """The longest of `make(characters)` within `limit` tokens, nearly; `make(0)` where none is."""
    total = max(1, count(text))
    if total <= limit:
        return text
    low, best = 0, make(0)
    high = len(text)
    budget = int(len(text) * limit / total)
    for _ in range(_ROUNDS):
        if budget <= low or budget >= high:
            budget = (low + high) // 2
        if budget <= low:
            break
        made = make(budget)
        size = count(made)
        if size <= limit:
            low, best = budget, made
            if size * 20 >= limit * 19:
                break
        else:
            high = budget
        budget = max(low + 1, int(budget * limit / max(size, 1) * 0.99))
    return best


def head_of(text: str, size: int) -> str:
    """At most `size` characters of the beginning, whole lines where there are lines."""
    if size >= len(text):
        return text
    if size <= 0:
        return ""
    line = text.rfind("\n", 0, size + 1) + 1
    # A first line longer than the room is cut inside, at a whole character as a reader sees it.
    return text[:line] if line > size // 4 else text[: _boundary(text, size)]


def tail_of(text: str, size: int) -> str:
    """At most `size` characters of the end, whole lines where there are lines."""
    if size >= len(text):
        return text
    if size <= 0:
        return ""
    start = len(text) - size
    line = text.find("\n", start - 1, len(text) - 1) + 1
    if 0 < line <= start + size * 3 // 4:
        return text[line:]
    at = _boundary(text, start)
    return text[at if at >= start else _after(text, start) :]


def _boundary(text: str, at: int) -> int:
    """The last place up to `at` that does not fall inside a visible character."""
    places = _places(text, at)
    last = max(place for place in places if place <= at)
    # One sign longer than what is looked at (stacked marks without end): cut at a code point.
    return at if last == places[0] and last > 0 else last


def _after(text: str, at: int) -> int:
    """The first place from `at` on that does not fall inside a visible character."""
    return min((place for place in _places(text, at) if place >= at), default=at)


def _places(text: str, at: int) -> list[int]:
    """Where visible characters begin and end near `at`."""
    places = [max(0, at - _AROUND)]
    for sign in regex.findall(r"\X", text[places[0] : at + _AROUND]):
        places.append(places[-1] + len(sign))
    return places
