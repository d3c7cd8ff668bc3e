"""Writes an edited conversation of a chat API back by splicing its records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from baodai.formats._dialect import Changes, Dialect
from baodai.jsonl import dumps, loads, splice, style_of
from baodai.model import Conversation, Message, Path


def encode_chat(dialect: Dialect, conversation: Conversation) -> Iterator[bytes]:
    """The bytes of the conversation's records with its edits in place."""
    work = _Writer(dialect, conversation)
    origin = conversation.origin
    for index, raw in enumerate(origin.records):
        yield from work.lines_before(index)
        yield work.record(index, raw)
    yield from work.lines_after()


_END = 1 << 30
"""An index past the end of any array: the place to append."""


def _in_array(path: Path) -> bool:
    """Whether a message is an element of the array of messages, not a system prompt beside it."""
    return bool(path) and isinstance(path[-1], int) and ("messages" in path or len(path) == 1)


class _Writer:
    """What each record of a conversation has to become."""

    def __init__(self, dialect: Dialect, conversation: Conversation) -> None:
        self._dialect = dialect
        self._origin = conversation.origin
        self._changes: dict[int, Changes] = {}
        self._gone: set[int] = set()
        self._lines: dict[int, list[bytes]] = {}
        self._values: dict[int, object] = {}
        self._old = {m.id: m for m in self._origin.messages}
        self._by_lines = self._origin.container == "lines"
        self._collect(conversation.messages)

    def _collect(self, messages: Sequence[Message]) -> None:
        kept = {m.id for m in messages}
        for old in self._origin.messages:
            if old.id not in kept:
                self._drop(old)
        self._write(messages)

    def _write(self, messages: Sequence[Message]) -> None:
        for i, message in enumerate(messages):
            old = self._old.get(message.id)
            if old is None:
                self._insert(message, self._follower(messages, i))
            elif old is not message:
                change = self._dialect.changes(old, message, self._value(old.record))
                self._at(old.record).add(change)

    def _follower(self, messages: Sequence[Message], i: int) -> Message | None:
        """The next message that stands in the file, past those beside the array."""
        for later in messages[i + 1 :]:
            old = self._old.get(later.id)
            if old is not None and (self._by_lines or _in_array(old.path)):
                return old
        return None

    def _at(self, record: int) -> Changes:
        return self._changes.setdefault(record, Changes())

    def _value(self, record: int) -> object:
        if record not in self._values:
            self._values[record] = loads(self._origin.records[record])
        return self._values[record]

    def _drop(self, old: Message) -> None:
        if self._by_lines:
            self._gone.add(old.record)
        else:
            self._at(old.record).removes.append(old.path)

    def _insert(self, message: Message, follower: Message | None) -> None:
        value = self._dialect.fresh(message)
        if self._by_lines:
            record = len(self._origin.records) if follower is None else follower.record
            self._lines.setdefault(record, []).append(self._line(value))
            return
        host = follower or self._host()
        base = host.path[:-1]
        if message.is_summary:
            beside = self._dialect.beside(message, base[:-1], self._value(host.record))
            if beside is not None:
                self._at(host.record).add(beside)
                return
        index = host.path[-1] if follower is not None else _END
        self._at(host.record).inserts.setdefault((*base, index), []).append(value)

    def _host(self) -> Message:
        """A message in the array, to tell where that is; an answer may stand elsewhere."""
        return next(m for m in reversed(self._origin.messages) if _in_array(m.path))

    def _line(self, value: object) -> bytes:
        first = self._origin.records[self._origin.messages[0].record]
        end = b"\r\n" if first.endswith(b"\r\n") else b"\n"
        return dumps(value, style_of(first)) + end

    def lines_before(self, index: int) -> Iterator[bytes]:
        """New lines that stand before a record."""
        yield from self._lines.get(index, ())

    def record(self, index: int, raw: bytes) -> bytes:
        """A record as it has to be."""
        if index in self._gone:
            return b""
        change = self._changes.get(index)
        if change is None:
            return raw
        return splice(raw, change.puts, removes=change.removes, inserts=change.inserts)

    def lines_after(self) -> Iterator[bytes]:
        """New lines behind the last record, which may lack its line end."""
        lines = self._lines.get(len(self._origin.records), ())
        if lines and self._origin.records and not self._origin.records[-1].endswith(b"\n"):
            yield b"\n"
        yield from lines
