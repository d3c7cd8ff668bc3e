"""Formats: bytes to conversations and back, one file a format.

A format is a module here that exports `FORMAT`. Every quirk of a format lives in its file; no
other module knows a format's name. What a codec must hold is in `tests/conformance`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from baodai.catalogue import plugs
from baodai.jsonl import Record
from baodai.model import Conversation

if TYPE_CHECKING:
    from baodai.formats.source import Source


class Format(Protocol):
    """One transcript format, both directions.

    `title` is a sentence for people; `carrier` says where a summary goes, for people.
    """

    name: str
    title: str
    carrier: str

    def sniff(self, head: Sequence[Record]) -> float:
        """How sure it is, 0 to 1, from the first records of a file."""
        ...

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The conversations of a file, one at a time, so that memory follows the largest.

        The `origin.records` of all of them, joined in order, are the file.
        """
        ...

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the conversation's part of the file.

        Messages that are the ones of `origin.messages` keep their bytes; an edited one changes only
        where its blocks differ; a dropped one goes; a new one (`record` is -1) is written in the
        format's own shape, a summary (`is_summary`) in the format's carrier.
        """
        ...


@runtime_checkable
class Target(Protocol):
    """A format that any conversation can be written in.

    `alone`: a file holds one conversation; `ending` is what its files' names end in.
    """

    name: str
    alone: bool
    ending: str

    def compose(self, source: Source) -> Iterator[object]:
        """The values of the records of a new transcript that says what the source says.

        What has no slot goes into `x_baodai`; what changes on the way is noted in the source.
        """
        ...


def targets() -> dict[str, Target]:
    """The formats to convert to, by name."""
    return {name: f for name, f in formats().items() if isinstance(f, Target)}


def formats() -> dict[str, Format]:
    """All formats by name."""
    return cast("dict[str, Format]", plugs("baodai.formats", "FORMAT"))
