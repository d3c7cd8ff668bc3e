"""DeepSeek Harness sessions: an event log, of which a surface of messages is what the model reads.

Streamed chunks mirror the message that they became; a tool's call is told in the message and as an
event of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._blocks import Shape, changed, is_json
from baodai.formats._copies import Copy, hide
from baodai.formats._dsh_read import read_events
from baodai.formats._dsh_write import surface
from baodai.formats._layouts import at
from baodai.formats._links import fresh_uuid
from baodai.formats._sheet import Changes
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_log
from baodai.jsonl import Record
from baodai.model import Conversation, Message, Path, Role, ToolCall

_CHUNKS = frozenset({"assistant/chunk", "text-chunks", "reasoning-chunks", "tool-call-chunks"})
_PIECES: tuple[Path, ...] = (
    ("text",),
    ("argumentsDelta",),
    ("block", "text"),
    ("block", "arguments"),
)
"""Where a chunk keeps words of the answer, whole ones at the end of a block."""


@dataclass(frozen=True, slots=True)
class DeepSeekHarness(Plain):
    """The codec of the harness's session logs."""

    name: str = "dsh"
    title: str = "DeepSeek Harness sessions"
    carrier: str = (
        "a user message at the end that replaces what it stands for, between compaction events"
    )

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure of the session's header, and of events with a number and a slash in their type."""
        for record in head:
            value = record.value
            if not isinstance(value, Mapping):
                continue
            opens = value.get("type") == "session" and {"createdAt", "delegationDepth"} & set(value)
            event = "/" in str(value.get("type")) and isinstance(value.get("seq"), int)
            if opens or event:
                return 0.97
        return 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The one conversation of a session."""
        found = list(records)
        if not found:
            return
        log = read_events(found)
        header = next((r.value for r in found if at(r.value, ("type",)) == "session"), None)
        folder, ident = at(header, ("cwd",)), at(header, ("id",))
        if log.messages or header is not None:
            around = Around(
                tools=log.tools,
                project=folder if isinstance(folder, str) else "",
                unknown=log.unknown,
                aside=tuple(log.aside),
                user_carrier=True,
            )
            named = ident if isinstance(ident, str) else source
            yield assembled(self.name, named, [r.raw for r in found], log.messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes with the edits; what comes and goes is told by events at the end."""
        yield from encode_log(self, conversation, surface)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of an event."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new event at the time of its neighbour; its number is none of the harness's."""
        role = "assistant" if message.role is Role.ASSISTANT else "user"
        said: dict[str, object] = {
            "content": [{"type": "text", "text": message.text}],
            "source": {"kind": "plugin", "plugin": "baodai"},
            "role": role,
            "id": fresh_uuid(message, near),
        }
        data: dict[str, object] = {"message": said} if role == "assistant" else said
        event = {"type": f"{role}/message", "seq": -1, "time": at(near, ("time",)), "data": data}
        return event | {"surfaceOp": "append"}

    def mend(self, desk: Desk) -> None:
        """Hide chunks of edited answers, calls told twice, summaries told beside their message."""
        steps = set()
        summaries: dict[object, str] = {}
        for old, now in desk.edited:
            data = desk.sheet.at(old.record, ("data",))
            if old.role is Role.ASSISTANT:
                steps.add((at(data, ("turn",)), at(data, ("step",))))
            if old.is_summary and now is not None:
                summaries[at(data, ("source", "compactionId"))] = now.text
        for index in range(len(desk.sheet)):
            kind = desk.sheet.at(index, ("type",))
            step = tuple(desk.sheet.at(index, ("data", key)) for key in ("turn", "step"))
            if kind in _CHUNKS and step in steps:
                _blank(desk, index)
            ident = desk.sheet.at(index, ("data", "compactionId"))
            if kind == "compaction/summary" and ident in summaries:
                said = [{"type": "text", "text": summaries[ident]}]
                desk.sheet.put(index, ("data", "summary"), said)
        hide(desk, _copies(desk))


def _blank(desk: Desk, index: int) -> None:
    """Take the words out of chunks, which keep their numbers."""
    for key in ("texts", "args"):
        pieces = desk.sheet.at(index, ("data", key))
        if isinstance(pieces, list):
            desk.sheet.put(index, ("data", key), [""] * len(pieces))
    for path in _PIECES:
        if isinstance(desk.sheet.at(index, ("data", "chunk", *path)), str):
            desk.sheet.put(index, ("data", "chunk", *path), "")


def _copies(desk: Desk) -> Iterator[Copy]:
    for index in range(len(desk.sheet)):
        kind = desk.sheet.at(index, ("type",))
        if kind == "tool/call":
            call_id = desk.sheet.at(index, ("data", "callId"))
            yield Copy(str(call_id), index, ("data", "arguments"), call=True)
    for message in desk.before:
        for result in message.results:
            yield Copy(result.call_id, message.record, ("data", "meta"))


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return {(*old.path, "arguments"): new.arguments} if is_json(new.arguments) else {}


_SHAPE = Shape(_put_arguments)

FORMAT = DeepSeekHarness()
