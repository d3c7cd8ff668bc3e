"""ATIF trajectories (Harbor, terminal-bench): steps that hold calls and their results together.

Step ids count from 1 without a gap; what the schema has no member for goes under `extra`. An
observation that answers no call is output that the agent was shown as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from baodai.formats._atif_compose import composed_trajectory
from baodai.formats._blocks import Shape, changed, object_changes
from baodai.formats._dialect import Place
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._listed import Listed, under
from baodai.formats._media import image
from baodai.formats._sheet import Changes
from baodai.formats._told import Around
from baodai.formats._writing import Desk, Plain
from baodai.formats.source import Source
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
    Usage,
    Voice,
)

_SOURCES = {"system": Role.SYSTEM, "user": Role.USER, "agent": Role.ASSISTANT}


class _Reader(Plain):
    """Steps."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterator[Message]:
        """What a step says, and what came back in it."""
        role = _SOURCES.get(str(value.get("source")), Role.USER)
        blocks = [*_reasoning(value, place.path), *_said(value, place.path, role)]
        calls = value.get("tool_calls")
        for i, call in enumerate(calls if isinstance(calls, list) else ()):
            arguments = dumps(at(call, ("arguments",)) or {}).decode()
            ident, name = at(call, ("tool_call_id",)), at(call, ("function_name",))
            path: Path = (*place.path, "tool_calls", i)
            blocks.append(ToolCall(str(ident or ""), str(name or ""), arguments, path=path))
        stamp = value.get("timestamp")
        message = Message(
            place.id,
            role,
            tuple(blocks),
            place.line,
            place.record,
            place.path,
            timestamp=stamp if isinstance(stamp, str) else "",
        )
        if role is Role.ASSISTANT:
            model = value.get("model_name")
            usage = _usage(value.get("metrics"))
            message = replace(message, usage=usage, model=model if isinstance(model, str) else "")
        yield message
        yield from _observed(value, place)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a step."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new step; its id is given when all are known."""
        source = {Role.ASSISTANT: "agent", Role.USER: "user"}.get(message.role, "system")
        stamp = at(near, ("timestamp",))
        told = {"timestamp": stamp} if isinstance(stamp, str) else {}
        source = "system" if message.is_summary else source
        return {"step_id": 0, **told, "source": source, "message": message.text}

    def mend(self, desk: Desk) -> None:
        """Step ids count from 1, in the order of the steps."""
        seen: dict[object, object] = {}
        for message in desk.conversation.messages:
            made = desk.made.get(message.id)
            key = message.id if made is not None else (message.record, message.path)
            if key in seen:
                continue
            seen[key] = number = len(seen) + 1
            if isinstance(made, dict):
                made["step_id"] = number
            elif desk.sheet.at(message.record, (*message.path, "step_id")) != number:
                desk.sheet.put(message.record, (*message.path, "step_id"), number)


def _said(value: Mapping[str, object], path: Path, role: Role) -> Iterator[Block]:
    message = value.get("message")
    if isinstance(message, str):
        if message:
            yield _text(message, (*path, "message"), role)
        return
    for i, part in enumerate(message if isinstance(message, list) else ()):
        yield _part(part, (*path, "message", i), role)


def _part(part: object, path: Path, role: Role) -> Text | Opaque:
    text = at(part, ("text",))
    if isinstance(text, str):
        return _text(text, path, role)
    kind = str(at(part, ("type",)))
    link = at(part, ("source", "path"))
    if kind == "image":
        return image(str(link or ""), str(at(part, ("source", "media_type")) or ""), path)
    return Opaque(kind, visible=dumps(part).decode(), path=path)


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    voice = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)
    return Text(text, voice, path=path)


def _reasoning(value: Mapping[str, object], path: Path) -> Iterator[Block]:
    text = value.get("reasoning_content")
    if isinstance(text, str) and text:
        yield Thinking(text, path=(*path, "reasoning_content"))


def _observed(value: Mapping[str, object], place: Place) -> Iterator[Message]:
    """The results of the step's calls; what answers none speaks as text."""
    results: list[ToolResult] = []
    shown: list[Text | Opaque] = []
    found = at(value, ("observation", "results"))
    for i, item in enumerate(found if isinstance(found, list) else ()):
        here = (*place.path, "observation", "results", i)
        content = at(item, ("content",))
        parts: tuple[Text | Opaque, ...] = ()
        if isinstance(content, str):
            parts = (Text(content, Voice.TOOL, path=(*here, "content")),)
        elif isinstance(content, list):
            listed = enumerate(content)
            parts = tuple(_part(p, (*here, "content", k), Role.TOOL) for k, p in listed)
        ident = at(item, ("source_call_id",))
        if isinstance(ident, str) and ident:
            results.append(with_spoken(ToolResult(ident, parts, path=here)))
        else:
            shown.extend(parts)
    line, record, path = place.line, place.record, place.path
    if results:
        yield Message(f"{place.id}.r", Role.TOOL, tuple(results), line, record, path)
    if shown:
        yield Message(f"{place.id}.o", Role.USER, tuple(shown), line, record, path)


def _usage(value: object) -> Usage | None:
    """The prompt has the cached tokens in it."""

    def number(key: str) -> int:
        found = at(value, (key,))
        return found if isinstance(found, int) else 0

    if not isinstance(value, Mapping):
        return None
    return Usage(number("prompt_tokens"), number("completion_tokens"), number("cached_tokens"))


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return object_changes(old.arguments, new.arguments, (*old.path, "arguments"))


_SHAPE = Shape(_put_arguments, content="message")


def _is_trajectory(value: object) -> bool:
    version = at(value, ("schema_version",))
    named = isinstance(version, str) and version.startswith("ATIF")
    return named and isinstance(at(value, ("steps",)), list)


def _about(value: object) -> Around:
    tools = at(value, ("agent", "tool_definitions"))
    model = at(value, ("agent", "model_name"))
    return Around(
        tools=dumps(tools).decode() if tools else "",
        model=model.rpartition("/")[2] if isinstance(model, str) else "",
    )


class _Atif(Listed):
    """The codec, which also writes trajectories from elsewhere."""

    __slots__ = ()

    alone = True
    ending = ".json"

    def compose(self, source: Source) -> Iterator[object]:
        """A trajectory that says what the source says."""
        yield composed_trajectory(source)


FORMAT = _Atif(
    "atif",
    "ATIF trajectories (Harbor, terminal-bench)",
    "a system step before the first step that stays",
    _Reader(),
    under("steps"),
    _is_trajectory,
    about=_about,
)
