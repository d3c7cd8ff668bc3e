"""Writes an edited Codex session back.

Without a new summary, items are changed where they stand. With one, it is done as Codex itself
compacts: what stands stays, and a `compacted` line with the whole new history is appended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from uuid import NAMESPACE_URL, uuid5

from baodai.formats._codex_mirrors import hide
from baodai.formats._codex_rows import Kind, Row, row_of
from baodai.formats._codex_view import HISTORY
from baodai.formats._items_write import bereft, changes_of, fresh_item, item_path, mend_ids
from baodai.formats._layouts import at
from baodai.formats._sheet import Changes, Sheet
from baodai.formats._writing import Desk, Plain, Scribe, encode_units, untouched
from baodai.jsonl import loads, splice
from baodai.model import Conversation, Message, Path

MEASURE = "baodai"
"""The member of a line's payload that keeps our measure; Codex reads past what it does not know."""

_SPACE = uuid5(NAMESPACE_URL, "baodai:codex-rollout")


def encode_rollout(conversation: Conversation) -> Iterator[bytes]:
    """The bytes of a session with its edits."""
    old = {message.id for message in conversation.origin.messages}
    summary = next((m for m in conversation.messages if m.is_summary and m.id not in old), None)
    if summary is None or untouched(conversation):
        yield from encode_units(_InPlace(conversation), conversation, _put_in)
    else:
        yield from _Fold(conversation).lines()


def rows_of(sheet: Sheet) -> list[Row]:
    """The rows of the records on a sheet."""
    return [row_of(i, i + 1, sheet.value(i)) for i in range(len(sheet))]


class _InPlace(Plain):
    """Edits in place: an item in its line, or in the history that a compaction left."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """What to write so that `old` says what `new` says."""
        return changes_of(old, new, record)

    def fresh(self, message: Message, near: object) -> object:
        """A new item, in an envelope like that of the line `near`."""
        item = fresh_item(message, _speaker(message))
        if not isinstance(near, Mapping) or "payload" not in near:
            return item
        return {"timestamp": near.get("timestamp"), "type": "response_item", "payload": item}

    def mend(self, desk: Desk) -> None:
        """Ids without their reasoning, the copies in events, the measure."""
        rows = rows_of(desk.sheet)
        mend_ids(desk)
        hide(desk, rows)
        measure = self._conversation.measure
        first = next((row for row in rows if row.kind is Kind.META), None)
        if measure is not None and first is not None:
            latest = [row for row in rows if row.kind is Kind.COMPACTED] or [first]
            row = latest[-1]
            desk.sheet.put(row.index, (*row.base, MEASURE), asdict(measure))


def _speaker(message: Message) -> str:
    """A summary speaks as the user, as Codex's own do."""
    return "user" if message.is_summary else ""


def _put_in(scribe: Scribe, desk: Desk) -> None:
    """New messages before the next one that stands in the file, or at its end."""
    old = {message.id: message for message in desk.before}
    messages = desk.conversation.messages
    last = max((m.record for m in desk.before), default=0)
    for i, message in enumerate(messages):
        if message.id in old:
            continue
        follower = next((old[m.id] for m in messages[i + 1 :] if m.id in old), None)
        if follower is None or not follower.path:
            index = len(desk.sheet) if follower is None else follower.record
            near = last if follower is None else follower.record
            desk.sheet.insert(index, scribe.fresh(message, desk.sheet.value(near)))
        else:
            item = fresh_item(message, _speaker(message))
            desk.sheet.change(follower.record, Changes(inserts={follower.path: [item]}))


class _Fold:
    """A new history, appended."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        origin = conversation.origin
        kept = {message.id: message for message in conversation.messages}
        self._old = {message.id: message for message in origin.messages}
        after = {key: kept.get(key) for key in self._old}
        self._desk = Desk(Sheet(origin.records, _sample(origin.records)), conversation, after)
        self._rows = rows_of(self._desk.sheet)
        self._bereft = {message.id for message in bereft(self._desk)}

    def lines(self) -> Iterator[bytes]:
        """The file as it is, then what Codex writes when it compacts."""
        sheet = self._desk.sheet
        stamp = next((row.stamp for row in reversed(self._rows) if row.stamp), "")
        end = len(sheet)
        payload: dict[str, object] = {"message": "", HISTORY: list(self._history())}
        payload |= self._window()
        if self._conversation.measure is not None:
            payload[MEASURE] = asdict(self._conversation.measure)
        sheet.insert(end, {"timestamp": stamp, "type": "compacted", "payload": payload})
        turn = next((row for row in reversed(self._rows) if row.kind is Kind.TURN), None)
        if turn is not None:
            # It tells Codex that the history holds the context this turn was given.
            raw = self._conversation.origin.records[turn.index]
            sheet.insert(end, splice(raw, {("timestamp",): stamp}))
        event = {"type": "context_compacted"}
        sheet.insert(end, {"timestamp": stamp, "type": "event_msg", "payload": event})
        return sheet.lines()

    def _history(self) -> Iterator[object]:
        """All items of the new context; the instructions are no item."""
        for place, group in groupby(self._conversation.messages, self._place):
            messages = list(group)
            if place is None:
                yield from (fresh_item(m, _speaker(m)) for m in messages)
            elif self._rows[place[0]].kind is not Kind.META:
                yield self._item(place, messages)

    def _place(self, message: Message) -> tuple[int, Path] | None:
        """Where a message's item stands; two of one item stand beside each other."""
        old = self._old.get(message.id)
        if old is None or old.path[-1:] == ("message",):
            return None
        return old.record, old.path or self._rows[old.record].base

    def _item(self, place: tuple[int, Path], messages: Sequence[Message]) -> object:
        record, path = place
        value = self._desk.sheet.value(record)
        changes = Changes()
        for now in messages:
            old = self._old[now.id]
            if now != old:
                changes.add(changes_of(old, now, value))
            if old.id in self._bereft and at(value, (*item_path(old), "id")) is not None:
                changes.removes.append((*item_path(old), "id"))
        if not (changes.puts or changes.removes or changes.inserts):
            return at(value, path)
        raw = self._conversation.origin.records[record]
        new = splice(raw, changes.puts, removes=changes.removes, inserts=changes.inserts)
        return at(loads(new), path)

    def _window(self) -> dict[str, object]:
        """The number and the ids of the context window, where this session counts them."""
        before = [row.payload for row in self._rows if row.kind is Kind.COMPACTED]
        if not before:
            return {}
        number, window = before[-1].get("window_number"), before[-1].get("window_id")
        if isinstance(window, int):
            return {"window_id": window + 1}
        if not isinstance(number, int) or not isinstance(window, str):
            return {}
        return {
            "window_number": number + 1,
            "first_window_id": before[-1].get("first_window_id"),
            "previous_window_id": window,
            "window_id": str(uuid5(_SPACE, f"{window}\0{len(self._rows)}")),
        }


def _sample(records: Sequence[bytes]) -> int:
    """The record whose style new ones take: the last item."""
    return next((i for i in reversed(range(len(records))) if b"response_item" in records[i]), 0)
