"""Writes an edited conversation back by splicing the records its messages were read from.

A message stands in a *unit*: a record of its own (its path is empty), or an element of a list in a
record. Several messages may share a unit, where a format keeps a call and its result together; the
unit goes with the last of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from baodai.formats._layouts import at
from baodai.formats._sheet import Changes, Sheet
from baodai.jsonl import loads
from baodai.model import Conversation, Message, Path, Role

Unit = tuple[int, Path]
"""A record's index, and the path inside it."""

_END = 1 << 30
"""An index past the end of any list: the place to append."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What is being written: the records, the messages as they were read and as they shall be.

    `after` has every message that was read by its id, `None` for one that is gone; `fresh` are new
    records by the index of the one they stand before, `made` all new values by their message's id.
    """

    sheet: Sheet
    conversation: Conversation
    after: Mapping[str, Message | None]
    fresh: dict[int, list[object]] = field(default_factory=dict)
    made: dict[str, object] = field(default_factory=dict)

    @property
    def before(self) -> Sequence[Message]:
        """The messages as they were read."""
        return self.conversation.origin.messages

    @property
    def edited(self) -> Iterator[tuple[Message, Message | None]]:
        """Messages that are changed or gone, with what becomes of them."""
        for old in self.before:
            now = self.after[old.id]
            if now is not old and now != old:
                yield old, now


class Scribe(Protocol):
    """How a format writes what was edited."""

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """What to write so that `old` says what `new` says.

        A message that is gone from a unit that stays comes as a `new` without blocks.
        """
        ...

    def fresh(self, message: Message, near: object) -> object:
        """A new message in the format's own shape, to stand beside the unit `near`."""
        ...

    def beside(self, message: Message, base: Path, request: object) -> Changes | None:
        """A new summary written beside the messages; `None` where it is one of them."""
        ...

    def mend(self, desk: Desk) -> None:
        """Bring in line what depends on the messages: links, numbers, copies kept elsewhere."""
        ...


class Plain:
    """A scribe's answers where a format has nothing of its own: no place beside, no links."""

    def beside(self, message: Message, base: Path, request: object) -> Changes | None:
        """None: a summary is one of the messages."""
        del message, base, request
        return None

    def mend(self, desk: Desk) -> None:
        """Nothing depends on the messages."""
        del desk


def untouched(conversation: Conversation) -> bool:
    """Whether the messages are the ones that were read."""
    before, after = conversation.origin.messages, conversation.messages
    return len(before) == len(after) and all(
        a is b or a == b for a, b in zip(after, before, strict=True)
    )


PutIn = Callable[[Scribe, Desk], None]
"""How new messages are put in."""


def encode_units(
    scribe: Scribe, conversation: Conversation, put_in: PutIn | None = None
) -> Iterator[bytes]:
    """The bytes of the conversation's records with its edits in place.

    `put_in` puts new messages where the format has another place for them than beside the next one
    in the list of the last one.
    """
    origin = conversation.origin
    if untouched(conversation):
        yield from origin.records
        return
    kept = {message.id: message for message in conversation.messages}
    like = next((m.record for m in origin.messages), 0)
    desk = Desk(
        Sheet(origin.records, like, origin.values),
        conversation,
        {old.id: kept.get(old.id) for old in origin.messages},
    )
    _edit(scribe, desk)
    (put_in or _insert)(scribe, desk)
    scribe.mend(desk)
    yield from desk.sheet.lines()


def values_after(
    scribe: Scribe,
    conversation: Conversation,
    take: Callable[[object, Message], object] = lambda record, m: at(record, m.path),
) -> list[object]:
    """The values of all units as they shall be, in order, for records that hold a whole context.

    `take` finds a message's unit in its record.
    """
    origin = conversation.origin
    draft = Sheet(origin.records, values=origin.values)
    old = {message.id: message for message in origin.messages}
    for message in conversation.messages:
        was = old.get(message.id)
        if was is not None and was != message:
            value = draft.value(was.record)
            draft.change(was.record, scribe.changes(was, message, value))
    edited: dict[int, object] = {}
    found: dict[object, object] = {}
    near: object = None
    for message in conversation.messages:
        was = old.get(message.id)
        if was is None:
            near = found[message.id] = scribe.fresh(message, near)
            continue
        if was.record not in edited:
            edited[was.record] = loads(draft.changed(was.record))
        near = found[(was.record, was.path)] = take(edited[was.record], was)
    return list(found.values())


