"""Google's contents: parts in camel or snake case, calls and responses paired by order.

An id is mostly missing: N calls in one content are answered by N responses in the next, in the same
order. A thought signature sits on text and call parts and goes back with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from baodai.formats._blocks import Shape, changed, object_changes, text_place
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._media import image
from baodai.formats._sheet import Changes
from baodai.formats.anthropic_messages import unsealed
from baodai.formats.source import Source, argument_object
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

ROLES = {
    "user": Role.USER,
    "model": Role.ASSISTANT,
    "assistant": Role.ASSISTANT,
    "function": Role.TOOL,
    "tool": Role.TOOL,
    "system": Role.SYSTEM,
}
_CALL = ("functionCall", "function_call")
_RESPONSE = ("functionResponse", "function_response")
_SIGNATURE = ("thoughtSignature", "thought_signature")
_INLINE = ("inlineData", "inline_data")
_SAID = ("output", "result", "error", "content", "text")
"""Members under which a response of one member keeps its text."""


def is_content(value: object) -> bool:
    """Whether a value is a content: parts, each with one of Google's payloads."""
    parts = at(value, ("parts",))
    if not isinstance(parts, list) or at(value, ("role",)) not in (None, *ROLES):
        return False
    return all(isinstance(part, Mapping) and "type" not in part for part in parts)


def read_content(value: object, message: Message, path: Path) -> Message:
    """The message of a content; `message` tells its place, `path` the content's in its record."""
    role = ROLES.get(str(at(value, ("role",))), Role.USER)
    parts = at(value, ("parts",))
    here = (*path, "parts")
    blocks = [
        block
        for i, part in enumerate(parts if isinstance(parts, list) else ())
        if (block := read_part(part, (*here, i), role)) is not None
    ]
    return replace(message, role=role, blocks=tuple(blocks))


def read_part(part: object, path: Path, role: Role) -> Block | None:
    """One part; `None` for one that says nothing."""
    if isinstance(part, str):
        return _text(part, path, role)
    if not isinstance(part, Mapping):
        return None
    text = part.get("text")
    if isinstance(text, str):
        if part.get("thought") is True:
            return Thinking(text, _sealed(part), path)
        return _text(text, path, role) if text else None
    return _called(part, path) or _opaque(part, path)


def _sealed(part: Mapping[str, object]) -> str:
    return next((_word(part[key]) for key in _SIGNATURE if key in part), "")


def _called(part: Mapping[str, object], path: Path) -> ToolCall | ToolResult | None:
    for key in _CALL:
        if isinstance(part.get(key), Mapping):
            return _call(part, key, path)
    for key in _RESPONSE:
        if isinstance(part.get(key), Mapping):
            return _response(part, key, path)
    return None


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    voice = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)
    return Text(text, voice, path=path)


def _call(part: Mapping[str, object], key: str, path: Path) -> ToolCall:
    call_id, name = at(part, (key, "id")), at(part, (key, "name"))
    arguments = dumps(at(part, (key, "args")) or {}).decode()
    return ToolCall(_word(call_id), _word(name), arguments, path=path)


def _response(part: Mapping[str, object], key: str, path: Path) -> ToolResult:
    call_id, name = at(part, (key, "id")), at(part, (key, "name"))
    place: Path = (*path, key, "response")
    said = at(part, (key, "response"))
    parts, failed = response_parts(said, place)
    return with_spoken(ToolResult(_word(call_id), parts, failed, _word(name), path))


def response_parts(said: object, place: Path) -> tuple[tuple[Text, ...], bool]:
    """The text of a response object, and whether it tells of a failure."""
    if isinstance(said, str):
        return (Text(said, Voice.TOOL, path=place),), False
    if not isinstance(said, Mapping) or not said:
        return (), False
    failed = "error" in said
    if len(said) == 1:
        ((key, value),) = said.items()
        if key in _SAID and isinstance(value, str):
            return (Text(value, Voice.TOOL, path=(*place, key)),), failed
    return (Text(dumps(said).decode(), Voice.TOOL, path=place),), failed


