"""What the two chat dialects have to tell: how their messages are read, told apart and written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from baodai.model import Message, Path


class Dialect(Protocol):
    """How one API writes a message.

    `plain` is how sure it is of messages that could be any dialect's; `user_carrier`: a summary may
    stand in the first user message.
    """

    name: str
    rules: str
    plain: float
    user_carrier: bool

    def score(self, message: Mapping[str, object]) -> float:
        """1: a message of this dialect; 0: of another one; between: could be either."""
        ...

    def read(self, value: Mapping[str, object], place: Place) -> Message:
        """A message."""
        ...

    def answered(self, message: Message, response: object) -> Message:
        """A message with what the response around it tells: usage, stop reason, model."""
        ...

    def system(self, request: object, place: Place) -> Iterator[Message]:
        """System messages that stand beside the messages of a request."""
        ...

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """What to write so that `old` says what `new` says."""
        ...

    def fresh(self, message: Message) -> object:
        """A new message in the dialect's own shape."""
        ...

    def beside(self, message: Message, base: Path, request: object) -> Changes | None:
        """A new summary written beside the messages; `None` where it is one of them."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: its record, line and path, and the id it gets."""

    id: str
    record: int
    line: int
    path: Path


@dataclass(slots=True)
class Changes:
    """What a splice is to do to one record."""

    puts: dict[Path, object] = field(default_factory=dict)
    removes: list[Path] = field(default_factory=list)
    inserts: dict[Path, list[object]] = field(default_factory=dict)

    def add(self, other: Changes) -> None:
        """Take over what another one wants."""
        self.puts.update(other.puts)
        self.removes.extend(other.removes)
        for path, values in other.inserts.items():
            self.inserts.setdefault(path, []).extend(values)
