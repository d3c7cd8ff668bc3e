"""Qwen Code sessions: a tree of records, each with the exact content that the API takes.

There is no public file; the shape is that of the program. A system record of its own holds the
compressed history that replaces what stands before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._copies import Copy, hide
from baodai.formats._layouts import at
from baodai.formats._links import branch, fresh_uuid, relink
from baodai.formats._parts import fresh_content, is_content, part_changes, read_content, usage_of
from baodai.formats._sheet import Changes, Sheet
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_units, folds, values_after
from baodai.jsonl import Record
from baodai.model import Conversation, Message, Path, Role

_HISTORY: Path = ("systemPayload", "compressedHistory")
_COMPRESSED = "chat_compression"


@dataclass(frozen=True, slots=True)
class QwenCode(Plain):
    """The codec of Qwen Code's chat recordings."""

    name: str = "qwen-code"
    title: str = "Qwen Code sessions"
    carrier: str = "an appended chat_compression record with the new history"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where records of a tree hold contents with parts."""
        for record in head:
            value = record.value
            tree = isinstance(value, Mapping) and {"uuid", "sessionId"} <= value.keys()
            if tree and isinstance(at(value, ("message", "parts")), list):
                return 0.97
        return 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The branch that the newest record stands on."""
        found = list(records)
        chosen = _branch(found)
        messages: list[Message] = []
        aside: list[Message] = []
        unknown: dict[str, int] = {}
        for index, record in enumerate(found):
            value = record.value
            if not isinstance(value, Mapping):
                continue
            if isinstance(at(value, _HISTORY), list):
                aside.extend(replace(m, blocks=()) for m in messages if m.usage is not None)
                messages = list(_compressed(index, record.number, value))
            elif is_content(value.get("message")):
                here = at(value, ("uuid",)) in chosen
                (messages if here else aside).append(_message(index, record.number, value))
            elif value.get("type") != "system":
                kind = str(value.get("type", "record"))
                unknown[kind] = unknown.get(kind, 0) + 1
        first = next((r.value for r in found if isinstance(r.value, Mapping)), {})
        if not messages:
            return
        around = Around(
            rules="google",
            project=str(at(first, ("cwd",)) or ""),
            unknown=unknown,
            aside=tuple(replace(m, blocks=()) for m in aside if m.usage is not None),
            user_carrier=True,
        )
        ident = str(at(first, ("sessionId",)) or source)
        raws = [record.raw for record in found]
        yield assembled(self.name, ident, raws, [m for m in messages if m.blocks], around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes with the edits; a fold is appended as the program's own record of one."""
        if not folds(conversation):
            yield from encode_units(self, conversation)
            return
        sheet = Sheet(conversation.origin.records)
        last = next(
            (v for i in range(len(sheet) - 1, -1, -1) if at(v := sheet.value(i), ("uuid",))), None
        )
        envelope = dict(last) if isinstance(last, Mapping) else {}
        for key in ("message", "usageMetadata", "toolCallResult", "model", "systemPayload"):
            envelope.pop(key, None)
        summary = next(m for m in conversation.messages if m.is_summary)
        history = values_after(self, conversation, _content_of)
        envelope |= {
            "uuid": fresh_uuid(summary, last),
            "parentUuid": at(last, ("uuid",)),
            "type": "system",
            "subtype": _COMPRESSED,
            "systemPayload": {"info": {}, "compressedHistory": history},
        }
        sheet.insert(len(sheet), envelope)
        yield from sheet.lines()

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a content."""
        return part_changes(_inside(old), new, record)

    def fresh(self, message: Message, near: object) -> object:
        """A new record in the envelope of its neighbour; a content inside a history."""
        content = fresh_content(message)
        if not isinstance(near, Mapping) or "uuid" not in near:
            return content
        envelope = dict(near)
        for key in ("usageMetadata", "toolCallResult"):
            envelope.pop(key, None)
        kind = "assistant" if message.role is Role.ASSISTANT else "user"
        return envelope | {"uuid": fresh_uuid(message, near), "type": kind, "message": content}

    def mend(self, desk: Desk) -> None:
        """Mend the links and hide what the screen shows."""
        copies = (
            Copy(result.call_id, message.record, ("toolCallResult", "resultDisplay"))
            for message in desk.before
            for result in message.results
        )
        hide(desk, copies)
        relink(desk, "uuid", "parentUuid")


def _inside(message: Message) -> Message:
    """The message with the place of its content, for a record of its own."""
    return message if message.path else replace(message, path=("message",))


def _content_of(record: object, message: Message) -> object:
    return at(record, message.path or ("message",))


def _branch(records: Sequence[Record]) -> set[str]:
    ids = {
        str(at(r.value, ("uuid",))): at(r.value, ("parentUuid",))
        for r in records
        if isinstance(at(r.value, ("uuid",)), str)
    }
    known = {key: parent if isinstance(parent, str) else None for key, parent in ids.items()}
    return branch(known, next(reversed(known), ""))


def _compressed(index: int, line: int, value: Mapping[str, object]) -> Iterator[Message]:
    history = at(value, _HISTORY)
    for i, content in enumerate(history if isinstance(history, list) else ()):
        path: Path = (*_HISTORY, i)
        yield read_content(content, Message(f"{line}.{i}", Role.USER, (), line, index, path), path)


def _message(index: int, line: int, value: Mapping[str, object]) -> Message:
    stamp, model = at(value, ("timestamp",)), at(value, ("model",))
    place = Message(str(line), Role.USER, (), line, index, timestamp=str(stamp or ""))
    read = read_content(value.get("message"), place, ("message",))
    if read.role is not Role.ASSISTANT:
        return read
    return replace(read, model=str(model or ""), usage=usage_of(value.get("usageMetadata")))


FORMAT = QwenCode()
