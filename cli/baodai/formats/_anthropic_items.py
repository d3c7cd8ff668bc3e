"""Blocks as Anthropic's API writes them, for new messages and for conversations from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from baodai.formats._media import Media
from baodai.formats.source import EXTRA, Source, argument_object
from baodai.model import (
    Block,
    Message,
    Opaque,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

Other = Callable[[Opaque], "Mapping[str, object]"]
"""How a block that is no text is written."""


def as_text(block: Opaque) -> Mapping[str, object]:
    """A block told in words: what the model read of it, or what it was."""
    return {"type": "text", "text": block.visible or f"[{block.note or block.kind}]"}


def items(block: Block, other: Other = as_text) -> Iterator[Mapping[str, object]]:
    """A block in the API's shape."""
    match block:
        case Text():
            yield {"type": "text", "text": block.text}
        case Thinking():
            yield {"type": "thinking", "thinking": block.text, "signature": block.signature}
        case ToolCall():
            called = argument_object(block.arguments)
            yield {"type": "tool_use", "id": block.id, "name": block.name, "input": called}
        case ToolResult():
            parts = [item for part in block.parts for item in items(part, other)]
            result: dict[str, object] = {"tool_use_id": block.call_id, "type": "tool_result"}
            plain = len(block.parts) == 1 and isinstance(block.parts[0], Text)
            yield result | {"content": block.text if plain else parts, "is_error": block.is_error}
        case Opaque():
            yield other(block)


def media_items(source: Source) -> Other:
    """Images and documents as blocks of their own; what is Anthropic's as it was; else words."""

    def item(block: Opaque) -> Mapping[str, object]:
        own = source.value(block) if source.conversation.rules == "anthropic" else None
        if isinstance(own, dict) and own.get("type") == block.kind:
            return own
        media = source.media(block)
        kind = None if media is None else _kind(media)
        if media is None or kind is None:
            return {"type": "text", "text": source.text_of(block)}
        if media.data:
            held: dict[str, object] = {"type": "base64", "media_type": media.type}
            return {"type": kind, "source": held | {"data": media.data}}
        return {"type": kind, "source": {"type": "url", "url": media.url}}

    return item


def _kind(media: Media) -> str | None:
    """Anthropic takes images and PDF documents."""
    if media.type.startswith("image/"):
        return "image"
    return "document" if media.type == "application/pdf" else None


def signed(message: Message, source: Source) -> tuple[Message, str]:
    """The message with the thinking that Anthropic signed, and the text of all other thinking.

    The API refuses a signature that is not its own, so that other thinking can be no block.
    """
    own = source.conversation.rules == "anthropic"
    blocks: list[Block] = []
    unsigned: list[str] = []
    for block in message.blocks:
        if isinstance(block, Thinking) and not (own and block.signature):
            unsigned.append(block.text)
        elif not isinstance(block, Text) or block.text.strip():
            blocks.append(block)
    said = "\n".join(filter(None, unsigned))
    if said:
        source.notes.append(f"thinking without Anthropic's signature went into {EXTRA}")
    return replace(message, blocks=tuple(blocks)), said


def composed(message: Message, source: Source) -> dict[str, object]:
    """A message from elsewhere."""
    role = "assistant" if message.role is Role.ASSISTANT else "user"
    other = media_items(source)
    kept, thinking = signed(message, source)
    content = [item for block in kept.blocks for item in items(block, other)]
    return {"role": role, "content": content} | source.beyond(message, thinking=thinking)
