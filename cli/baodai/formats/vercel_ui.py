"""Vercel AI SDK UI messages: parts, of which a tool's holds the call and its result.

Version 5 names the tool in the part's type, version 4 keeps a `tool-invocation`. One message may
hold several steps; each is a message of its own here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._blocks import Shape, changed, object_changes
from baodai.formats._dialect import Place
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._listed import Listed
from baodai.formats._media import image
from baodai.formats._sheet import Changes
from baodai.formats._told import Around
from baodai.formats._writing import Plain
from baodai.jsonl import dumps
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
    Voice,
)

_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
_DONE = frozenset({"output-available", "output-error", "output-denied", "result"})


class _Reader(Plain):
    """Messages with parts."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterator[Message]:
        """The steps of a message, each with its results behind it."""
        role = _ROLES.get(str(value.get("role")), Role.USER)
        parts = value.get("parts")
        blocks: list[Block] = []
        results: list[ToolResult] = []
        count = 0
        for i, part in enumerate(parts if isinstance(parts, list) else ()):
            path: Path = (*place.path, "parts", i)
            block = _block(part, path, role)
            if at(part, ("type",)) == "step-start" or (results and not isinstance(block, ToolCall)):
                yield from _step(place, role, count, blocks, results)
                count, blocks, results = count + 1, [], []
            if block is not None:
                blocks.append(block)
            if isinstance(block, ToolCall):
                results.extend(_result(part, block, path))
        yield from _step(place, role, count, blocks, results)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a message's parts."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new message."""
        del near
        role = "system" if message.is_summary else message.role.value
        part = {"type": "text", "text": message.text}
        return {"id": f"baodai-{message.id}", "role": role, "parts": [part]}


def _step(
    place: Place, role: Role, count: int, blocks: list[Block], results: list[ToolResult]
) -> Iterator[Message]:
    line, record, path = place.line, place.record, place.path
    mark = f"{place.id}.{count}" if count else place.id
    if blocks:
        yield Message(mark, role, tuple(blocks), line, record, path)
    if results:
        yield Message(f"{mark}.r", Role.TOOL, tuple(results), line, record, path)


def _block(part: object, path: Path, role: Role) -> Block | None:
    kind, text = str(at(part, ("type",))), at(part, ("text",))
    if kind == "text" and isinstance(text, str):
        if role is Role.USER:
            return user_text(text, path)
        return Text(text, Voice.MODEL if role is Role.ASSISTANT else Voice.HARNESS, path=path)
    if kind == "reasoning":
        said = text if isinstance(text, str) else at(part, ("reasoning",))
        return Thinking(str(said or ""), path=path)
    return _call(part, path) or _other(part, kind, path)


def _other(part: object, kind: str, path: Path) -> Opaque | None:
    """Files; sources and data are for the page, not for the model."""
    if kind == "file":
        link, media = at(part, ("url",)), at(part, ("mediaType",))
        if str(media).startswith("image/"):
            return image(str(link or ""), str(media), path)
        return Opaque("file", note=str(at(part, ("filename",)) or media), path=path)
    unseen = kind in {"step-start", "source-url", "source-document"} or kind.startswith("data-")
    return None if unseen else Opaque(kind, visible=dumps(part).decode(), path=path)


def _inner(part: object) -> tuple[object, str]:
    """Where a part keeps its call, and the member its input is under."""
    held = at(part, ("toolInvocation",))
    return (held, "args") if isinstance(held, Mapping) else (part, "input")


def _call(part: object, path: Path) -> ToolCall | None:
    kind = str(at(part, ("type",)))
    held, key = _inner(part)
    if not (kind.startswith("tool-") or kind == "dynamic-tool"):
        return None
    named = at(held, ("toolName",))
    name = named if isinstance(named, str) else kind.removeprefix("tool-")
    said = at(held, (key,))
    text = "{}" if said is None else dumps(said).decode()
    return ToolCall(str(at(held, ("toolCallId",)) or ""), name, text, path=path)


def _result(part: object, call: ToolCall, path: Path) -> Iterator[ToolResult]:
    held, key = _inner(part)
    state = at(held, ("state",))
    if state not in _DONE:
        return
    failed = state in {"output-error", "output-denied"}
    inside: Path = ("toolInvocation",) if key == "args" else ()
    member = "errorText" if failed else "result" if key == "args" else "output"
    said = at(held, (member,))
    place = (*path, *inside, member)
    text = said if isinstance(said, str) else dumps(said).decode()
    parts = (Text(text, Voice.TOOL, path=place),) if said is not None else ()
    yield with_spoken(ToolResult(call.id, parts, failed, call.name, place))


def _put_input(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    _, key = _inner(at(record, old.path))
    inside: Path = ("toolInvocation",) if key == "args" else ()
    return object_changes(old.arguments, new.arguments, (*old.path, *inside, key))


def _put(record: object, path: Path, text: str) -> dict[Path, object]:
    """A text; in the place of an output it is the whole output."""
    del record
    part = isinstance(path[-1], int)
    return {(*path, "text") if part else path: text}


_SHAPE = Shape(_put_input, put=_put, content="parts")


def _is_message(value: object) -> bool:
    parts = at(value, ("parts",))
    return (
        at(value, ("role",)) in _ROLES
        and isinstance(parts, list)
        and bool(parts)
        and all(isinstance(at(part, ("type",)), str) for part in parts)
        and not any("content" in part for part in parts if isinstance(part, Mapping))
    )


def _where(value: object) -> Path:
    return () if isinstance(value, list) else ("messages",)


def _is_chat(value: object) -> bool:
    listed = at(value, _where(value))
    return isinstance(listed, list) and bool(listed) and all(map(_is_message, listed))


FORMAT = Listed(
    "vercel-ui",
    "Vercel AI SDK chats (UI messages)",
    "a system message before the first message that stays",
    _Reader(),
    _where,
    _is_chat,
    about=lambda value: Around(model=str(at(value, ("model",)) or "")),
)
