"""DeepSeek Harness sessions: an event log whose compactions name the events they shadow.

Streamed chunks mirror the message that they became; a tool's call is told in the message and as an
event of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._blocks import Shape, changed, is_json
from baodai.formats._copies import Copy, hide
from baodai.formats._dsh_read import read_events
from baodai.formats._layouts import at
from baodai.formats._sheet import Changes
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_folded, encode_units, folds
from baodai.jsonl import Record
from baodai.model import Conversation, Message, Path, Role, ToolCall

_CHUNKS = frozenset({"assistant/chunk", "text-chunks", "reasoning-chunks", "tool-call-chunks"})


@dataclass(frozen=True, slots=True)
class DeepSeekHarness(Plain):
    """The codec of the harness's session logs."""

    name: str = "dsh"
    title: str = "DeepSeek Harness sessions"
    carrier: str = "appended compaction events that name what they shadow"

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
        messages, aside, unknown = read_events(found)
        header = next((r.value for r in found if at(r.value, ("type",)) == "session"), None)
        folder, ident = at(header, ("cwd",)), at(header, ("id",))
        if messages or header is not None:
            around = Around(
                project=folder if isinstance(folder, str) else "",
                unknown=unknown,
                aside=tuple(aside),
                user_carrier=True,
            )
            named = ident if isinstance(ident, str) else source
            yield assembled(self.name, named, [r.raw for r in found], messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes with the edits; a fold is the harness's own events, which shadow others."""
        if folds(conversation):
            # What is folded stays in the file: what a compaction shadows is not read again.
            yield from encode_folded(self, conversation, _append, all_stay=True)
        else:
            yield from encode_units(self, conversation)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of an event."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new event at the time of its neighbour; its number is none of the harness's."""
        role = "assistant" if message.role is Role.ASSISTANT else "user"
        said: dict[str, object] = {
            "role": role,
            "content": [{"type": "text", "text": message.text}],
        }
        data: dict[str, object] = {"message": said} if role == "assistant" else said
        event = {"type": f"{role}/message", "seq": -1, "time": at(near, ("time",)), "data": data}
        return event | {"surfaceOp": "append"}

    def mend(self, desk: Desk) -> None:
        """Hide chunks of edited answers and the calls told twice."""
        steps = set()
        for old, _ in desk.edited:
            data = desk.sheet.at(old.record, ("data",))
            if old.role is Role.ASSISTANT:
                steps.add((at(data, ("turn",)), at(data, ("step",))))
        for index in range(len(desk.sheet)):
            step = tuple(desk.sheet.at(index, ("data", key)) for key in ("turn", "step"))
            if desk.sheet.at(index, ("type",)) in _CHUNKS and step in steps:
                desk.sheet.gone.add(index)
        hide(desk, _copies(desk))


def _append(desk: Desk, summary: Message, first: Message | None) -> None:
    """The three events of a compaction, numbered on from the last one."""
    del first
    kept = {m.id for m in desk.conversation.messages}
    gone = [m for m in desk.before if m.id not in kept]
    seqs = sorted({_number(desk, m.record, "seq") for m in gone})
    last = max(_number(desk, i, "seq") for i in range(len(desk.sheet)))
    time = max(_number(desk, i, "time") for i in range(len(desk.sheet)))
    data: dict[str, object] = {
        "summary": summary.text,
        "shadowedRange": [seqs[0], seqs[-1]] if seqs else [],
        "shadowedSeqs": seqs,
        "shadowedTokenCount": 0,
    }
    bodies: tuple[tuple[str, dict[str, object]], ...] = (
        ("start", {"trigger": "auto"}),
        ("summary", data),
        ("end", {}),
    )
    for number, (name, body) in enumerate(bodies, 1):
        event = {"type": f"compaction/{name}", "seq": last + number, "time": time, "data": body}
        desk.sheet.insert(len(desk.sheet), event)


def _number(desk: Desk, index: int, key: str) -> int:
    found = desk.sheet.at(index, (key,))
    return found if isinstance(found, int) else -1


def _copies(desk: Desk) -> Iterator[Copy]:
    for index in range(len(desk.sheet)):
        if desk.sheet.at(index, ("type",)) == "tool/call":
            call_id = desk.sheet.at(index, ("data", "callId"))
            yield Copy(str(call_id), index, ("data", "arguments"))
    for message in desk.before:
        for result in message.results:
            yield Copy(result.call_id, message.record, ("data", "meta"))


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return {(*old.path, "arguments"): new.arguments} if is_json(new.arguments) else {}


_SHAPE = Shape(_put_arguments)

FORMAT = DeepSeekHarness()
