"""Writes an edited rollout back: in place, or as Codex itself compacts, by a record at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from baodai.formats._copies import Copy, hide
from baodai.formats._items import fresh_item, item_changes
from baodai.formats._layouts import at
from baodai.formats._sheet import Changes, Sheet
from baodai.formats._writing import Desk, Plain, encode_units, folds, values_after
from baodai.model import Conversation, Message, Thinking

_RESULT_COPIES = ("stdout", "stderr", "aggregated_output", "formatted_output", "result", "changes")
_SAID_COPIES = ("message", "last_agent_message", "text")


def encode_rollout(conversation: Conversation) -> Iterator[bytes]:
    """The bytes of the session. A fold is appended; what stands before it stays as it was."""
    if not folds(conversation):
        yield from encode_units(_Scribe(), conversation)
        return
    sheet = Sheet(conversation.origin.records)
    sheet.insert(len(sheet), _compacted(conversation, sheet))
    yield from sheet.lines()


class _Scribe(Plain):
    """How items in envelopes are written."""

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of an item."""
        return item_changes(old, new, record)

    def fresh(self, message: Message, near: object) -> object:
        """A new item, in an envelope where its neighbour has one."""
        item = fresh_item(message)
        if not isinstance(at(near, ("payload",)), Mapping):
            return item
        stamp = at(near, ("timestamp",))
        return {"timestamp": stamp, "type": "response_item", "payload": item}

    def mend(self, desk: Desk) -> None:
        """Take the ids that point to reasoning that is gone, and hide the screen's copies."""
        unlink(desk)
        hide(desk, _copies(desk))


def unlink(desk: Desk) -> None:
    """An item whose reasoning is gone has no id: the API looks for the reasoning of an id."""
    before = desk.before
    for message, follower in pairwise(before):
        gone = desk.after[message.id] is None and isinstance(message.blocks[0], Thinking)
        if not gone or desk.after[follower.id] is None:
            continue
        base = follower.path or (("payload",) if _enveloped(desk, follower) else ())
        place = (*base, "id")
        if at(desk.sheet.value(follower.record), place) is not None:
            desk.sheet.remove(follower.record, place)


def _enveloped(desk: Desk, message: Message) -> bool:
    return isinstance(desk.sheet.at(message.record, ("payload",)), Mapping)


def _copies(desk: Desk) -> Iterator[Copy]:
    """Where events repeat results by their call's id, and texts word by word."""
    said = {m.text: m.id for m in desk.before if m.text}
    for index in range(len(desk.sheet)):
        if desk.sheet.at(index, ("type",)) != "event_msg":
            continue
        payload = desk.sheet.at(index, ("payload",))
        if not isinstance(payload, Mapping):
            continue
        call = payload.get("call_id")
        for key in _RESULT_COPIES if isinstance(call, str) else ():
            if payload.get(key):
                yield Copy(str(call), index, ("payload", key))
        for key in _SAID_COPIES:
            text = payload.get(key)
            if isinstance(text, str) and text in said:
                yield Copy(said[text], index, ("payload", key))


def _compacted(conversation: Conversation, sheet: Sheet) -> dict[str, object]:
    """The record of a compaction: the new context as it is sent, item by item."""
    history = values_after(_Scribe(), conversation, _item)
    summary = next(m for m in conversation.messages if m.is_summary and m.record < 0)
    stamps = (sheet.at(i, ("timestamp",)) for i in range(len(sheet) - 1, -1, -1))
    stamp = next((s for s in stamps if isinstance(s, str)), "1970-01-01T00:00:00.000Z")
    payload = {"message": summary.text, "replacement_history": history}
    return {"timestamp": stamp, "type": "compacted", "payload": payload}


def _item(record: object, message: Message) -> object:
    """The item of a message in its record; a summary without a history is its text."""
    if message.path == ("payload", "message"):
        return fresh_item(message)
    if message.path:
        return at(record, message.path)
    payload = at(record, ("payload",))
    return payload if isinstance(payload, dict) else record
