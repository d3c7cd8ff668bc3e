"""Writes an edited opencode session back.

A fold is written as opencode writes one, before the first message that stays: ids sort in time
there, so new ones are counted down from the id of the message they stand before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from baodai.formats._blocks import Shape, changed, object_changes
from baodai.formats._layouts import at
from baodai.formats._members import Members, list_at, members_at, text_at
from baodai.formats._opencode_view import compaction_part, folds
from baodai.formats._sheet import Changes
from baodai.formats._writing import Desk
from baodai.model import Conversation, Message, Path, Role, Text, ToolCall, ToolResult, Voice

_ID = re.compile(r"(?P<kind>[a-z]+)_(?P<time>[0-9a-f]{12})")
_END = 1 << 30
_ENVELOPE = ("mode", "agent", "variant", "path", "cost", "tokens", "modelID", "providerID", "time")
_ASKER = ("agent", "model", "time")


def shown(conversation: Conversation) -> Conversation:
    """The conversation without the messages that a new summary covers: they stay in the file."""
    origin = conversation.origin
    old = {message.id: i for i, message in enumerate(origin.messages)}
    kept = [old[m.id] for m in conversation.messages if m.id in old]
    if not kept or not any(m.is_summary and m.id not in old for m in conversation.messages):
        return conversation
    first = origin.messages[min(kept)]
    unit = [m.path == first.path for m in origin.messages].index(True)
    return replace(conversation, origin=replace(origin, messages=origin.messages[unit:]))


class Scribe:
    """How opencode's messages are written."""

    def __init__(self, conversation: Conversation, value: object) -> None:
        self._elements = list_at(value, "messages")
        self._session = text_at(value, "info", "id")
        self._model = conversation.model
        old = {m.id: m for m in conversation.origin.messages}
        self._ids = dict(_numbered(conversation.messages, old, self._elements))
        self._kept = [old[m.id] for m in conversation.messages if m.id in old]
        self._folds = any(m.is_summary and m.id not in old for m in conversation.messages)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """What to write so that `old` says what `new` says, copies of outputs included."""
        changes = changed(old, new, record, _SHAPE)
        self._own_shape(changes, old, record)
        later = {block.path: block for block in new.blocks}
        for block in old.blocks:
            now = later.get(block.path)
            if now is None or now == block or not isinstance(block, ToolCall | ToolResult):
                continue
            state = (*block.path, "state")
            if at(record, (*state, "time", "compacted")) is not None:
                changes.removes.append((*state, "time", "compacted"))
            if members_at(record, *state, "metadata"):
                changes.puts[(*state, "metadata")] = {}
            title = text_at(record, *state, "title")
            if isinstance(now, ToolCall) and title and title not in now.arguments:
                changes.puts[(*state, "title")] = ""
        return changes

    def _own_shape(self, changes: Changes, old: Message, record: object) -> None:
        """Texts that were not there are parts with ids of their own."""
        info = members_at(record, *old.path, "info")
        for path, value in changes.puts.items():
            if path[-2:-1] == ("parts",) and isinstance(value, dict):
                was = members_at(record, *path)
                ids = {k: was[k] for k in ("id", "sessionID", "messageID") if k in was}
                changes.puts[path] = {**value, **ids}
        for path, values in changes.inserts.items():
            if path[-2:-1] == ("parts",):
                ident = text_at(info, "id")
                texts = [text_at(value, "text") for value in values]
                changes.inserts[path] = [self._part(text, ident) for text in texts]

    def fresh(self, message: Message, near: object) -> object:
        """A new message, with the agent and the model of its neighbours."""
        ident = self._ids[message.id][-1]
        said = message.text
        if message.role is Role.ASSISTANT:
            return self._answer(ident, said, near, {"finish": "stop"})
        voices = {block.voice for block in message.blocks if isinstance(block, Text)}
        made: dict[str, object] = {} if Voice.HUMAN in voices else {"synthetic": True}
        part = self._part(said, ident)
        return self._asked(ident, [{**part, **made}], near)

    def beside(self, message: Message, base: Path, request: object) -> Changes | None:
        """A fold: the request for a compaction and the summary that answers it."""
        del base, request
        asker, ident = self._ids[message.id]
        place: int = _END
        near: object = self._elements[-1]
        if self._kept:
            place = _index(self._kept[0])
            near = self._elements[place]
        part = {"type": "compaction", "auto": False, **self._part_ids(asker, "compaction")}
        asked = self._asked(asker, [part], near)
        marks: dict[str, object] = {"summary": True, "mode": "compaction", "agent": "compaction"}
        answer = self._answer(
            ident, message.text, near, {**marks, "parentID": asker, "finish": "stop"}
        )
        return Changes(inserts={("messages", place): [asked, answer]})

    def mend(self, desk: Desk) -> None:
        """Older compactions behind a new one go; links to messages that went move on."""
        record = desk.before[0].record
        units: dict[int, list[bool]] = {}
        for old in desk.before:
            units.setdefault(_index(old), []).append(desk.after[old.id] is None)
        gone = {i for i, dropped in units.items() if all(dropped)}
        found = folds(self._elements)
        if self._folds and self._kept:
            first = _index(self._kept[0])
            pairs = {i for f in found for i in (f.marker, f.summary) if i > first} - gone
            for i in pairs:
                desk.sheet.remove(record, ("messages", i))
            gone |= pairs
        for fold in found:
            self._move_tail(desk, record, fold.marker, gone)
        self._move_parents(desk, record, gone)
        self._hide_diffs(desk, record)

    def _move_tail(self, desk: Desk, record: int, marker: int, gone: set[int]) -> None:
        """A kept tail begins with the next message that stays."""
        part = compaction_part(self._elements[marker])
        names = [text_at(e, "info", "id") for e in self._elements]
        tail = text_at(part, "tail_start_id")
        if marker in gone or tail not in names or names.index(tail) not in gone:
            return
        later = (i for i in range(names.index(tail), marker + 1) if i not in gone)
        places = list_at(self._elements[marker], "parts")
        j = next(j for j, found in enumerate(places) if found is part)
        path = ("messages", marker, "parts", j, "tail_start_id")
        desk.sheet.put(record, path, names[next(later)])

    def _move_parents(self, desk: Desk, record: int, gone: set[int]) -> None:
        names = {text_at(self._elements[i], "info", "id") for i in gone}
        asker = ""
        for i, element in enumerate(self._elements):
            info = members_at(element, "info")
            if i in gone:
                continue
            if info.get("role") == "user":
                asker = text_at(info, "id")
            elif asker and text_at(info, "parentID") in names:
                desk.sheet.put(record, ("messages", i, "info", "parentID"), asker)

    def _hide_diffs(self, desk: Desk, record: int) -> None:
        """A prompt keeps the changes of files that its answers made, their text included."""
        touched = {_index(old) for old, _ in desk.edited if old.calls or old.results}
        asked = {text_at(self._elements[i], "info", "parentID") for i in touched}
        for i, element in enumerate(self._elements):
            named = text_at(element, "info", "id") in asked
            if named and list_at(element, "info", "summary", "diffs"):
                desk.sheet.put(record, ("messages", i, "info", "summary", "diffs"), [])

    def _asked(self, ident: str, parts: list[object], near: object) -> Members:
        envelope = self._like("user", near, _ASKER)
        created = at(near, ("info", "time", "created")) or 0
        envelope["time"] = {"created": created}
        info = {"role": "user", **envelope, "id": ident, "sessionID": self._session}
        return {"info": info, "parts": parts}

    def _answer(self, ident: str, text: str, near: object, marks: Members) -> Members:
        envelope = self._like("assistant", near, _ENVELOPE)
        created = at(near, ("info", "time", "created")) or 0
        none = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        envelope |= {"cost": 0, "tokens": none, "time": {"created": created, "completed": created}}
        envelope.setdefault("modelID", self._model)
        parent = text_at(near, "info", "parentID") or text_at(near, "info", "id")
        info: dict[str, object] = {"role": "assistant", "parentID": parent, **envelope, **marks}
        info |= {"id": ident, "sessionID": self._session}
        return {"info": info, "parts": [self._part(text, ident)]}

    def _like(self, role: str, near: object, keys: Sequence[str]) -> dict[str, object]:
        """What the nearest message of that role says of its agent and model."""
        infos = [members_at(e, "info") for e in (near, *self._elements)]
        info = next((i for i in infos if i.get("role") == role and "summary" not in i), {})
        info = info or next((i for i in infos if i.get("role") == role), {})
        return {key: info[key] for key in keys if key in info}

    def _part(self, text: str, message: str) -> dict[str, object]:
        return {"type": "text", "text": text, **self._part_ids(message, text)}

    def _part_ids(self, message: str, seed: str) -> dict[str, object]:
        found = _ID.match(message)
        ident = f"prt_{found.group('time') if found else '0' * 12}{_digest(message + seed)}"
        return {"id": ident, "sessionID": self._session, "messageID": message}


