"""The codec of chat APIs in all their containers: lines, arrays, requests, logs.

A dialect knows its messages; this module and its neighbours know where they stand, decode them one
conversation at a time, and write edits back by splicing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._dialect import Dialect
from baodai.formats._layouts import at, is_foreign, is_message, layout_of
from baodai.formats._reading import Reader
from baodai.formats._writing import encode_units
from baodai.formats.source import Source
from baodai.jsonl import Record
from baodai.model import Conversation

_SAMPLE = 40
"""Messages of a record that are looked at to tell the dialect."""


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """The codec of a chat API's transcripts in all their containers."""

    dialect: Dialect
    title: str
    carrier: str
    alone: bool = False
    ending: str = ".jsonl"

    @property
    def name(self) -> str:
        """The name of the format."""
        return self.dialect.name

    def sniff(self, head: Sequence[Record]) -> float:
        """The share of the messages that speak for this dialect among those that tell at all."""
        if any(is_foreign(record.value) for record in head):
            return 0.0
        scores = [self.dialect.score(m) for record in head for m in _sample(record.value)]
        scores += [1.0 if self.dialect.system_beside else 0.0 for r in head if _has_system(r.value)]
        own, foreign = scores.count(1), scores.count(0)
        if own + foreign:
            return round(0.95 * own / (own + foreign), 2)
        return self.dialect.plain if scores else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The conversations of a file, one at a time."""
        reader = Reader(self.dialect, source)
        for record in records:
            yield from reader.take(record)
        yield from reader.finish()

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the conversation's part of the file."""
        yield from encode_units(self.dialect, conversation)

    def compose(self, source: Source) -> Iterator[object]:
        """A request that says what the source says."""
        yield from self.dialect.compose(source)


def _has_system(value: object) -> bool:
    """Whether a system prompt stands beside a record's messages, or what is said beside one."""
    layout = layout_of(value)
    owner = None if layout is None else at(value, layout.base)
    if not isinstance(owner, Mapping):
        return False
    own = {"stop_sequences", "anthropic_version", "anthropic_beta"} & owner.keys()
    thinks = isinstance(at(owner, ("thinking", "type")), str)
    return isinstance(owner.get("system"), str | list) or bool(own) or thinks


def _sample(value: object) -> Iterator[Mapping[str, object]]:
    if is_message(value) and isinstance(value, Mapping):
        yield value
        return
    layout = layout_of(value)
    messages = None if layout is None else at(value, layout.messages)
    if isinstance(messages, list):
        yield from (m for m in messages[:_SAMPLE] if isinstance(m, Mapping))
    answer = None if layout is None or layout.answer is None else at(value, layout.answer)
    if isinstance(answer, Mapping):
        yield answer
