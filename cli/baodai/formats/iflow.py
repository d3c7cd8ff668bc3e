"""iFlow CLI sessions: Claude Code's envelope around messages that repeat the calls still open.

A result is an object around a function response, with the text that the screen shows beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._blocks import changed
from baodai.formats._copies import Copy, hide
from baodai.formats._harness import with_spoken
from baodai.formats._layouts import at
from baodai.formats._links import fresh_uuid, relink
from baodai.formats._parts import response_parts
from baodai.formats._sheet import Changes
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_units
from baodai.formats.anthropic_messages import SHAPE, blocks_of, usage_of
from baodai.jsonl import Record
from baodai.model import Block, Conversation, Message, Path, Role, ToolCall, ToolResult

_RESPONSE: Path = ("content", "responseParts", "functionResponse", "response")


@dataclass(frozen=True, slots=True)
class IFlow(Plain):
    """The codec of iFlow's session files."""

    name: str = "iflow"
    title: str = "iFlow CLI sessions"
    carrier: str = "a marked first user record"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where sessions are named by the word."""
        named = (at(record.value, ("sessionId",)) for record in head)
        return 0.97 if any(isinstance(n, str) and n.startswith("session-") for n in named) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The one conversation of a session, in the order of the file."""
        raws: list[bytes] = []
        messages: list[Message] = []
        unknown: dict[str, int] = {}
        calls: set[str] = set()
        session = project = ""
        for index, record in enumerate(records):
            raws.append(record.raw)
            value = record.value
            if not isinstance(value, Mapping):
                continue
            session = session or str(value.get("sessionId", ""))
            project = project or str(value.get("cwd") or "")
            if isinstance(at(value, ("message", "role")), str):
                message = _message(index, record.number, value, calls)
                if message.blocks and value.get("isSidechain") is not True:
                    messages.append(message)
            else:
                kind = str(value.get("type", "record"))
                unknown[kind] = unknown.get(kind, 0) + 1
        if messages:
            around = Around(rules="anthropic", project=project, unknown=unknown, user_carrier=True)
            yield assembled(self.name, session or source, raws, messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the session with its edits."""
        yield from encode_units(self, conversation)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a record's message."""
        return changed(old, new, record, SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new record in the envelope of its neighbour."""
        kind = "assistant" if message.role is Role.ASSISTANT else "user"
        said: object = message.text
        if kind == "assistant":
            said = [{"type": "text", "text": message.text}]
        envelope = dict(near) if isinstance(near, Mapping) else {}
        envelope.pop("toolUseResult", None)
        envelope |= {"uuid": fresh_uuid(message, near), "type": kind}
        return envelope | {"message": {"role": kind, "content": said}}

    def mend(self, desk: Desk) -> None:
        """Mend the links, take out repeated calls of what is gone, hide what the screen shows."""
        gone = {c.id for old, now in desk.edited if now is None for c in old.calls}
        for index in range(len(desk.sheet)):
            content = desk.sheet.at(index, ("message", "content"))
            repeated = [
                i
                for i, item in enumerate(content if isinstance(content, list) else ())
                if at(item, ("type",)) == "tool_use" and at(item, ("id",)) in gone
            ]
            if repeated and index not in desk.sheet.gone:
                if isinstance(content, list) and len(repeated) == len(content):
                    desk.sheet.gone.add(index)
                else:
                    changes = Changes(removes=[("message", "content", i) for i in repeated])
                    desk.sheet.change(index, changes)
        hide(desk, _copies(desk.before))
        relink(desk, "uuid", "parentUuid")


def _copies(messages: Sequence[Message]) -> Iterator[Copy]:
    for message in messages:
        for result in message.results:
            yield Copy(result.call_id, message.record, (*result.path, "content", "resultDisplay"))
            yield Copy(result.call_id, message.record, ("toolUseResult",))


def _message(index: int, line: int, value: Mapping[str, object], calls: set[str]) -> Message:
    role = Role.ASSISTANT if at(value, ("message", "role")) == "assistant" else Role.USER
    content = at(value, ("message", "content"))
    blocks: list[Block] = []
    for block in blocks_of(content, ("message", "content"), role):
        match block:
            case ToolCall() if block.id in calls:
                continue  # a record repeats the calls of the one before that are still open
            case ToolCall():
                calls.add(block.id)
            case ToolResult():
                block = _result(block, at(value, block.path))  # noqa: PLW2901 - read further
        blocks.append(block)
    group = at(value, ("message", "id"))
    model, stamp = at(value, ("message", "model")), at(value, ("timestamp",))
    usage = usage_of(at(value, ("message", "usage")))
    message = Message(
        f"{line}",
        role,
        tuple(blocks),
        line,
        index,
        timestamp=str(stamp or ""),
    )
    if role is Role.USER:
        return message
    return replace(
        message,
        group=str(group or ""),
        model=str(model or ""),
        usage=usage if usage and usage.input + usage.output else None,
    )


def _result(result: ToolResult, item: object) -> ToolResult:
    """The text of the function response inside a result."""
    place = (*result.path, *_RESPONSE)
    said = at(item, _RESPONSE)
    if said is None:
        return result
    parts, failed = response_parts(said, place)
    return with_spoken(replace(result, parts=parts, is_error=result.is_error or failed))


FORMAT = IFlow()
