"""LangChain and LangGraph messages: thread states, LangSmith runs, dumped constructors.

A call may be told twice, in the message and in what the provider's API takes (`additional_kwargs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from baodai.formats._blocks import Shape, changed, object_changes, parts_of, thinking
from baodai.formats._copies import Copy, hide
from baodai.formats._dialect import Place
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._listed import Listed
from baodai.formats._media import image, media_of
from baodai.formats._sheet import Changes
from baodai.formats._told import Around
from baodai.formats._writing import Desk, Plain
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

_TYPES = {
    "human": Role.USER,
    "HumanMessage": Role.USER,
    "HumanMessageChunk": Role.USER,
    "ai": Role.ASSISTANT,
    "AIMessage": Role.ASSISTANT,
    "AIMessageChunk": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "SystemMessage": Role.SYSTEM,
    "tool": Role.TOOL,
    "ToolMessage": Role.TOOL,
    "function": Role.TOOL,
    "FunctionMessage": Role.TOOL,
}
_PLACES: tuple[Path, ...] = (
    ("values", "messages"),
    ("messages",),
    ("inputs", "messages"),
    ("inputs", "messages", 0),
    ("kwargs", "messages"),
    (),
)


class _Reader(Plain):
    """Messages by their type, dumped or not."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterator[Message]:
        """A message; one that removes another is no message."""
        inner = value.get("kwargs")
        path = (*place.path, "kwargs") if isinstance(inner, Mapping) else place.path
        said = inner if isinstance(inner, Mapping) else value
        role = _TYPES.get(_type(value))
        if role is None:
            return
        content = list(_content(said.get("content"), (*path, "content"), role))
        blocks: list[Block] = []
        if role is Role.TOOL:
            blocks.append(_result(said, path, content))
        else:
            reasoned = at(said, ("additional_kwargs", "reasoning_content"))
            if isinstance(reasoned, str) and reasoned:
                here = (*path, "additional_kwargs", "reasoning_content")
                blocks.append(thinking(reasoned, "", here))
            blocks.extend(content)
            blocks.extend(_calls(said, path))
        read = Message(place.id, role, tuple(blocks), place.line, place.record, place.path)
        yield _told(read, said) if role is Role.ASSISTANT else read

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a message, in its kwargs where it is a dumped constructor."""
        inner = at(record, (*old.path, "kwargs"))
        here = replace(old, path=(*old.path, "kwargs")) if isinstance(inner, Mapping) else old
        return changed(here, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new message in the shape of its neighbour."""
        names = {Role.ASSISTANT: "ai", Role.USER: "human"}
        kind = names.get(message.role, "system")
        if not isinstance(at(near, ("kwargs",)), Mapping):
            return {"type": kind, "content": message.text, "additional_kwargs": {}, "id": None}
        name = {"ai": "AIMessage", "human": "HumanMessage"}.get(kind, "SystemMessage")
        ident = ["langchain", "schema", "messages", name]
        kwargs = {"content": message.text, "type": kind}
        return {"lc": 1, "type": "constructor", "id": ident, "kwargs": kwargs}

    def mend(self, desk: Desk) -> None:
        """Hide the calls told twice, the artifacts of results, the reasoning of chunks."""
        hide(desk, _copies(desk))


def _copies(desk: Desk) -> Iterator[Copy]:
    for old, _ in desk.edited:
        inner = desk.sheet.at(old.record, (*old.path, "kwargs"))
        path = (*old.path, "kwargs") if isinstance(inner, Mapping) else old.path
        for call in old.calls:
            yield Copy(call.id, old.record, (*path, "additional_kwargs", "tool_calls"))
        for result in old.results:
            yield Copy(result.call_id, old.record, (*path, "artifact"))


def _type(value: Mapping[str, object]) -> str:
    """Its type; of a dumped constructor the class's name."""
    kind = value.get("type")
    ident = value.get("id")
    if kind == "constructor" and isinstance(ident, list) and ident:
        return str(ident[-1])
    return str(kind)


