"""Reads pi's entries into the context of its newest branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from baodai.formats._blocks import Shape, object_changes, parts_of
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._links import branch
from baodai.formats._media import image
from baodai.jsonl import Record, dumps
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

_SILENT = frozenset(
    {"session", "model_change", "thinking_level_change", "label", "session_info", "custom"}
)
_INNER: Path = ("message",)


def is_answer(value: object) -> bool:
    """Whether a value is one of pi's answers by itself."""
    return (
        at(value, ("role",)) == "assistant"
        and isinstance(at(value, ("api",)), str)
        and isinstance(at(value, ("usage", "cacheRead")), int)
    )


def view(records: Sequence[Record]) -> tuple[list[Message], list[Message], Counter[str]]:
    """The messages of the context, answers that left it, and unknown entries by type."""
    chosen = _branch(records)
    unknown: Counter[str] = Counter()
    held: list[tuple[int, Message]] = []
    aside: list[Message] = []
    answered = {at(record.value, ("message", "toolCallId")) for record in records}
    for index, record in enumerate(records):
        value = record.value
        kind = at(value, ("type",))
        ident = at(value, ("id",))
        if kind == "session" or not isinstance(value, Mapping):
            continue
        message = _message(record, index)
        left = chosen is not None and ident not in chosen
        if left or (message is not None and _unsent(message, answered)):
            aside.extend([message] if message is not None else [])
        elif kind == "compaction":
            first = _first(value, records)
            aside.extend(m for i, m in held if i < first)
            held = [(i, m) for i, m in held if i >= first and not m.is_summary]
            held.insert(0, (-1, _summary(value, record, index)))
        elif message is not None:
            held.append((index, message))
        elif kind not in _SILENT:
            unknown[str(kind)] += 1
    paid = [replace(m, blocks=()) for m in aside if m.usage is not None]
    return [m for _, m in held if m.blocks], paid, unknown


def _unsent(message: Message, answered: Container[object]) -> bool:
    """Whether pi leaves an answer out: it broke off, and none of its calls was made."""
    broken = message.role is Role.ASSISTANT and message.stop_reason in {"error", "aborted"}
    return broken and not any(call.id in answered for call in message.calls)


def _branch(records: Sequence[Record]) -> set[str] | None:
    """The ids on the newest branch; `None` for a session without ids."""
    ids: dict[str, str | None] = {}
    for record in records:
        ident, parent = at(record.value, ("id",)), at(record.value, ("parentId",))
        if isinstance(ident, str) and at(record.value, ("type",)) != "session":
            ids[ident] = parent if isinstance(parent, str) else None
    return branch(ids, next(reversed(ids))) if ids else None


def _first(value: Mapping[str, object], records: Sequence[Record]) -> int:
    """The index of the first entry that a compaction keeps."""
    index = value.get("firstKeptEntryIndex")
    if isinstance(index, int):
        return record_at([record.value for record in records], index)
    ident = value.get("firstKeptEntryId")
    found = (i for i, record in enumerate(records) if at(record.value, ("id",)) == ident)
    return next(found, len(records))


def record_at(values: Sequence[object], place: int) -> int:
    """The record of the entry at a place; pi does not count lines that it cannot read."""
    there = [i for i, value in enumerate(values) if value is not None]
    return there[place] if 0 <= place < len(there) else len(values)


def _summary(value: Mapping[str, object], record: Record, index: int) -> Message:
    block = Text(str(value.get("summary", "")), Voice.HARNESS, path=("summary",))
    mark = f"{record.number}.s"
    return Message(mark, Role.USER, (block,), record.number, index, is_summary=True)


