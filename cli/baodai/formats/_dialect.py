"""What the two chat dialects have to tell: how their messages are read and told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from baodai.formats._writing import Scribe
from baodai.formats.source import Source
from baodai.model import Message, Path


class Dialect(Scribe, Protocol):
    """How one API writes a message.

    `plain` is how sure it is of messages that could be any dialect's; `user_carrier`: a summary may
    stand in the first user message; `system_beside`: the system prompt stands beside the messages.
    """

    name: str
    rules: str
    plain: float
    user_carrier: bool
    system_beside: bool

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

    def compose(self, source: Source) -> Iterator[object]:
        """A request that says what the source says."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: its record, line and path, and the id it gets."""

    id: str
    record: int
    line: int
    path: Path
