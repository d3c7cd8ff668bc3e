"""Writes edited conversations of the Responses API back, wherever their items stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from baodai.formats._item_types import is_item
from baodai.formats._items_write import changes_of, fresh_item, mend_ids
from baodai.formats._layouts import at
from baodai.formats._sheet import Changes
from baodai.formats._sse import is_stream, response_in, rewritten
from baodai.formats._writing import Desk, Plain, Scribe, encode_units
from baodai.model import Block, Conversation, Message, Path, Role, ToolResult

_END = 1 << 30


def encode_responses(conversation: Conversation) -> Iterator[bytes]:
    """The bytes of the conversation's records with its edits in place."""
    yield from encode_units(_Items(), conversation, _put_in)


class _Items(Plain):
    """How items are written where they stand."""

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """What to write so that `old` says what `new` says; streams are rewritten at the end."""
        return Changes() if is_stream(at(record, old.path)) else changes_of(old, new, record)

    def fresh(self, message: Message, near: object) -> object:
        """A new item; a summary speaks as the developer."""
        del near
        return fresh_item(message, "developer" if message.is_summary else "")

    def mend(self, desk: Desk) -> None:
        """Ids without their reasoning, streams, joined texts."""
        streams = {
            (old.record, old.path)
            for old, _ in desk.edited
            if is_stream(desk.sheet.at(old.record, old.path))
        }
        mend_ids(desk)
        for record, path in streams:
            _restream(desk, record, path)
        _rejoin(desk)


def _put_in(scribe: Scribe, desk: Desk) -> None:
    """New messages before the next one that stands in a list, or behind the last one.

    Before the first item of an answer that is the end of its request.
    """
    old = {message.id: message for message in desk.before}
    messages = desk.conversation.messages
    for i, message in enumerate(messages):
        if message.id in old:
            continue
        follower = next(
            (old[m.id] for m in messages[i + 1 :] if m.id in old and _stands(desk, old[m.id])), None
        )
        host = follower or next(m for m in reversed(desk.before) if _stands(desk, m))
        item = scribe.fresh(message, None)
        if not host.path:
            index = len(desk.sheet) if follower is None else host.record
            desk.sheet.insert(index, item)
            continue
        place = (*host.path[:-1], host.path[-1] if follower else _END)
        if follower is not None and "output" in place[-2:]:
            place = _before_answer(desk, follower) or place
        desk.sheet.change(host.record, Changes(inserts={place: [item]}))


def _stands(desk: Desk, message: Message) -> bool:
    """Whether an item can be put beside a message."""
    if not message.path:
        return is_item(desk.sheet.value(message.record))
    return isinstance(message.path[-1], int)


def _before_answer(desk: Desk, follower: Message) -> Path | None:
    """The end of the request that an answer belongs to; none inside the answer."""
    own = [m for m in desk.before if m.path[:-1] == follower.path[:-1]]
    kept = [m for m in own if desk.after[m.id] is not None]
    if kept and kept[0].id != follower.id:
        return None
    asked = [
        m
        for m in desk.before
        if m.record == follower.record and m.path[-2:-1] == ("input",) and _stands(desk, m)
    ]
    return (*asked[-1].path[:-1], _END) if asked else None


def _restream(desk: Desk, record: int, path: Path) -> None:
    """A streamed answer told anew, with the items that changed."""
    if any(path == gone[: len(path)] for gone in _gone(desk, record)):
        return
    value = desk.sheet.value(record)
    text = at(value, path)
    if not isinstance(text, str):
        return
    items = response_in(text)["output"]
    changes = Changes()
    for old in desk.before:
        if (old.record, old.path) != (record, path):
            continue
        now = desk.after[old.id]
        first = old.blocks[0].path[: len(path) + 1]
        if now is None:
            if first[len(path) :] not in changes.removes:
                changes.removes.append(first[len(path) :])
        elif now != old:
            found = changes_of(_based(old, len(path)), _based(now, len(path)), items)
            changes.add(found)
    desk.sheet.put(record, path, rewritten(text, changes))


def _based(message: Message, depth: int) -> Message:
    """The message with paths from the list of its items on."""
    return replace(message, blocks=tuple(_lowered(block, depth) for block in message.blocks))


def _lowered(block: Block, depth: int) -> Block:
    if isinstance(block, ToolResult):
        parts = tuple(replace(part, path=part.path[depth:]) for part in block.parts)
        return replace(block, parts=parts, path=block.path[depth:])
    return replace(block, path=block.path[depth:])


def _gone(desk: Desk, record: int) -> Iterator[Path]:
    """Units that go whole."""
    units: dict[Path, bool] = {}
    for old in desk.before:
        if old.record == record:
            units[old.path] = units.get(old.path, False) or desk.after[old.id] is not None
    yield from (path for path, stays in units.items() if not stays and path)


def _rejoin(desk: Desk) -> None:
    """The text of an answer that a client joined from its items, beside them."""
    for old, now in desk.edited:
        if old.role is not Role.ASSISTANT or not old.text or old.path[-2:-1] != ("output",):
            continue
        place = (*old.path[:-2], "output_text")
        joined = desk.sheet.at(old.record, place)
        if isinstance(joined, str) and old.text in joined:
            text = "" if now is None else now.text
            desk.sheet.put(old.record, place, joined.replace(old.text, text))
