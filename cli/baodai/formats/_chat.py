"""The containers that chat APIs share: lines, arrays, requests, logs. One codec for two dialects.

A dialect knows its messages; this module knows where they stand, decodes them one conversation at
a time, and writes edits back by splicing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from baodai.formats._carrier import summary_range
from baodai.formats._layouts import Layout, answer_in, at, is_message, layout_of
from baodai.formats._writing import encode_chat
from baodai.jsonl import Record
from baodai.jsonl.values import dumps
from baodai.model import Conversation, Message, Origin, Path, Role, ToolCall, ToolResult
from baodai.structure import pair


class Dialect(Protocol):
    """How one API writes a message."""

    name: str
    rules: str

    def score(self, message: Mapping[str, object]) -> float:
        """How typical of this dialect a message is, 0 to 1; 0.5 where it could be either."""
        ...

    def read(self, value: Mapping[str, object], place: Place) -> Message:
        """A message."""
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


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """The codec of a chat API's transcripts in all their containers."""

    dialect: Dialect
    title: str
    carrier: str

    @property
    def name(self) -> str:
        """The name of the format."""
        return self.dialect.name

    def sniff(self, head: Sequence[Record]) -> float:
        """The mean score of the messages in the first records, none where there are none."""
        scores = [self.dialect.score(m) for record in head for m in _sample(record.value)]
        return sum(scores) / len(scores) if scores else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The conversations of a file, one at a time."""
        reader = _Reader(self.dialect, source)
        for record in records:
            yield from reader.take(record)
        yield from reader.finish()

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the conversation's part of the file."""
        yield from encode_chat(self.dialect, conversation)


def _sample(value: object) -> Iterator[Mapping[str, object]]:
    if is_message(value) and isinstance(value, Mapping):
        yield value
        return
    layout = layout_of(value)
    messages = None if layout is None else at(value, layout.messages)
    if isinstance(messages, list):
        yield from (m for m in messages[:40] if isinstance(m, Mapping))


class _Reader:
    """Collects records until a conversation is whole."""

    def __init__(self, dialect: Dialect, source: str) -> None:
        self._dialect = dialect
        self._source = source
        self._records: list[bytes] = []
        self._lines: list[Message] = []
        self._value: object = None
        self._layout: Layout | None = None
        self._line = 0
        self._live = 0
        self._answer: Message | None = None
        self._skipped = 0
        self._unknown: dict[str, int] = {}

    def take(self, record: Record) -> Iterator[Conversation]:
        """One record; the conversation before it, where that is whole now."""
        value = record.value
        if is_message(value) and isinstance(value, Mapping):
            if self._layout is not None:
                yield self._conversation()
            place = Place(str(record.number), len(self._records), record.number, ())
            self._lines.append(self._dialect.read(value, place))
            self._records.append(record.raw)
            return
        layout = layout_of(value)
        if layout is None:
            self._pass(record)
            return
        if self._lines or (self._layout is not None and not self._goes_on(value, layout)):
            yield self._conversation()
        if self._layout is not None:
            self._skipped += 1
        self._value, self._layout, self._answer = value, layout, None
        self._line, self._live = record.number, len(self._records)
        self._records.append(record.raw)

    def _goes_on(self, value: object, layout: Layout) -> bool:
        """Whether a log's request repeats the one before with more behind it."""
        if not (layout.log and self._layout is not None and self._layout.log):
            return False
        before, now = at(self._value, self._layout.messages), at(value, layout.messages)
        if not (isinstance(before, list) and isinstance(now, list)):
            return False
        return now[: len(before)] == before

    def _pass(self, record: Record) -> None:
        """A record without messages: carried through, counted; a log's answer is looked into."""
        value = record.value
        if isinstance(value, Mapping):
            path = answer_in(value.get("response")) if self._layout and self._layout.log else None
            found = None if path is None else at(value, ("response", *path))
            if path is not None and isinstance(found, Mapping):
                place = Place(
                    f"{record.number}.0", len(self._records), record.number, ("response", *path)
                )
                self._answer = self._dialect.read(found, place)
            else:
                kind = str(value.get("type", "record"))
                self._unknown[kind] = self._unknown.get(kind, 0) + 1
        self._records.append(record.raw)

    def finish(self) -> Iterator[Conversation]:
        """The last conversation."""
        if self._lines or self._layout is not None:
            yield self._conversation()

    def _conversation(self) -> Conversation:
        container = "lines" if self._lines else "records"
        request: object = None
        messages = self._lines
        if self._layout is not None:
            request = at(self._value, self._layout.base)
            messages = list(self._requested(self._layout, request))
            if self._answer is not None and self._answer.blocks:
                messages.append(self._answer)
        hints = (("repeated requests before the live one", str(self._skipped)),)
        named = _named(tuple(messages))
        origin = Origin(
            self._dialect.name,
            container,
            tuple(self._records),
            named,
            tuple(sorted(self._unknown.items())),
            hints if self._skipped else (),
        )
        first = messages[0].id if messages else "1"
        tools = request.get("tools") if isinstance(request, Mapping) else None
        model = request.get("model") if isinstance(request, Mapping) else None
        conversation = Conversation(
            id=f"{self._source}:{first.partition('.')[0]}",
            messages=named,
            origin=origin,
            rules=self._dialect.rules,
            tools=dumps(tools).decode() if tools else "",
            model=model if isinstance(model, str) else "",
            first_turn=_first_turn(named),
        )
        self.__init__(self._dialect, self._source)  # type: ignore[misc]
        return conversation

    def _requested(self, layout: Layout, request: object) -> Iterator[Message]:
        yield from self._dialect.system(request, self._place("s", layout.base))
        values = at(self._value, layout.messages)
        for i, value in enumerate(values if isinstance(values, list) else ()):
            if isinstance(value, Mapping):
                yield self._dialect.read(value, self._place(str(i), (*layout.messages, i)))
        answer = None if layout.answer is None else at(self._value, layout.answer)
        if layout.answer is not None and isinstance(answer, Mapping):
            message = self._dialect.read(answer, self._place("a", layout.answer))
            if message.blocks:
                yield message

    def _place(self, name: str, path: Path) -> Place:
        return Place(f"{self._line}.{name}", self._live, self._line, path)


def _first_turn(messages: Sequence[Message]) -> int:
    """The turn after those that an own summary covers."""
    ranges = (summary_range(m.text) for m in messages if m.is_summary)
    return max((found[1] + 1 for found in ranges if found is not None), default=1)


def _named(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages with the summary told apart by its place, and results that know their tool."""
    told = list(messages)
    for i, message in enumerate(messages):
        if message.role is Role.SYSTEM or i == _first_spoken(messages):
            told[i] = replace(message, is_summary=summary_range(message.text) is not None)
    for (r, j), (c, k) in pair(told).call_of.items():
        call, result = told[c].blocks[k], told[r].blocks[j]
        if isinstance(call, ToolCall) and isinstance(result, ToolResult) and not result.name:
            blocks = list(told[r].blocks)
            blocks[j] = replace(result, name=call.name)
            told[r] = replace(told[r], blocks=tuple(blocks))
    return tuple(told)


def _first_spoken(messages: Sequence[Message]) -> int:
    """The first message that is no system message: where a dialect without system carries one."""
    return next((i for i, m in enumerate(messages) if m.role is not Role.SYSTEM), -1)
