"""Writes an edited conversation of a chat API back by splicing its records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from baodai.formats._dialect import Changes, Dialect
from baodai.jsonl import BOM, dumps, loads, splice, style_of
from baodai.model import Conversation, Message, Path


def encode_chat(dialect: Dialect, conversation: Conversation) -> Iterator[bytes]:
    """The bytes of the conversation's records with its edits in place."""
    work = _Writer(dialect, conversation)
    records = conversation.origin.records
    last = b"\n"
    for index in range(len(records) + 1):
        raw = work.record(index, records[index]) if index < len(records) else b""
        fresh = work.lines_before(index)
        if index == 0 and records and records[0].startswith(BOM) and (fresh or not raw):
            yield BOM  # it stays in front, whatever line comes first
            raw = raw.removeprefix(BOM)
        if fresh and not last.endswith(b"\n"):
            yield work.end  # a torn last line, or a record glued to the next one
        yield from fresh
        yield raw
        last = raw or last


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

    @property
    def end(self) -> bytes:
        """The file's line end."""
        first = self._origin.records[self._origin.messages[0].record]
        return b"\r\n" if first.endswith(b"\r\n") else b"\n"

    def _line(self, value: object) -> bytes:
        first = self._origin.records[self._origin.messages[0].record]
        return dumps(value, style_of(first)) + self.end

    def lines_before(self, index: int) -> list[bytes]:
        """New lines that stand before a record; past the last one, behind it."""
        return self._lines.get(index, [])

    def record(self, index: int, raw: bytes) -> bytes:
        """A record as it has to be."""
        if index in self._gone:
            return b""
        change = self._changes.get(index)
        if change is None:
            return raw
        return splice(raw, change.puts, removes=change.removes, inserts=change.inserts)
