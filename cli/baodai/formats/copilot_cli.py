"""Copilot CLI sessions: events, of which a few are what the model reads.

A prompt is kept as it was typed and as it was sent; an output as the model read it and in detail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._blocks import Shape, changed, object_changes
from baodai.formats._copies import Copy, hide
from baodai.formats._events import Events
from baodai.formats._harness import with_spoken
from baodai.formats._layouts import at
from baodai.formats._links import fresh_uuid, relink
from baodai.formats._sheet import Changes
from baodai.formats._writing import Desk, Plain
from baodai.heading import summary_range
from baodai.jsonl import dumps, loads
from baodai.model import (
    Block,
    Message,
    Opaque,
    Path,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    Voice,
)

_SILENT = (
    "session.", "hook.", "tool.execution_start", "assistant.turn", "subagent.", "abort",
    "tool.user_requested", "skill.", "assistant.usage", "permission.", "model.",
)  # fmt: skip
_REASONING = ("reasoningText", "reasoningOpaque", "encryptedContent")
_SHOWN = 80
"""Characters of a removed text that are looked for in what hooks were given."""
_TOLD = 12
"""Characters below which a text is found everywhere."""
_GIVEN: Mapping[str, tuple[Path, ...]] = {
    "hook.start": (("data", "input"),),
    "permission.requested": (("data", "permissionRequest"), ("data", "promptRequest")),
}
"""Where an event repeats what a tool or a prompt says."""


class _Scribe(Plain):
    """How its events are written."""

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of an event; reasoning goes in all the forms it is kept in."""
        changes = changed(old, new, record, _SHAPE)
        thought = ("data", "reasoningText")
        if thought in changes.removes:
            places = [("data", key) for key in _REASONING]
            changes.removes = [path for path in changes.removes if path != thought]
            changes.removes += [place for place in places if at(record, place) is not None]
        return changes

    def fresh(self, message: Message, near: object) -> object:
        """A new event beside its neighbour."""
        kinds = {Role.ASSISTANT: "assistant.message", Role.USER: "user.message"}
        kind = "system.message" if message.is_summary else kinds.get(message.role, "system.message")
        data: dict[str, object] = {"content": message.text}
        if kind == "system.message":
            data = {"role": "system", **data}
        if kind == "assistant.message":
            data |= {"messageId": fresh_uuid(message, near), "toolRequests": []}
        envelope = dict(near) if isinstance(near, Mapping) else {}
        return envelope | {"type": kind, "data": data, "id": fresh_uuid(message, near)}

    def mend(self, desk: Desk) -> None:
        """Hide details, arguments and what hooks were given; mend the links."""
        hide(desk, _copies(desk))
        _hide_hooks(desk)
        relink(desk, "id", "parentId")


def _copies(desk: Desk) -> Iterator[Copy]:
    for message in desk.before:
        for result in message.results:
            yield Copy(result.call_id, message.record, ("data", "result", "detailedContent"))
            yield Copy(result.call_id, message.record, ("data", "toolTelemetry"))
        yield Copy(message.id, message.record, ("data", "content"))
    for index in range(len(desk.sheet)):
        if desk.sheet.at(index, ("type",)) == "tool.execution_start":
            call_id = desk.sheet.at(index, ("data", "toolCallId"))
            yield Copy(str(call_id), index, ("data", "arguments"), call=True)


def _hide_hooks(desk: Desk) -> None:
    """Hooks and requests for permission get outputs, arguments and prompts under other names."""
    texts = {text[:_SHOWN] for old, now in desk.edited for text in _gone(old, now)}
    needles = [dumps(text).decode()[1:-1] for text in texts if len(text.strip()) >= _TOLD]
    for index in range(len(desk.sheet)):
        for path in _GIVEN.get(str(desk.sheet.at(index, ("type",))), ()):
            said = _as_text(desk.sheet.at(index, path)) if needles else ""
            if any(needle in said for needle in needles):
                desk.sheet.remove(index, path)


def _as_text(value: object) -> str:
    """A value as JSON text; arguments that stand as JSON inside it are opened."""
    given = value if isinstance(value, Mapping) else {}
    inner = given.get("toolArgs")
    return dumps(value).decode() + (inner if isinstance(inner, str) else "")


def _gone(old: Message, now: Message | None) -> Iterator[str]:
    """The texts of a message that it says no more, those inside of arguments too."""
    kept = () if now is None else now.blocks
    for block in old.blocks:
        match block:
            case _ if block in kept:
                continue
            case Text():
                yield block.words or block.text
            case ToolResult():
                yield block.text
            case ToolCall():
                after = next(
                    (b.arguments for b in kept if isinstance(b, ToolCall) and b.path == block.path),
                    "",
                )
                yield from (text for text in _words(block.arguments) if text not in _words(after))
            case _:
                continue


