"""Inspect AI logs: samples of an evaluation, in one JSON document or as entries of an archive.

Long strings stand elsewhere under their hash (`attachment://…`); the events of a sample repeat what
its messages say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._blocks import Shape, changed, object_changes, parts_of
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._media import image
from baodai.formats._sheet import Changes
from baodai.formats._slices import Slice, slices
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_units
from baodai.jsonl import Record, dumps
from baodai.model import (
    Block,
    Conversation,
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

_ROLES = {
    "system": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
}
_ATTACHED = "attachment://"


@dataclass(frozen=True, slots=True)
class InspectAI(Plain):
    """The codec of Inspect's evaluation logs."""

    name: str = "inspect-ai"
    title: str = "Inspect AI logs (.json and .eval)"
    carrier: str = "a system message before the first message that stays"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure of a log's header, and of samples with messages, output and events."""
        values = [record.value for record in head]
        logs = any(isinstance(v, Mapping) and {"version", "eval", "plan"} <= set(v) for v in values)
        return 0.97 if logs or any(map(_is_sample, values)) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """A conversation for each sample."""
        for part in slices(records, [("samples",)], _is_sample):
            value = part.value
            messages = list(_messages(part))
            model = at(value, ("output", "model"))
            ident = f"{source}:{at(value, ('id',))}.{at(value, ('epoch',))}"
            around = Around(model=model if isinstance(model, str) else "")
            yield assembled(self.name, ident, part.records, messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of a sample with its edits."""
        yield from encode_units(self, conversation)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a message."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new message."""
        del near
        role = "system" if message.is_summary else message.role.value
        return {"id": f"baodai-{message.id}", "content": message.text, "role": role}

    def mend(self, desk: Desk) -> None:
        """The events repeat all that was said: an edited sample has none."""
        if any(True for _ in desk.edited):
            for record in {m.record for m in desk.before}:
                if desk.sheet.at(record, ("events",)):
                    desk.sheet.put(record, ("events",), [])
                if desk.sheet.at(record, ("events_data",)):
                    desk.sheet.put(record, ("events_data",), None)


def _is_sample(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and {"input", "target", "messages", "output"} <= set(value)
        and isinstance(value["messages"], list)
    )


def _messages(part: Slice) -> Iterator[Message]:
    listed = at(part.value, ("messages",))
    values = listed if isinstance(listed, list) else []
    attached = at(part.value, ("attachments",))
    last = max((i for i, v in enumerate(values) if at(v, ("role",)) == "assistant"), default=-1)
    for i, value in enumerate(values):
        if not isinstance(value, Mapping):
            continue
        path: Path = ("messages", i)
        role = _ROLES.get(str(value.get("role")), Role.USER)
        mark = f"{part.number}.{i}"
        content = list(_content(value.get("content"), (*path, "content"), role, attached))
        blocks: list[Block] = content
        if role is Role.TOOL:
            blocks = [_result(value, path, content)]
        blocks = [*blocks, *_calls(value, path)]
        message = Message(mark, role, tuple(blocks), part.line, part.index, path)
        model = value.get("model")
        told = replace(message, model=model if isinstance(model, str) else "")
        yield _answered(told, part.value) if i == last else told


def _content(content: object, path: Path, role: Role, attached: object) -> Iterator[Block]:
    if isinstance(content, str):
        if content:
            yield _text(_resolved(content, attached), path, role)
        return
    for i, item in enumerate(content if isinstance(content, list) else ()):
        here = (*path, i)
        kind, text = str(at(item, ("type",))), at(item, ("text",))
        if kind == "text" and isinstance(text, str):
            yield _text(_resolved(text, attached), here, role)
        elif kind == "reasoning":
            said, sealed = at(item, ("reasoning",)), at(item, ("signature",))
            hidden = at(item, ("redacted",)) is True
            told = "" if hidden else _resolved(str(said or ""), attached)
            yield Thinking(told, str(sealed or (said if hidden else "") or ""), here)
        elif kind == "image":
            link = _resolved(str(at(item, ("image",)) or ""), attached)
            yield image(link, "", here)
        else:
            yield Opaque(kind, visible=dumps(item).decode(), path=here)


def _resolved(text: str, attached: object) -> str:
    """A string that stands among the attachments."""
    if not text.startswith(_ATTACHED):
        return text
    found = at(attached, (text.removeprefix(_ATTACHED),))
    return found if isinstance(found, str) else text


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    voice = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)
    return Text(text, voice, path=path)


def _calls(value: Mapping[str, object], path: Path) -> Iterator[ToolCall]:
    calls = value.get("tool_calls")
    for i, call in enumerate(calls if isinstance(calls, list) else ()):
        arguments = dumps(at(call, ("arguments",)) or {}).decode()
        ident, name = at(call, ("id",)), at(call, ("function",))
        here = (*path, "tool_calls", i)
        yield ToolCall(str(ident or ""), str(name or ""), arguments, path=here)


def _result(value: Mapping[str, object], path: Path, content: list[Block]) -> ToolResult:
    """A result; what went wrong stands in a member of its own."""
    error = at(value, ("error", "message"))
    parts = parts_of(content)
    if not parts and isinstance(error, str):
        parts = (Text(error, Voice.TOOL, path=(*path, "error", "message")),)
    ident, name = value.get("tool_call_id"), value.get("function")
    named = name if isinstance(name, str) else ""
    failed = value.get("error") is not None
    return with_spoken(ToolResult(str(ident or ""), parts, failed, named, path))


def _answered(message: Message, sample: object) -> Message:
    """What the sample's output tells of its last answer."""
    usage = at(sample, ("output", "usage"))
    stop = at(sample, ("output", "choices", 0, "stop_reason"))

    def number(key: str) -> int:
        found = at(usage, (key,))
        return found if isinstance(found, int) else 0

    read, write = number("input_tokens_cache_read"), number("input_tokens_cache_write")
    prompt = number("input_tokens") + read + write
    made = Usage(prompt, number("output_tokens"), read, write, number("reasoning_tokens"))
    return replace(
        message,
        usage=made if isinstance(usage, Mapping) else None,
        stop_reason=stop if isinstance(stop, str) else "",
    )


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return object_changes(old.arguments, new.arguments, (*old.path, "arguments"))


_SHAPE = Shape(_put_arguments)

FORMAT = InspectAI()
