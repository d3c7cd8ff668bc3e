"""Finds and reads the messages in a span, whatever convention it follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from baodai.formats._blocks import Shape, changed, object_changes
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._media import image
from baodai.formats._sheet import Changes
from baodai.formats._slices import Slice
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

_ROLES = {
    "system": Role.SYSTEM,
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "tool": Role.TOOL,
}
_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_SYSTEM = "gen_ai.system_instructions"
_INDEXED = re.compile(r"(?:gen_ai\.prompt|llm\.input_messages)\.(\d+)\.(?:message\.)?role")
_SPEAKERS = ("system", "human", "user", "ai", "assistant", "tool")


@dataclass(slots=True)
class Found:
    """The messages of a span: the place and the value of each, with what the span tells of them."""

    places: list[tuple[Path, object]]
    model: str = ""
    tools: object = None
    usage: Usage | None = None
    stop: str = ""
    start: str = ""
    paid: list[Usage] = field(default_factory=list)

    def messages(self, part: Slice) -> Iterator[Message]:
        """The messages in their order; the last answer has the span's usage."""
        last = max(
            (i for i, (_, v) in enumerate(self.places) if _role(v) is Role.ASSISTANT), default=-1
        )
        for i, (path, value) in enumerate(self.places):
            mark = f"{part.line}.{part.number}.{i}"
            place = Message(mark, _role(value), (), part.line, part.index, path)
            read = replace(place, blocks=tuple(_blocks(value, path)))
            if read.blocks:
                told = replace(read, usage=self.usage, stop_reason=self.stop, model=self.model)
                yield told if i == last else read


def found_in(span: object, base: Path) -> Found | None:
    """The messages of a span, `None` where it holds none."""
    attributes = at(span, ("attributes",))
    held = attributes if isinstance(attributes, Mapping) else span
    here: Path = (*base, "attributes") if isinstance(attributes, Mapping) else base
    if not isinstance(held, Mapping):
        return None
    places = [*_listed(held, here), *_indexed(held, here), *_monocle(span, base)]
    if not places:
        return None
    model = next((held[k] for k in _MODELS if isinstance(held.get(k), str)), "")
    reasons = _parsed(held.get("gen_ai.response.finish_reasons"))
    reason = at(reasons, (0,)) or at(_event(span, "metadata"), ("finish_reason",))
    return Found(
        places,
        model=str(model),
        tools=_parsed(held.get("gen_ai.tool.definitions")),
        usage=_usage(held) or _monocle_usage(span),
        stop=reason if isinstance(reason, str) else "",
        start=str(at(span, ("start_time",)) or ""),
    )


_MODELS = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "entity.2.name")


def _listed(held: Mapping[str, object], here: Path) -> Iterator[tuple[Path, object]]:
    """Messages with parts, in a list or in a string that holds one."""
    for key in (_SYSTEM, _INPUT, _OUTPUT):
        raw = held.get(key)
        found = _parsed(raw)
        listed = found if isinstance(found, list) else []
        if key == _SYSTEM and listed:
            yield (*here, key), {"role": "system", "parts": listed}
            continue
        for i, value in enumerate(listed):
            if isinstance(at(value, ("parts",)), list):
                # In a string the place of a message is the string and its number in it.
                yield (*here, key, i), value


def _indexed(held: Mapping[str, object], here: Path) -> Iterator[tuple[Path, object]]:
    """`gen_ai.prompt.0.content` and its like: an attribute for each member of each message."""
    numbers = sorted({int(m.group(1)) for key in held if (m := _INDEXED.fullmatch(str(key)))})
    for number in numbers:
        for stem in (f"gen_ai.prompt.{number}.", f"llm.input_messages.{number}.message."):
            content, role = held.get(f"{stem}content"), held.get(f"{stem}role")
            if isinstance(content, str) and isinstance(role, str):
                yield (*here, f"{stem}content"), {"role": role, "text": content}


def _event(span: object, name: str) -> object:
    events = at(span, ("events",))
    found = (e for e in (events if isinstance(events, list) else ()) if at(e, ("name",)) == name)
    return at(next(found, None), ("attributes",))


def _monocle(span: object, base: Path) -> Iterator[tuple[Path, object]]:
    """Monocle: an event whose input is a list of strings, each an object of speaker and text."""
    if at(span, ("attributes", "span.type")) not in {"inference.framework", "inference"}:
        return
    events = at(span, ("events",))
    for i, event in enumerate(events if isinstance(events, list) else ()):
        name = at(event, ("name",))
        here: Path = (*base, "events", i, "attributes")
        said = at(event, ("attributes", "input"))
        if name == "data.input" and isinstance(said, list):
            for k, text in enumerate(said):
                yield (*here, "input", k), {"monocle": _parsed(text)}
        answer = at(event, ("attributes", "response"))
        if name == "data.output" and isinstance(answer, str):
            yield (*here, "response"), {"monocle": _parsed(answer)}


def _parsed(value: object) -> object:
    """What a string of JSON says; other values as they are."""
    if not isinstance(value, str):
        return value
    try:
        return loads(value.encode("utf-8", "replace"))
    except ValueError:
        return None


