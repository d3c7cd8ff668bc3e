"""The codec of files whose conversations are lists of messages somewhere in a value.

A format says where the list is and how one of its elements is read and written; how many
conversations a file holds, and in what, is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from baodai.formats._dialect import Place
from baodai.formats._layouts import at
from baodai.formats._slices import IsOne, Slice, first_of, slices
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Scribe, encode_units
from baodai.jsonl import Record
from baodai.model import Conversation, Message, Path


class Reader(Scribe, Protocol):
    """How an element of the list is read, besides how it is written."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterable[Message]:
        """The messages of an element: none where the model reads nothing of it."""
        ...


def nothing(value: object) -> Around:
    """What there is to say of a conversation of which nothing is known."""
    del value
    return Around()


def alone(part: Slice) -> Iterable[Message]:
    """No message stands beside the list."""
    del part
    return ()


def under(*path: str) -> Callable[[object], Path]:
    """The same place in every conversation."""
    return lambda value: () if isinstance(value, list) else path


@dataclass(frozen=True, slots=True)
class Listed:
    """A codec.

    `lists` are the places of many conversations in a document, `path` that of the messages in one;
    `head` tells messages that stand beside the list, such as a system prompt; `finish` has
    them all at once; `claims` is stricter than `is_one` where a shape could be another format's.
    """

    name: str
    title: str
    carrier: str
    reader: Reader
    path: Callable[[object], Path]
    is_one: IsOne
    lists: tuple[Path, ...] = ((),)
    about: Callable[[object], Around] = nothing
    head: Callable[[Slice], Iterable[Message]] = alone
    finish: Callable[[list[Message]], list[Message]] = list
    claims: IsOne | None = None
    sure: float = 0.96

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where a conversation of this shape shows."""
        claims = self.claims or self.is_one
        found = (first_of(record.value, self.lists, claims) for record in head)
        return self.sure if any(one is not None for one in found) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The conversations of a file."""
        for part in slices(records, self.lists, self.is_one):
            messages = self.finish([*self.head(part), *self._messages(part)])
            ident = f"{source}:{part.line}.{part.number}" if part.number else source
            yield assembled(self.name, ident, part.records, messages, self.about(part.value))

    def _messages(self, part: Slice) -> Iterator[Message]:
        base = self.path(part.value)
        items = at(part.value, base)
        for i, value in enumerate(items if isinstance(items, list) else ()):
            if isinstance(value, Mapping):
                path = (*base, i)
                place = Place(f"{part.line}.{part.number}.{i}", part.index, part.line, path)
                yield from self.reader.messages(value, place)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of a conversation with its edits."""
        yield from encode_units(self.reader, conversation)