def _numbered(
    messages: Sequence[Message], old: Mapping[str, Message], elements: Sequence[object]
) -> Iterator[tuple[str, list[str]]]:
    """Ids for new messages: below that of the message they stand before, else above the last."""
    waiting: list[Message] = []
    for message in (*messages, None):
        if message is not None and message.id not in old:
            waiting.append(message)
            continue
        if message is None and not waiting:
            return
        near = elements[-1] if message is None else elements[_index(old[message.id])]
        slots = [m for m in waiting for _ in range(2 if m.is_summary else 1)]
        start = 1 if message is None else -len(slots)
        ids = [_shifted(text_at(near, "info", "id"), start + n) for n in range(len(slots))]
        for m in waiting:
            yield m.id, [i for slot, i in zip(slots, ids, strict=True) if slot is m]
        waiting = []


def _shifted(ident: str, by: int) -> str:
    found = _ID.match(ident)
    time = int(found.group("time"), 16) + by if found else 0
    return f"msg_{max(time, 0):012x}{_digest(f'{ident} {by}')}"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=7).hexdigest()


def _index(message: Message) -> int:
    place = message.path[1]
    return place if isinstance(place, int) else 0


def _put_input(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return object_changes(old.arguments, new.arguments, (*old.path, "state", "input"))


_SHAPE = Shape(_put_input, content="parts", output="output")