def _message(record: Record, index: int) -> Message | None:
    """The message of an entry; `None` for one that the model does not read."""
    value = record.value
    kind, stamp = at(value, ("type",)), at(value, ("timestamp",))
    place = Message(
        str(record.number), Role.USER, (), record.number, index, timestamp=str(stamp or "")
    )
    if kind == "message":
        return read_message(at(value, _INNER), place, _INNER)
    if kind == "branch_summary" and isinstance(at(value, ("summary",)), str):
        text = Text(str(at(value, ("summary",))), Voice.HARNESS, path=("summary",))
        return replace(place, blocks=(text,))
    if kind == "custom_message":
        content = tuple(_content(at(value, ("content",)), ("content",), Role.SYSTEM))
        return replace(place, blocks=content)
    return None


def read_message(value: object, place: Message, path: Path) -> Message:
    """A message of any of pi's roles."""
    role = at(value, ("role",))
    here = (*path, "content")
    content = at(value, ("content",))
    if role == "assistant":
        answer = replace(place, role=Role.ASSISTANT)
        blocks = tuple(_content(content, here, Role.ASSISTANT))
        return _told(replace(answer, blocks=blocks), value)
    if role == "toolResult":
        parts = parts_of(tuple(_content(content, here, Role.TOOL)))
        call_id, name = at(value, ("toolCallId",)), at(value, ("toolName",))
        failed = at(value, ("isError",)) is True
        result = ToolResult(str(call_id or ""), parts, failed, str(name or ""), path or here)
        return replace(place, role=Role.TOOL, blocks=(with_spoken(result),))
    if role == "bashExecution":
        return replace(place, blocks=tuple(_ran(value, path)))
    spoken = Role.USER if role == "user" else Role.SYSTEM
    return replace(place, blocks=tuple(_content(content, here, spoken)))


def _ran(value: object, path: Path) -> Iterator[Block]:
    """A command the user ran, with its output, unless it was kept from the model."""
    if at(value, ("excludeFromContext",)) is True:
        return
    command, output = at(value, ("command",)), at(value, ("output",))
    yield Opaque("command", visible=f"Ran `{command or ''}`", path=(*path, "command"))
    yield Text(str(output or ""), Voice.TOOL, path=(*path, "output"))


def _content(content: object, path: Path, role: Role) -> Iterator[Block]:
    if isinstance(content, str):
        yield _text(content, path, role)
        return
    for i, item in enumerate(content if isinstance(content, list) else ()):
        yield _block(item, (*path, i), role)


def _block(item: object, path: Path, role: Role) -> Block:
    kind, text = at(item, ("type",)), at(item, ("text",))
    if kind == "text" and isinstance(text, str):
        return _text(text, path, role)
    if kind == "thinking":
        said, sealed = at(item, ("thinking",)), at(item, ("thinkingSignature",))
        return Thinking(str(said or ""), sealed if isinstance(sealed, str) else "", path)
    if kind == "toolCall":
        arguments = dumps(at(item, ("arguments",)) or {}).decode()
        call_id, name = at(item, ("id",)), at(item, ("name",))
        return ToolCall(str(call_id or ""), str(name or ""), arguments, path=path)
    if kind == "image":
        data, media = at(item, ("data",)), at(item, ("mimeType",))
        return image(str(data or ""), str(media or ""), path)
    return Opaque(str(kind), visible=dumps(item).decode(), path=path)


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    voice = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)
    return Text(text, voice, path=path)


def _told(message: Message, value: object) -> Message:
    """Usage has the cached tokens beside the input."""
    usage = at(value, ("usage",))
    stop, model = at(value, ("stopReason",)), at(value, ("model",))

    def number(key: str) -> int:
        found = at(usage, (key,))
        return found if isinstance(found, int) else 0

    read, write = number("cacheRead"), number("cacheWrite")
    made = Usage(number("input") + read + write, number("output"), read, write)
    return replace(
        message,
        usage=made if made.input + made.output else None,
        stop_reason=stop if isinstance(stop, str) else "",
        model=model if isinstance(model, str) else "",
    )


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return object_changes(old.arguments, new.arguments, (*old.path, "arguments"))


SHAPE = Shape(_put_arguments)
"""How pi's blocks are written."""
