"""Reads chat records into conversations: collects lines, follows the chains of request logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from baodai.formats._chains import begins, goes_on
from baodai.formats._dialect import Dialect, Place
from baodai.formats._layouts import (
    Layout,
    answer_in,
    at,
    earlier_exchanges,
    is_message,
    layout_of,
)
from baodai.formats._told import first_turn, measure_in, told
from baodai.jsonl import Record, dumps
from baodai.model import Conversation, Message, Origin, Path, Role


@dataclass(slots=True)
class _Work:
    """What is read so far of one conversation.

    `lines` are messages that are records of their own; otherwise `value` is the record that holds
    the messages, the last of its chain. `answers` are those of earlier requests of the chain, by
    the number of messages they answered.
    """

    records: list[bytes] = field(default_factory=list)
    lines: list[Message] = field(default_factory=list)
    value: object = None
    layout: Layout | None = None
    line: int = 0
    live: int = 0
    answer: Message | None = None
    repeated: int = 0
    answers: dict[int, Message] = field(default_factory=dict)
    aside: list[Message] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)

    def paid(self, count: int, message: Message) -> None:
        """An answer to the first `count` messages; one that was asked for again is aside."""
        before = self.answers.get(count)
        if before is not None:
            self.aside.append(replace(before, blocks=()))
        self.answers[count] = message


class Reader:
    """Collects records until a conversation is whole."""

    def __init__(self, dialect: Dialect, source: str) -> None:
        self._dialect = dialect
        self._source = source
        self._work = _Work()

    def take(self, record: Record) -> Iterator[Conversation]:
        """One record; the conversation before it, where that is whole now."""
        work, value = self._work, record.value
        if is_message(value) and isinstance(value, Mapping):
            if work.layout is not None:
                yield self._conversation()
                work = self._work
            place = Place(str(record.number), len(work.records), record.number, ())
            work.lines.append(self._dialect.read(value, place))
            work.records.append(record.raw)
            return
        layout = layout_of(value)
        if layout is None:
            self._pass(record)
            return
        if work.lines or (work.layout is not None and not self._goes_on(value, layout)):
            yield self._conversation()
            work = self._work
        if work.layout is not None:
            self._repeated()
        work.value, work.layout, work.answer = value, layout, None
        work.line, work.live = record.number, len(work.records)
        work.records.append(record.raw)

    def _goes_on(self, value: object, layout: Layout) -> bool:
        """Whether a log's request repeats the one before with more behind it."""
        work = self._work
        return work.layout is not None and goes_on(value, layout, work.value, work.layout)

    def _repeated(self) -> None:
        """The request so far is but the beginning of the next one; its answer was paid for."""
        work = self._work
        work.repeated += 1
        answer = self._answer()
        messages = None if work.layout is None else at(work.value, work.layout.messages)
        if answer is not None and isinstance(messages, list):
            work.paid(len(messages), answer)

    def _pass(self, record: Record) -> None:
        """A record without messages: carried through, counted; a log's answer is looked into."""
        work, value = self._work, record.value
        if isinstance(value, Mapping):
            response = value.get("response")
            path = answer_in(response) if work.layout and work.layout.log else None
            if path is not None:
                place = Place(
                    f"{record.number}.a", len(work.records), record.number, ("response", *path)
                )
                work.answer = self._message(value, place, ("response",))
            else:
                kind = str(value.get("type", "record"))
                work.unknown[kind] = work.unknown.get(kind, 0) + 1
        work.records.append(record.raw)

    def _message(self, value: object, place: Place, response: Path) -> Message | None:
        found = at(value, place.path)
        if not isinstance(found, Mapping):
            return None
        return self._dialect.answered(self._dialect.read(found, place), at(value, response))

    def finish(self) -> Iterator[Conversation]:
        """The last conversation."""
        if self._work.lines or self._work.layout is not None:
            yield self._conversation()

    def _answer(self) -> Message | None:
        """The answer to the live request: in a record of its own, or beside the request."""
        work = self._work
        if work.answer is not None or work.layout is None or work.layout.answer is None:
            return work.answer
        place = self._place("a", work.layout.answer)
        return self._message(work.value, place, work.layout.response)

    def _conversation(self) -> Conversation:
        work = self._work
        request: object = None
        messages = work.lines
        if work.layout is not None:
            request = at(work.value, work.layout.base)
            messages = list(self._requested(work.layout, request))
        told_messages = told(messages, user_carrier=self._dialect.user_carrier)
        self._work = _Work()
        tools = request.get("tools") if isinstance(request, Mapping) else None
        first = messages[0].id if messages else "1"
        return Conversation(
            id=f"{self._source}:{first.partition('.')[0]}",
            messages=told_messages,
            origin=self._origin(work, told_messages),
            rules=self._dialect.rules,
            tools=dumps(tools).decode() if tools else "",
            model=_model(request, messages),
            first_turn=first_turn(told_messages),
            measure=measure_in(told_messages),
        )

    def _origin(self, work: _Work, messages: tuple[Message, ...]) -> Origin:
        repeated = ("repeated requests before the live one", str(work.repeated))
        return Origin(
            self._dialect.name,
            "lines" if work.layout is None else "records",
            tuple(work.records),
            messages,
            tuple(sorted(work.unknown.items())),
            (repeated,) if work.repeated else (),
            tuple(m for m in work.aside if m.usage is not None),
        )

    def _requested(self, layout: Layout, request: object) -> Iterator[Message]:
        """The messages of the live request, with what its answers told, and the last answer."""
        yield from self._dialect.system(request, self._place("s", layout.base))
        values = at(self._work.value, layout.messages)
        items = values if isinstance(values, list) else []
        self._earlier(items)
        answers = self._work.answers
        for i, value in enumerate(items):
            if not isinstance(value, Mapping):
                continue
            message = self._dialect.read(value, self._place(str(i), (*layout.messages, i)))
            told = answers.pop(i, None) if message.role is Role.ASSISTANT else None
            if told is None:
                yield message
            else:
                yield replace(
                    message, usage=told.usage, stop_reason=told.stop_reason, model=told.model
                )
        self._work.aside.extend(replace(told, blocks=()) for told in answers.values())
        answer = self._answer()
        if answer is not None and answer.blocks:
            yield answer

    def _earlier(self, items: Sequence[object]) -> None:
        """The answers in the earlier exchanges of a recording."""
        work = self._work
        if work.layout is None:
            return
        for layout in earlier_exchanges(work.value, work.layout):
            if layout.answer is None:
                continue
            answer = self._message(work.value, self._place("e", layout.answer), layout.response)
            messages = at(work.value, layout.messages)
            if answer is None or not isinstance(messages, list):
                continue
            if begins(items, messages):
                work.repeated += 1
                work.paid(len(messages), answer)
            else:
                work.aside.append(replace(answer, blocks=()))

    def _place(self, name: str, path: Path) -> Place:
        return Place(f"{self._work.line}.{name}", self._work.live, self._work.line, path)


def _model(request: object, messages: Sequence[Message]) -> str:
    """The model that was asked, else the one that answered last."""
    asked = request.get("model") if isinstance(request, Mapping) else None
    if isinstance(asked, str) and asked:
        return asked
    return next((m.model for m in reversed(messages) if m.model), "")