def _role(value: object) -> Role:
    spoken = at(value, ("monocle",))
    if isinstance(spoken, Mapping):
        return next((_ROLES[key] for key in _SPEAKERS if key in spoken), Role.USER)
    return _ROLES.get(str(at(value, ("role",))), Role.USER)


def _blocks(value: object, path: Path) -> Iterator[Block]:
    role = _role(value)
    spoken = at(value, ("monocle",))
    if isinstance(spoken, Mapping):
        key = next((k for k in _SPEAKERS if k in spoken), "")
        yield from _monocle_blocks(spoken.get(key), path, role)
        return
    text = at(value, ("text",))
    if isinstance(text, str):
        yield _text(text, path, role)
        return
    parts = at(value, ("parts",))
    for i, part in enumerate(parts if isinstance(parts, list) else ()):
        yield _part(part, (*path, "parts", i), role)


def _monocle_blocks(said: object, path: Path, role: Role) -> Iterator[Block]:
    calls = _parsed(said) if isinstance(said, str) else said
    listed = calls if isinstance(calls, list) else [calls]
    if role is Role.ASSISTANT and all(isinstance(at(c, ("name",)), str) for c in listed):
        for call in listed:
            arguments = dumps(at(call, ("args",)) or {}).decode()
            yield ToolCall("", str(at(call, ("name",))), arguments, path=path)
    elif isinstance(said, str) and role is Role.TOOL:
        yield ToolResult("", (Text(said, Voice.TOOL, path=path),), path=path)
    elif isinstance(said, str):
        yield _text(said, path, role)


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    voice = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)
    return Text(text, voice, path=path)


def _part(part: object, path: Path, role: Role) -> Block:
    kind, content = str(at(part, ("type",))), at(part, ("content",))
    if kind == "text" and isinstance(content, str):
        return _text(content, path, role)
    if kind == "reasoning":
        return Thinking(str(content or ""), path=path)
    ident, name = at(part, ("id",)), at(part, ("name",))
    if kind == "tool_call":
        said = at(part, ("arguments",))
        text = said if isinstance(said, str) else dumps(said or {}).decode()
        return ToolCall(str(ident or ""), str(name or ""), text, path=path)
    if kind == "tool_call_response":
        key = next((k for k in ("response", "result") if at(part, (k,)) is not None), "response")
        said = at(part, (key,))
        text = said if isinstance(said, str) else dumps(said).decode()
        parts = (Text(text, Voice.TOOL, path=(*path, key)),)
        return with_spoken(ToolResult(str(ident or ""), parts, path=path))
    if kind == "blob" and isinstance(content, str):
        return image(content, str(at(part, ("mime_type",)) or ""), path)
    return Opaque(kind, visible=dumps(part).decode(), path=path)


def _usage(held: Mapping[str, object]) -> Usage | None:
    prompt, said = held.get("gen_ai.usage.input_tokens"), held.get("gen_ai.usage.output_tokens")
    cached = held.get("gen_ai.usage.cache_read.input_tokens")
    if not isinstance(prompt, int) or not isinstance(said, int):
        return None
    return Usage(prompt, said, cached if isinstance(cached, int) else 0)


def _monocle_usage(span: object) -> Usage | None:
    told = _event(span, "metadata")
    prompt, said = at(told, ("prompt_tokens",)), at(told, ("completion_tokens",))
    return Usage(prompt, said) if isinstance(prompt, int) and isinstance(said, int) else None


def changes_of(old: Message, new: Message, record: object) -> Changes:
    """The changes of a message; those of one inside a string write the string anew."""
    holder = _holder(record, old.path)
    if holder is None:
        return changed(old, new, record, _SHAPE)
    text = at(record, holder)
    if not isinstance(text, str):
        return Changes()
    return Changes(puts={holder: _rewritten(text, old, new, holder)})


def _holder(record: object, path: Path) -> Path | None:
    """The place of the string that a message stands in; `None` where it is no string."""
    for depth in range(1, len(path) + 1):
        if isinstance(at(record, path[:depth]), str):
            return path[:depth]
    return None


def _rewritten(text: str, old: Message, new: Message, holder: Path) -> str:
    said = "\n".join([new.text, *(r.text for r in new.results)]).strip("\n")
    value = _parsed(text)
    if old.path == holder and isinstance(value, dict) and len(value) == 1:
        key = next(iter(value))
        return text if new.calls else dumps({key: said}).decode()
    return said if old.path == holder else text


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    place = (*old.path, "arguments")
    if isinstance(at(record, place), str):
        return {place: new.arguments}
    return object_changes(old.arguments, new.arguments, place)


def _element(path: Path, text: str) -> object:
    return {"type": "text", "content": text} if isinstance(path[-1], int) else text


def _put(record: object, path: Path, text: str) -> dict[Path, object]:
    return {(*path, "content") if isinstance(at(record, path), dict) else path: text}


_SHAPE = replace(Shape(_put_arguments), text=_element, put=_put, content="parts", output="response")


def fresh_value(message: Message, near: object) -> object:
    """A new message: with parts, or as Monocle's string."""
    role = "system" if message.is_summary else message.role.value
    if isinstance(near, str):
        speaker = {"assistant": "ai", "user": "human"}.get(role, role)
        return dumps({speaker: message.text}).decode()
    return {"role": role, "parts": [{"type": "text", "content": message.text}]}