def _words(arguments: str) -> list[str]:
    """The strings in the arguments of a call."""
    try:
        value = loads(arguments.encode())
    except ValueError:
        return [arguments]
    values = value.values() if isinstance(value, dict) else [value]
    return [text for text in values if isinstance(text, str)]


def _live(messages: list[Message]) -> list[Message]:
    """The messages with one system prompt: each prompt of the user writes it again."""
    prompts = [m for m in messages if m.role is Role.SYSTEM and summary_range(m.text) is None]
    if len(prompts) < 2:
        return messages
    stays = next(m for m in prompts if m.text == prompts[-1].text)
    others = {m.id for m in prompts}
    return [stays, *(m for m in messages if m.id not in others)]


def _read(value: Mapping[str, object], index: int, line: int) -> Iterator[Message] | None:
    kind = str(value.get("type"))
    if kind in _READERS and at(value, ("data", "parentToolCallId")) is None:
        return _messages(kind, value, index, line)
    known = kind in _READERS or kind.startswith(_SILENT)
    return iter(()) if known else None


def _messages(kind: str, value: Mapping[str, object], index: int, line: int) -> Iterator[Message]:
    role = _READERS[kind]
    data = value.get("data")
    stamp = str(value.get("timestamp") or "")
    blocks: tuple[Block, ...] = tuple(_blocks(kind, data))
    usage = at(data, ("outputTokens",))
    model = at(data, ("model",))
    told = role is Role.ASSISTANT
    yield Message(
        str(line),
        role,
        blocks,
        line,
        index,
        model=model if told and isinstance(model, str) else "",
        usage=Usage(output=usage) if told and isinstance(usage, int) else None,
        timestamp=stamp,
    )


_READERS = {
    "system.message": Role.SYSTEM,
    "system.notification": Role.USER,
    "user.message": Role.USER,
    "assistant.message": Role.ASSISTANT,
    "tool.execution_complete": Role.TOOL,
}


def _blocks(kind: str, data: object) -> Iterator[Block]:
    if kind == "tool.execution_complete":
        yield _result(data)
        return
    said = at(data, ("content",))
    if kind == "user.message":
        yield from _prompt(data, said)
        return
    if kind == "assistant.message":
        yield from _thinking(data)
    if isinstance(said, str) and said:
        voice = Voice.MODEL if kind == "assistant.message" else Voice.HARNESS
        yield Text(said, voice, path=("data", "content"))
    calls = at(data, ("toolRequests",))
    for i, call in enumerate(calls if isinstance(calls, list) else ()):
        arguments = at(call, ("arguments",))
        text = arguments if isinstance(arguments, str) else dumps(arguments or {}).decode()
        call_id, name = at(call, ("toolCallId",)), at(call, ("name",))
        free = isinstance(arguments, str)
        path: Path = ("data", "toolRequests", i)
        yield ToolCall(str(call_id or ""), str(name or ""), text, freeform=free, path=path)


def _prompt(data: object, said: object) -> Iterator[Block]:
    """A prompt as it was sent, of which the typed part is the user's."""
    sent = at(data, ("transformedContent",))
    typed = said if isinstance(said, str) else ""
    if isinstance(sent, str) and sent:
        yield Text(sent, Voice.HUMAN, typed, path=("data", "transformedContent"))
    elif typed:
        yield Text(typed, Voice.HUMAN, path=("data", "content"))


def _thinking(data: object) -> Iterator[Block]:
    text, sealed = at(data, ("reasoningText",)), at(data, ("reasoningOpaque",))
    if isinstance(text, str) or isinstance(sealed, str):
        said = text if isinstance(text, str) else ""
        yield Thinking(said, str(sealed or ""), ("data", "reasoningText"))


def _result(data: object) -> ToolResult:
    call_id = str(at(data, ("toolCallId",)) or "")
    failed = at(data, ("success",)) is False
    for path in (("result", "content"), ("error", "message"), ("error",)):
        text = at(data, path)
        if isinstance(text, str):
            parts: tuple[Text | Opaque, ...] = (Text(text, Voice.TOOL, path=("data", *path)),)
            return with_spoken(ToolResult(call_id, parts, failed, path=("data", "result")))
    return ToolResult(call_id, (), failed, path=("data", "result"))


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    place = (*old.path, "arguments")
    if isinstance(at(record, place), str):
        return {place: new.arguments}
    return object_changes(old.arguments, new.arguments, place)


_SHAPE = Shape(_put_arguments)

FORMAT = Events(
    "copilot-cli",
    "Copilot CLI sessions (events.jsonl)",
    "a system.message event before what it stands for",
    _Scribe(),
    lambda value: value.get("type") in {"session.start", "tool.execution_complete"},
    _read,
    folder=("data", "context", "cwd"),
    session=("data", "sessionId"),
    user_carrier=False,
    finish=_live,
)