def encode_log(scribe: Scribe, conversation: Conversation, put_in: PutIn) -> Iterator[bytes]:
    """The bytes of a log whose lines are numbered, so that none may come or go but at the end.

    Messages are edited in place; `put_in` appends what takes others out, and new ones.
    """
    origin = conversation.origin
    if untouched(conversation):
        yield from origin.records
        return
    kept = {message.id: message for message in conversation.messages}
    after = {old.id: kept.get(old.id, old) for old in origin.messages}
    like = next((m.record for m in origin.messages), 0)
    desk = Desk(Sheet(origin.records, like, origin.values), conversation, after)
    _edit(scribe, desk)
    put_in(scribe, desk)
    scribe.mend(desk)
    yield from desk.sheet.lines()


def folds(conversation: Conversation) -> bool:
    """Whether a new summary stands in the conversation."""
    known = {message.id for message in conversation.origin.messages}
    return any(m.is_summary and m.id not in known for m in conversation.messages)


def encode_folded(
    scribe: Scribe,
    conversation: Conversation,
    append: Callable[[Desk, Message, Message | None], None],
    *,
    all_stay: bool = False,
) -> Iterator[bytes]:
    """The bytes where a fold is a record at the end that names the first message to stay.

    What stood before that one stays in the file; what is gone behind it is taken out, or
    stays too (`all_stay`) where the record names what is gone. `append` writes that record.
    """
    origin = conversation.origin
    summary = next(m for m in conversation.messages if m.is_summary)
    kept = {m.id: m for m in conversation.messages}
    first = next((i for i, m in enumerate(origin.messages) if _goes_on(m, kept)), None)
    after = {
        old.id: kept.get(old.id, old if all_stay or first is None or i < first else None)
        for i, old in enumerate(origin.messages)
    }
    like = next((m.record for m in origin.messages), 0)
    rest = conversation.with_messages([m for m in conversation.messages if m is not summary])
    desk = Desk(Sheet(origin.records, like, origin.values), rest, after)
    _edit(scribe, desk)
    _insert(scribe, desk)
    append(desk, summary, None if first is None else origin.messages[first])
    scribe.mend(desk)
    yield from desk.sheet.lines()


def _goes_on(message: Message, kept: Mapping[str, Message]) -> bool:
    """Whether a message stays behind the summary: prompts of the system are never folded."""
    return message.id in kept and message.role is not Role.SYSTEM


def _edit(scribe: Scribe, desk: Desk) -> None:
    units: dict[Unit, list[Message]] = {}
    for old in desk.before:
        units.setdefault((old.record, old.path), []).append(old)
    for (record, path), messages in units.items():
        if all(desk.after[old.id] is None for old in messages):
            desk.sheet.remove(record, path)
            continue
        for old in messages:
            now = desk.after[old.id] or _emptied(old)
            if now is not old and now != old:
                value = desk.sheet.value(record)
                desk.sheet.change(record, scribe.changes(old, now, value))


def _emptied(message: Message) -> Message:
    return Message(message.id, message.role, (), record=message.record, path=message.path)


def _insert(scribe: Scribe, desk: Desk) -> None:
    messages = desk.conversation.messages
    for i, message in enumerate(messages):
        if message.id in desk.after:
            continue
        follower = _follower(desk, messages[i + 1 :])
        host = follower or _host(desk)
        if not host.path:
            index = len(desk.sheet) if follower is None else host.record
            value = scribe.fresh(message, desk.sheet.value(host.record))
            desk.made[message.id] = value
            desk.fresh.setdefault(index, []).append(value)
            desk.sheet.insert(index, value)
            continue
        _insert_element(scribe, desk, message, host, host.path[-1] if follower else _END)


def _insert_element(
    scribe: Scribe, desk: Desk, message: Message, host: Message, index: str | int
) -> None:
    base = host.path[:-1]
    if message.is_summary:
        beside = scribe.beside(message, base[:-1], desk.sheet.value(host.record))
        if beside is not None:
            desk.sheet.change(host.record, beside)
            return
    near = desk.sheet.at(host.record, host.path)
    value = desk.made[message.id] = scribe.fresh(message, near)
    desk.sheet.change(host.record, Changes(inserts={(*base, index): [value]}))


def _follower(desk: Desk, messages: Sequence[Message]) -> Message | None:
    """The next message that stands in the file, past those beside the list."""
    old = {message.id: message for message in desk.before}
    place = _host(desk).path[:-1]
    found = (old.get(later.id) for later in messages)
    return next((m for m in found if m is not None and _stands(m) and m.path[:-1] == place), None)


def _stands(message: Message) -> bool:
    """Whether something can be put before a message: it is a record or an element of a list."""
    return not message.path or isinstance(message.path[-1], int)


def _host(desk: Desk) -> Message:
    """The last message in the list, to tell where that is.

    An answer may stand elsewhere, and so may the system prompt.
    """
    standing = [m for m in desk.before if _stands(m)]
    spoken = [m for m in standing if m.role is not Role.SYSTEM] or standing or list(desk.before)
    place = spoken[0].path[:-1]
    return next(m for m in reversed(spoken) if m.path[:-1] == place)
