"""Reads the harness's events into the context, and writes its compactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from baodai.formats._blocks import parts_of
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
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

_KNOWN = (
    "session", "assistant/", "tool/", "turn/", "step/", "request/", "approval/", "command/",
    "permission/", "sandbox/", "bash/", "agent/", "text-chunks", "reasoning-chunks",
    "tool-call-chunks", "compaction/",
)  # fmt: skip


Place = tuple[int, int]
"""A record's index, and its line."""


def read_events(
    records: Sequence[Record],
) -> tuple[list[Message], list[Message], Counter[str]]:
    """The messages of the context, answers that left it, unknown events by type."""
    found: list[tuple[int, Message]] = []
    aside: list[Message] = []
    unknown: Counter[str] = Counter()
    model = ""
    for index, record in enumerate(records):
        value = record.value
        if not isinstance(value, Mapping):
            continue
        kind = str(value.get("type"))
        named = at(value, ("data", "header", "config", "model")) or at(value, ("data", "model"))
        model = named if isinstance(named, str) else model
        if kind == "compaction/summary":
            found = _shadowed(found, aside, value, (index, record.number))
            continue
        message = _message(kind, value, (index, record.number), model)
        if message is None:
            if not kind.startswith(_KNOWN):
                unknown[kind] += 1
        elif message.blocks:
            found.append((_number(value.get("seq")), message))
    return [m for _, m in found], aside, unknown


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1


def _shadowed(
    found: list[tuple[int, Message]], aside: list[Message], value: object, place: Place
) -> list[tuple[int, Message]]:
    """The context with a summary in the place of the events it shadows."""
    listed = at(value, ("data", "shadowedSeqs"))
    seqs = set(listed) if isinstance(listed, list) else set()
    gone = [m for seq, m in found if seq in seqs]
    aside.extend(replace(m, blocks=()) for m in gone if m.usage is not None)
    index, line = place
    text = at(value, ("data", "summary"))
    block = Text(str(text or ""), Voice.HARNESS, path=("data", "summary"))
    summary = Message(f"{line}.s", Role.USER, (block,), line, index, is_summary=True)
    kept = [(seq, m) for seq, m in found if seq not in seqs]
    first = next((i for i, (_, m) in enumerate(kept) if m.role is not Role.SYSTEM), len(kept))
    return [*kept[:first], (_number(at(value, ("seq",))), summary), *kept[first:]]


def _message(kind: str, value: object, place: Place, model: str) -> Message | None:
    """The message of an event; `None` for one that the model does not read."""
    index, line = place
    data = at(value, ("data",))
    made = Message(str(line), Role.USER, (), line, index)
    if kind == "request/header":
        system = at(data, ("header", "system"))
        if at(data, ("reason",)) not in {None, "initial"} or not isinstance(system, str):
            return None
        path: Path = ("data", "header", "system")
        return replace(made, role=Role.SYSTEM, blocks=(Text(system, Voice.HARNESS, path=path),))
    inner = at(data, ("message",))
    base: Path = ("data", "message") if isinstance(inner, Mapping) else ("data",)
    said = inner if isinstance(inner, Mapping) else data
    content = at(said, ("content",))
    here = (*base, "content")
    if kind == "user/message":
        spoken = at(said, ("source", "kind")) in {None, "user"}
        role = Role.USER if spoken else Role.SYSTEM
        return replace(made, blocks=tuple(_content(content, here, role)))
    if kind == "assistant/message":
        blocks = tuple(_content(content, here, Role.ASSISTANT))
        usage = _usage(at(data, ("usage",)))
        return replace(made, role=Role.ASSISTANT, blocks=blocks, usage=usage, model=model)
    if kind == "tool/result":
        return replace(made, role=Role.TOOL, blocks=(_result(data, said, here),))
    return None


def _content(content: object, path: Path, role: Role) -> Iterator[Block]:
    for i, item in enumerate(content if isinstance(content, list) else ()):
        here = (*path, i)
        kind, text = at(item, ("type",)), at(item, ("text",))
        if kind == "tool-call":
            call_id, name = at(item, ("id",)), at(item, ("name",))
            arguments = str(at(item, ("arguments",)) or "")
            yield ToolCall(str(call_id or ""), str(name or ""), arguments, path=here)
        elif kind == "reasoning":
            yield Thinking(str(text or ""), "", here)
        elif isinstance(text, str):
            yield _text(text, here, role)
        else:
            yield Opaque(str(kind), visible=dumps(item).decode(), path=here)


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    voice = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)
    return Text(text, voice, path=path)


def _result(data: object, said: object, path: Path) -> ToolResult:
    """A result, in a message of its own or bare."""
    inner = at(said, ("content", 0))
    if at(inner, ("type",)) == "tool-result":
        here = (*path, 0)
        call_id, failed = at(inner, ("toolCallId",)), at(inner, ("isError",)) is True
        content = at(inner, ("content",))
        parts = parts_of(tuple(_content(content, (*here, "content"), Role.TOOL)))
        return with_spoken(ToolResult(str(call_id or ""), parts, failed, path=here))
    call_id = at(data, ("callId",))
    failed = at(data, ("isError",)) is True
    parts = parts_of(tuple(_content(at(said, ("content",)), path, Role.TOOL)))
    return with_spoken(ToolResult(str(call_id or ""), parts, failed, path=path[:-1]))


def _usage(value: object) -> Usage | None:
    """The input is without the cached tokens."""
    if not isinstance(value, Mapping):
        return None
    read = _number(value.get("cacheReadTokens", 0))
    return Usage(
        _number(value.get("inputTokens", 0)) + read,
        _number(value.get("outputTokens", 0)),
        read,
        0,
        _number(value.get("reasoningTokens", 0)),
    )