def _opaque(part: Mapping[str, object], path: Path) -> Opaque | None:
    for key in _INLINE:
        data = at(part, (key, "data"))
        if isinstance(data, str):
            kind = at(part, (key, "mimeType")) or at(part, (key, "mime_type"))
            if str(kind).startswith("image/"):
                return image(data, str(kind), path)
            return Opaque("media", note=str(kind), path=path)
    kinds = [key for key in part if key not in {*_SIGNATURE, "thought"}]
    if not kinds:
        return None
    if kinds[0] in {"fileData", "file_data"}:
        link = at(part, (kinds[0], "fileUri")) or at(part, (kinds[0], "file_uri"))
        return Opaque("file", note=str(link or "file"), path=path)
    return Opaque(kinds[0], visible=dumps(unsealed(dict(part))).decode(), path=path)


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def part_changes(old: Message, new: Message, record: object) -> Changes:
    """What to write so that a content says what `new` says."""
    return changed(old, new, record, SHAPE)


def _put_args(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    part = at(record, old.path)
    key = next((k for k in _CALL if isinstance(part, Mapping) and k in part), _CALL[0])
    return object_changes(old.arguments, new.arguments, (*old.path, key, "args"))


def _element(path: Path, text: str) -> object:
    return {"text": text} if isinstance(path[-1], int) else text


def put_response(record: object, path: Path, text: str) -> dict[Path, object]:
    """A text where one was; a response must be an object."""
    if path and path[-1] == "response" and isinstance(at(record, path), dict):
        return {path: {"output": text}}
    return {text_place(record, path): text}


SHAPE = Shape(_put_args, _element, put_response, content="parts", output="parts")
"""How parts are written."""


def fresh_content(message: Message) -> dict[str, object]:
    """A new content."""
    role = "model" if message.role is Role.ASSISTANT else "user"
    return {"role": role, "parts": [p for b in message.blocks for p in fresh_parts(b, None)]}


def fresh_parts(block: Block, source: Source | None) -> Iterator[Mapping[str, object]]:
    """A block as parts; media only where there is a source to take them from."""
    match block:
        case Text():
            yield {"text": block.text}
        case Thinking():
            own = source is not None and source.conversation.rules == "google"
            sealed = {"thoughtSignature": block.signature} if own and block.signature else {}
            if block.text or sealed:
                yield {"text": block.text, "thought": True, **sealed}
        case ToolCall():
            called = {"name": block.name, "args": argument_object(block.arguments)}
            yield {"functionCall": {**({"id": block.id} if block.id else {}), **called}}
        case ToolResult():
            yield {"functionResponse": _answer(block)}
            yield from (_media(part, source) for part in block.parts if isinstance(part, Opaque))
        case Opaque():
            yield _media(block, source)


def _answer(result: ToolResult) -> Mapping[str, object]:
    """A response must be an object; the API knows `output` and `error`."""
    said = {"error" if result.is_error else "output": result.text}
    ident = {"id": result.call_id} if result.call_id else {}
    return {**ident, "name": result.name or "tool", "response": said}


def _media(block: Opaque, source: Source | None) -> Mapping[str, object]:
    media = None if source is None else source.media(block)
    if media is not None and media.data:
        return {"inlineData": {"mimeType": media.type, "data": media.data}}
    if media is not None and media.type:
        return {"fileData": {"mimeType": media.type, "fileUri": media.url}}
    said = block.visible or f"[{block.note or block.kind}]"
    return {"text": said if source is None else source.text_of(block)}


def usage_of(value: object) -> Usage | None:
    """Reported usage: the prompt has the cached part in it; thoughts are paid as output."""
    if not isinstance(value, Mapping):
        return None

    def number(key: str) -> int:
        found = value.get(key)
        return found if isinstance(found, int) else 0

    thoughts = number("thoughtsTokenCount")
    return Usage(
        number("promptTokenCount") + number("toolUsePromptTokenCount"),
        number("candidatesTokenCount") + thoughts,
        number("cachedContentTokenCount"),
        0,
        thoughts,
    )
