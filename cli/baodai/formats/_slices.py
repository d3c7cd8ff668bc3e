"""Files that hold many conversations: a row each, or the elements of a list in one document.

A conversation gets the bytes of its part of the file, so that those of all of them joined are the
file. The part of a document is cut in records: what stands before the element, the element, and
behind the last one the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from baodai.formats._layouts import at
from baodai.jsonl import Record, elements, loads
from baodai.model import Path


@dataclass(frozen=True, slots=True)
class Slice:
    """One conversation's part of a file: its records, which of them it is, what that says.

    `line` is the 1-based line where it starts, `number` counts the conversations from 0.
    """

    records: tuple[bytes, ...]
    index: int
    value: object
    line: int
    number: int = 0


_SAMPLE = 40
"""Elements of a list that are looked at."""

IsOne = Callable[[object], bool]
"""Whether a value is a conversation."""


def slices(records: Iterable[Record], paths: Sequence[Path], is_one: IsOne) -> Iterator[Slice]:
    """The conversations of a file, in order.

    `paths` are the places of a list (or an object) of conversations in a document. A part of such a
    document is read too: an output is decoded again conversation by conversation.
    """
    held = list(records)
    if any(is_one(record.value) for record in held):
        yield from _rows(held, is_one)
        return
    whole = next((r.value for r in held if r.value is not None), None) if len(held) == 1 else None
    raw = b"".join(record.raw for record in held)
    for path in paths:
        found = at(whole, path)
        if whole is not None and not any(map(is_one, _inside(found))):
            continue
        try:
            spans = elements(raw, path)
        except (KeyError, ValueError):
            continue
        if spans:
            yield from _cut(raw, spans, is_one)
            return


def first_of(value: object, paths: Sequence[Path], is_one: IsOne) -> object:
    """The first conversation that a value is or holds; `None` where it holds none."""
    if is_one(value):
        return value
    for path in paths:
        found = at(value, path)
        one = next((item for item in islice(_inside(found), _SAMPLE) if is_one(item)), None)
        if one is not None:
            return one
    return None


def _inside(value: object) -> Iterator[object]:
    """The elements of a list, the objects in an object."""
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        yield from (item for item in value.values() if isinstance(item, dict))


def _rows(records: Sequence[Record], is_one: IsOne) -> Iterator[Slice]:
    """A conversation for each record that is one; what stands between goes with the one before."""
    ones = [i for i, record in enumerate(records) if is_one(record.value)]
    for number, index in enumerate(ones):
        start = 0 if number == 0 else index
        end = ones[number + 1] if number + 1 < len(ones) else len(records)
        raws = tuple(record.raw for record in records[start:end])
        one = records[index]
        yield Slice(raws, index - start, one.value, one.number, number)


def _cut(raw: bytes, spans: Sequence[tuple[int, int]], is_one: IsOne) -> Iterator[Slice]:
    """The elements that are conversations, each with what stands before it."""
    values = [(start, end, loads(raw[start:end])) for start, end in spans]
    ones = [(start, end, value) for start, end, value in values if is_one(value)]
    done, line = 0, 1
    for number, (start, end, value) in enumerate(ones):
        pieces = [raw[done:start], raw[start:end]]
        line += pieces[0].count(b"\n")
        if number + 1 == len(ones):
            pieces.append(raw[end:])
        yield Slice(tuple(pieces), 1, value, line, number)
        done = end
        line += pieces[1].count(b"\n")