def _content(content: object, path: Path, role: Role) -> Iterator[Block]:
    if isinstance(content, str):
        if content:
            yield _text(content, path, role)
        return
    for i, part in enumerate(content if isinstance(content, list) else ()):
        here = (*path, i)
        text = part if isinstance(part, str) else at(part, ("text",))
        kind = str(at(part, ("type",)))
        if isinstance(text, str) and kind in {"text", "None"}:
            yield _text(text, here, role)
        elif kind in {"thinking", "reasoning"}:
            said = at(part, ("thinking",)) or at(part, ("reasoning",))
            yield thinking(said, at(part, ("signature",)), here)
        elif kind == "tool_use":
            continue  # the provider's own form of a call that is among the calls
        elif (media := media_of(part)) is not None:
            yield image(media.link, media.type, here)
        else:
            yield Opaque(kind, visible=dumps(part).decode(), path=here)


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    voice = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)
    return Text(text, voice, path=path)


def _calls(said: Mapping[str, object], path: Path) -> Iterator[ToolCall]:
    for key in ("tool_calls", "invalid_tool_calls"):
        calls = said.get(key)
        for i, call in enumerate(calls if isinstance(calls, list) else ()):
            arguments = at(call, ("args",))
            text = arguments if isinstance(arguments, str) else dumps(arguments or {}).decode()
            ident, name = at(call, ("id",)), at(call, ("name",))
            yield ToolCall(str(ident or ""), str(name or ""), text, path=(*path, key, i))


def _result(said: Mapping[str, object], path: Path, content: list[Block]) -> ToolResult:
    ident, name = said.get("tool_call_id"), said.get("name")
    failed = said.get("status") == "error"
    named = name if isinstance(name, str) else ""
    return with_spoken(ToolResult(str(ident or ""), parts_of(content), failed, named, path))


def _told(read: Message, said: Mapping[str, object]) -> Message:
    usage = said.get("usage_metadata")
    stop = at(said, ("response_metadata", "finish_reason"))
    stop = stop or at(said, ("response_metadata", "stop_reason"))
    model = at(said, ("response_metadata", "model_name"))
    return replace(
        read,
        usage=_usage(usage) if isinstance(usage, Mapping) else None,
        stop_reason=stop if isinstance(stop, str) else "",
        model=model if isinstance(model, str) else "",
    )


def _usage(value: Mapping[str, object]) -> Usage:
    """LangChain's own measure: the input has the cached tokens in it."""

    def number(*path: str) -> int:
        found = at(value, path)
        return found if isinstance(found, int) else 0

    return Usage(
        number("input_tokens"),
        number("output_tokens"),
        number("input_token_details", "cache_read"),
        number("input_token_details", "cache_creation"),
        number("output_token_details", "reasoning"),
    )


def _put_args(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return object_changes(old.arguments, new.arguments, (*old.path, "args"))


_SHAPE = Shape(_put_args)


def _is_message(value: object) -> bool:
    if not isinstance(value, Mapping) or "role" in value:
        return False
    known = _type(value) in _TYPES
    return known and (
        "content" in value or isinstance(at(value, ("kwargs", "content")), str | list)
    )


def _where(value: object) -> Path:
    for path in _PLACES:
        found = at(value, path)
        if isinstance(found, list) and found and all(map(_is_message, found)):
            return path
    return _PLACES[0]


def _is_thread(value: object) -> bool:
    listed = at(value, _where(value))
    return isinstance(listed, list) and bool(listed) and _is_message(listed[0])


def _about(value: object) -> Around:
    folder = at(value, ("values", "thread_data", "workspace_path"))
    return Around(project=folder if isinstance(folder, str) else "")


FORMAT = Listed(
    "langchain",
    "LangChain messages: LangGraph threads, LangSmith runs, dumps",
    "a system message before the first message",
    _Reader(),
    _where,
    _is_thread,
    about=_about,
)
