"""opencode: what `opencode export` writes, one document with its messages and their parts.

A tool's call and its result are one part; a pruned output is still stored, but the model reads a
stub of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from baodai.formats._members import list_at, text_at
from baodai.formats._opencode_read import Session
from baodai.formats._opencode_write import Scribe, shown
from baodai.formats._told import Around, assembled
from baodai.formats._writing import encode_units, untouched
from baodai.jsonl import Record, loads
from baodai.model import Conversation


@dataclass(frozen=True, slots=True)
class OpenCode:
    """The codec of opencode's exported sessions."""

    name: str = "opencode"
    title: str = "opencode sessions, as `opencode export` writes them"
    carrier: str = "a compaction request and its summary, before the first message that stays"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where messages have an `info` and `parts`."""
        return 0.98 if any(_is_session(record.value) for record in head) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The one session of a file."""
        held = list(records)
        index = next((i for i, r in enumerate(held) if _is_session(r.value)), -1)
        if index < 0:
            return
        value = held[index].value
        session = Session(value, index, held[index].number)
        messages, aside = session.read()
        around = Around(
            project=text_at(value, "info", "directory"),
            unknown=session.unknown,
            aside=tuple(aside),
        )
        ident = text_at(value, "info", "id") or source
        yield assembled(self.name, ident, [r.raw for r in held], messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the session with its edits."""
        origin = conversation.origin
        if untouched(conversation) or not origin.messages:
            yield from origin.records
            return
        value = loads(origin.records[origin.messages[0].record])
        yield from encode_units(Scribe(conversation, value), shown(conversation))


def _is_session(value: object) -> bool:
    messages = list_at(value, "messages")
    return any(isinstance(m, dict) and {"info", "parts"} <= m.keys() for m in messages)


FORMAT = OpenCode()
