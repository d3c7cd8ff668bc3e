"""Anthropic messages: requests with system and thinking, arrays, lines, recorded exchanges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from baodai.formats._anthropic_items import composed, items
from baodai.formats._blocks import Shape, changed, object_changes, parts_of, thinking
from baodai.formats._chat import ChatFormat
from baodai.formats._dialect import Place
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._media import image
from baodai.formats._repair import alternating
from baodai.formats._sheet import Changes
from baodai.formats._writing import Plain
from baodai.formats.source import Source, carried
from baodai.heading import OPENS
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

_OWN = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "document",
        "image",
        "search_result",
        "server_tool_use",
        "mcp_tool_use",
        "container_upload",
        "compaction",
    }
)
_FOREIGN = frozenset(
    {"toolCall", "image_url", "input_audio", "input_text", "output_text", "refusal", "file"}
)
_SEAL = re.compile(r"encrypted_\w+|signature|data")
_SEALED = 200
"""Characters above which a member that may be sealed is taken to be."""
_ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}


class AnthropicMessages(Plain):
    """The dialect of Anthropic's messages API."""

    name = "anthropic-messages"
    rules = "anthropic"
    plain = 0.4
    user_carrier = True
    system_beside = True

    def score(self, message: Mapping[str, object]) -> float:
        """Typed blocks tell; a tool role or tool_calls are another dialect's."""
        foreign = {"tool_calls", "parts", "api"} & message.keys()
        if message.get("role") not in _ROLES or foreign:
            return 0.0
        content = message.get("content")
        if not isinstance(content, list):
            return 0.5
        if "stop_reason" in message and message.get("type") == "message":
            return 1.0
        kinds = {str(b.get("type")) for b in content if isinstance(b, Mapping)}
        if kinds & _FOREIGN or any(k.startswith("tool-") for k in kinds):
            return 0.0
        return 1.0 if kinds & _OWN else 0.5

    def read(self, value: Mapping[str, object], place: Place) -> Message:
        """A message with its blocks."""
        role = _ROLES.get(str(value.get("role")), Role.USER)
        stop, model = value.get("stop_reason"), value.get("model")
        return Message(
            place.id,
            role,
            (
                *carried(value, place.path),
                *blocks_of(value.get("content"), (*place.path, "content"), role),
            ),
            line=place.line,
            record=place.record,
            path=place.path,
            model=model if isinstance(model, str) else "",
            usage=usage_of(value.get("usage")),
            stop_reason=stop if isinstance(stop, str) else "",
        )

    def answered(self, message: Message, response: object) -> Message:
        """The message as it is: the response is the message."""
        del response
        return message

    def system(self, request: object, place: Place) -> Iterator[Message]:
        """The system prompt beside the messages: one text, or a message for each block."""
        said = request.get("system") if isinstance(request, Mapping) else None
        path = (*place.path, "system")
        if isinstance(said, str) and said:
            yield _system(said, place, path, "")
        for i, block in enumerate(said if isinstance(said, list) else ()):
            text = block.get("text") if isinstance(block, Mapping) else None
            if isinstance(text, str):
                yield _system(text, place, (*path, i), str(i))

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """What to write so that `old` says what `new` says."""
        return changed(old, new, record, SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new message. A summary speaks as a user, there is no system here."""
        del near
        role = "assistant" if message.role is Role.ASSISTANT else "user"
        return {"role": role, "content": [i for b in message.blocks for i in items(b)]}

    def beside(self, message: Message, base: Path, request: object) -> Changes | None:
        """A summary is a second block of the request's system prompt."""
        owner = at(request, base)
        if not isinstance(owner, Mapping):
            return None
        block = {"type": "text", "text": message.text}
        place = (*base, "system")
        said = owner.get("system")
        if isinstance(said, list):
            carriers = [i for i, b in enumerate(said) if _is_carrier(b)]
            where = carriers[0] if carriers else len(said)
            return Changes(inserts={(*place, where): [block]})
        blocks = (
            [{"type": "text", "text": said}, block] if isinstance(said, str) and said else [block]
        )
        return Changes(puts={place: blocks})

    def compose(self, source: Source) -> Iterator[object]:
        """A request that says what the source says; turns are taken as the API wants it."""
        system = [{"type": "text", "text": m.text} for m in source.systems() if m.text]
        made = [composed(m, source) for m in alternating(source.spoken(), source.notes)]
        messages = [message for message in made if message["content"]]
        if len(messages) < len(made):
            source.notes.append("a message of nothing but unsigned thinking was left out")
        tools = [
            {"name": t.name, "description": t.description, "input_schema": t.parameters}
            for t in source.tools
        ]
        model = source.conversation.model
        yield {
            **({"model": model} if model else {}),
            "system": system,  # an empty one too: it tells whose messages these are
            "messages": messages,
            **({"tools": tools} if tools else {}),
        }


def _is_carrier(block: object) -> bool:
    text = block.get("text") if isinstance(block, Mapping) else None
    return isinstance(text, str) and text.startswith(OPENS)


def _system(text: str, place: Place, path: Path, name: str) -> Message:
    block = Text(text, Voice.HARNESS, path=path)
    return Message(
        place.id + name, Role.SYSTEM, (block,), line=place.line, record=place.record, path=path
    )


def blocks_of(content: object, path: Path, role: Role) -> Iterator[Block]:
    """The blocks of a message's content, whatever its shape."""
    match content:
        case None | "":
            return
        case str():
            yield _text(content, path, role)
        case list():
            for i, part in enumerate(content):
                yield block_of(part, (*path, i), role)
        case _:
            yield Opaque("content", visible=dumps(content).decode(), path=path)


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    return Text(text, Voice.MODEL if role is Role.ASSISTANT else Voice.HARNESS, path=path)


def block_of(part: object, path: Path, role: Role) -> Block:
    """One block."""
    if isinstance(part, str):
        return _text(part, path, role)
    if not isinstance(part, Mapping):
        return Opaque("content", visible=dumps(part).decode(), path=path)
    kind = str(part.get("type", "text"))
    text = part.get("text")
    if kind == "text" and isinstance(text, str):
        return _text(text, path, role)
    read = _READERS.get(kind)
    return opaque(kind, part, path) if read is None else read(part, path)


def opaque(kind: str, part: Mapping[str, object], path: Path) -> Opaque:
    """A block that is not taken apart: media by its size, others by the text the model reads."""
    source = part.get("source")
    if kind == "image" and isinstance(source, Mapping):
        data = source.get("data") or source.get("url")
        media = source.get("media_type")
        return image(data if isinstance(data, str) else "", str(media or ""), path)
    if kind == "document":
        inner = source if isinstance(source, Mapping) else {}
        text = inner.get("data") if inner.get("type") == "text" else None
        note = str(part.get("title") or inner.get("media_type") or "document")
        return Opaque(kind, visible=text if isinstance(text, str) else "", note=note, path=path)
    visible = dumps(unsealed(part)).decode()
    return Opaque(kind, visible=visible, note=str(part.get("name", "")), path=path)


def unsealed(value: object, key: str = "") -> object:
    """A value as it counts: of sealed text (base64 of what the model reads) a quarter.

    Base64 takes about four times the tokens of the prose it stands for.
    """
    match value:
        case str() if len(value) > _SEALED and _SEAL.fullmatch(key) and " " not in value[:_SEALED]:
            return value[: len(value) // 4]
        case dict():
            return {k: unsealed(v, str(k)) for k, v in value.items()}
        case list():
            return [unsealed(v, key) for v in value]
        case _:
            return value


def _tool_use(part: Mapping[str, object], path: Path) -> ToolCall:
    dumped = dumps(part.get("input"))
    return ToolCall(str(part.get("id", "")), str(part.get("name", "")), dumped.decode(), path=path)


def _tool_result(part: Mapping[str, object], path: Path) -> ToolResult:
    inner = blocks_of(part.get("content"), (*path, "content"), Role.TOOL)
    parts = tuple(
        Text(block.text, Voice.TOOL, path=block.path) if isinstance(block, Text) else block
        for block in parts_of(tuple(inner))
    )
    result = ToolResult(
        str(part.get("tool_use_id", "")), parts, part.get("is_error") is True, path=path
    )
    return with_spoken(result, errors_are_marked=True)


_READERS: Mapping[str, Callable[[Mapping[str, object], Path], Block]] = {
    "thinking": lambda part, path: thinking(part.get("thinking"), part.get("signature"), path),
    "redacted_thinking": lambda part, path: thinking("", part.get("data"), path),
    "tool_use": _tool_use,
    "tool_result": _tool_result,
}


def usage_of(value: object) -> Usage | None:
    """Reported usage; the input without cached parts becomes the whole prompt."""
    if not isinstance(value, Mapping):
        return None
    read, write = _int(value, "cache_read_input_tokens"), _int(value, "cache_creation_input_tokens")
    split = value.get("cache_creation")
    told = isinstance(split, Mapping) and any(
        isinstance(split.get(f"ephemeral_{life}_input_tokens"), int) for life in ("5m", "1h")
    )
    return Usage(
        _int(value, "input_tokens") + read + write,
        _int(value, "output_tokens"),
        read,
        write,
        cache_write_1h=min(write, _int(split, "ephemeral_1h_input_tokens")) if told else None,
    )


def _int(value: object, key: str) -> int:
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, int) else 0


def put_input(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    """New arguments as the object the API wants; the old ones stay where they are none."""
    del record
    return object_changes(old.arguments, new.arguments, (*old.path, "input"))


SHAPE = Shape(put_input)
"""How Anthropic's blocks are written."""

FORMAT = ChatFormat(
    AnthropicMessages(),
    "Anthropic messages: requests, arrays, one message a line, recorded exchanges",
    "a second block of the system prompt; a user message where there is no request",
)
