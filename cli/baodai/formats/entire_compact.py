"""Entire's compact transcripts: what a session said, with a call and its result in one block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._blocks import Shape, changed, object_changes
from baodai.formats._events import Events
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._sheet import Changes
from baodai.formats._writing import Plain
from baodai.jsonl import dumps
from baodai.model import (
    Block,
    Message,
    Opaque,
    Path,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    Voice,
)


class _Scribe(Plain):
    """How its records are written."""

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a record's blocks."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new record of the same agent at the same time."""
        kind = "assistant" if message.role is Role.ASSISTANT else "user"
        envelope = dict(near) if isinstance(near, Mapping) else {"v": 1}
        for key in ("id", "input_tokens", "output_tokens"):
            envelope.pop(key, None)
        return envelope | {"type": kind, "content": [{"text": message.text}]}


def _read(value: Mapping[str, object], index: int, line: int) -> Iterator[Message] | None:
    """The messages of a record: what was said, then the results of its calls."""
    if value.get("type") not in {"user", "assistant"}:
        return None
    return _messages(value, index, line)


def _messages(value: Mapping[str, object], index: int, line: int) -> Iterator[Message]:
    role = Role.ASSISTANT if value["type"] == "assistant" else Role.USER
    blocks: list[Block] = []
    results: list[ToolResult] = []
    content = value.get("content")
    for i, item in enumerate(content if isinstance(content, list) else ()):
        path: Path = ("content", i)
        block = _block(item, path, role)
        blocks.append(block)
        if isinstance(block, ToolCall) and isinstance(at(item, ("result",)), Mapping):
            results.append(_result(item, block, path))
    stamp, group = str(value.get("ts") or ""), str(value.get("id") or "")
    usage = _usage(value) if role is Role.ASSISTANT else None
    yield Message(
        str(line), role, tuple(blocks), line, index, usage=usage, timestamp=stamp,
        group=group if role is Role.ASSISTANT else "",
    )  # fmt: skip
    if results:
        yield Message(f"{line}.r", Role.TOOL, tuple(results), line, index)


def _block(item: object, path: Path, role: Role) -> Block:
    text = at(item, ("text",))
    if isinstance(text, str):
        spoken = role is Role.USER
        return user_text(text, path) if spoken else Text(text, Voice.MODEL, path=path)
    if at(item, ("type",)) == "tool_use":
        arguments = dumps(at(item, ("input",)) or {}).decode()
        call_id, name = at(item, ("id",)), at(item, ("name",))
        return ToolCall(str(call_id or ""), str(name or ""), arguments, path=path)
    return Opaque(str(at(item, ("type",))), visible=dumps(item).decode(), path=path)


def _result(item: object, call: ToolCall, path: Path) -> ToolResult:
    here = (*path, "result")
    text = at(item, ("result", "output"))
    parts = (Text(text, Voice.TOOL, path=(*here, "output")),) if isinstance(text, str) else ()
    failed = at(item, ("result", "status")) == "error"
    return with_spoken(ToolResult(call.id, parts, failed, call.name, here))


def _usage(value: Mapping[str, object]) -> Usage | None:
    """Entire keeps two numbers, without the cached part: no measure of the whole prompt."""
    answer = value.get("output_tokens")
    return Usage(output=answer) if isinstance(answer, int) else None


def _put_input(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return object_changes(old.arguments, new.arguments, (*old.path, "input"))


_SHAPE = Shape(_put_input, output="output")

FORMAT = Events(
    "entire-compact",
    "Entire's compact transcripts",
    "a marked first user record",
    _Scribe(),
    lambda value: {"v", "agent", "type", "content"} <= value.keys(),
    _read,
    folder=("none",),
    session=("none",),
)
