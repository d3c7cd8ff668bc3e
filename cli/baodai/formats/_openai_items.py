"""Messages as OpenAI's chat API writes them, for conversations from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from baodai.formats.source import EXTRA, Source
from baodai.model import Block, Message, Opaque, Part, Text, Thinking, ToolCall, ToolResult


def fresh_call(call: ToolCall) -> object:
    """A call in the API's shape; free text is a custom tool's."""
    if call.freeform:
        custom = {"name": call.name, "input": call.arguments}
        return {"id": call.id, "type": "custom", "custom": custom}
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def composed(message: Message, source: Source) -> Iterator[object]:
    """A message from elsewhere: results are messages of their own, all else is one."""
    for result in message.results:
        yield _result(result, source)
    rest = [block for block in message.blocks if not isinstance(block, ToolResult)]
    if not rest:
        return
    role = "system" if message.is_summary else message.role.value
    # A user's text may stand beside results; nobody but the API's `tool` speaks through them.
    role = "user" if role == "tool" else role
    said: dict[str, object] = {"role": role, "content": _content(rest, source)}
    reasoning = "\n".join(b.text for b in rest if isinstance(b, Thinking) and b.text)
    if reasoning:
        said["reasoning_content"] = reasoning
    if message.calls:
        said["tool_calls"] = [fresh_call(call) for call in message.calls]
    sealed = [b.signature for b in rest if isinstance(b, Thinking) and b.signature]
    yield said | source.beyond(message, signatures=sealed)


def _content(blocks: Sequence[Block], source: Source) -> object:
    parts = [_part(block, source) for block in blocks if isinstance(block, Text | Opaque)]
    if not parts:
        return None
    alone = parts[0].get("text") if len(parts) == 1 else None
    return alone if isinstance(alone, str) else parts


def _part(block: Part, source: Source) -> Mapping[str, object]:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    media = source.media(block)
    if media is not None and media.type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": media.link}}
    if media is not None and media.data:
        name = block.note or block.kind
        return {"type": "file", "file": {"filename": name, "file_data": media.link}}
    return {"type": "text", "text": source.text_of(block)}


def _result(result: ToolResult, source: Source) -> object:
    """A result: text alone, as the API takes no images in one; those travel in the extra."""
    texts: list[str] = []
    held: list[str] = []
    for part in result.parts:
        if isinstance(part, Text):
            texts.append(part.text)
            continue
        media = source.media(part)
        if media is not None:
            held.append(media.link)
        texts.append(source.text_of(part))
    parts = [{"type": "text", "text": text} for text in texts]
    extra: dict[str, object] = {"media": held} if held else {}
    extra |= {"is_error": True} if result.is_error else {}
    return {
        "role": "tool",
        "tool_call_id": result.call_id,
        "content": texts[0] if len(texts) == 1 else parts or "",
        **({EXTRA: extra} if extra else {}),
    }
