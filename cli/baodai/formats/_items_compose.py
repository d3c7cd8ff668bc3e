"""A conversation from elsewhere as Responses items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats.source import EXTRA, Source
from baodai.model import Block, Message, Opaque, Role, Text, Thinking, ToolCall, ToolResult


def composed_items(source: Source) -> Iterator[object]:
    """A request with the items; system prompts are developer messages among them."""
    items = [item for message in source.messages for item in _items(message, source)]
    while items and items[-1].get("type") == "reasoning":
        items.pop()  # the item it led to never came; the API refuses it alone
        source.notes.append("reasoning at the end led to nothing and was left out")
    tools = [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "strict": False,
        }
        for tool in source.tools
    ]
    model = source.conversation.model
    yield {
        **({"model": model} if model else {}),
        "input": items,
        **({"tools": tools} if tools else {}),
    }


def _items(message: Message, source: Source) -> Iterator[Mapping[str, object]]:
    """The items of a message in the order of its blocks; texts side by side are one item."""
    parts: list[Mapping[str, object]] = []
    extra = source.beyond(message)
    for block in message.blocks:
        if isinstance(block, Text | Opaque):
            parts.append(_part(block, message, source))
            continue
        if parts:
            yield _message(message, parts) | extra
            parts, extra = [], {}
        yield from _alone(block, message, source)
    if parts:
        yield _message(message, parts) | extra


def _alone(
    block: ToolCall | ToolResult | Thinking, message: Message, source: Source
) -> Iterator[Mapping[str, object]]:
    """The item of a block that is one by itself."""
    own = source.conversation.rules == "openai"
    match block:
        case ToolCall():
            yield _call(block)
        case ToolResult():
            yield _result(block, message, source)
        case Thinking() if block.text or (own and block.signature):
            yield _reasoning(block, message, own=own)
        case Thinking():
            source.notes.append("reasoning that only its provider can read was left out")


def _message(message: Message, parts: list[Mapping[str, object]]) -> dict[str, object]:
    role = "developer" if message.role is Role.SYSTEM or message.is_summary else message.role.value
    role = "user" if role == "tool" else role
    item: dict[str, object] = {"type": "message", "role": role, "content": list(parts)}
    # The API's type of an answer that is given back asks for both.
    own = {"id": f"msg_{message.id}", "status": "completed"} if role == "assistant" else {}
    return own | item


def _part(block: Text | Opaque, message: Message, source: Source) -> Mapping[str, object]:
    assistant = message.role is Role.ASSISTANT
    if isinstance(block, Text):
        text = {"type": "output_text" if assistant else "input_text", "text": block.text}
        return {**text, "annotations": []} if assistant else text
    media = None if assistant else source.media(block)
    if media is not None and media.type.startswith("image/"):
        return {"type": "input_image", "image_url": media.link, "detail": "auto"}
    if media is not None and media.data:
        name = block.note or block.kind
        return {"type": "input_file", "filename": name, "file_data": media.link}
    said = Text(source.text_of(block))
    return _part(said, message, source)


def _call(call: ToolCall) -> Mapping[str, object]:
    if call.freeform:
        kind = {"type": "custom_tool_call", "call_id": call.id, "name": call.name}
        return {**kind, "input": call.arguments}
    kind = {"type": "function_call", "call_id": call.id, "name": call.name}
    return {**kind, "arguments": call.arguments or "{}"}


def _result(result: ToolResult, message: Message, source: Source) -> Mapping[str, object]:
    """A result: text alone, or a list where there are images."""
    parts = [_part(part, message, source) for part in result.parts]
    plain = all(isinstance(part, Text) for part in result.parts)
    freeform = _is_freeform(result, source)
    kind = "custom_tool_call_output" if freeform else "function_call_output"
    item: dict[str, object] = {"type": kind, "call_id": result.call_id}
    item["output"] = result.text if plain else parts
    return item | ({EXTRA: {"is_error": True}} if result.is_error else {})


def _is_freeform(result: ToolResult, source: Source) -> bool:
    blocks: Iterator[Block] = (b for m in source.messages for b in m.blocks)
    return any(isinstance(b, ToolCall) and b.freeform and b.id == result.call_id for b in blocks)


def _reasoning(block: Thinking, message: Message, *, own: bool) -> Mapping[str, object]:
    """Reasoning; what another provider sealed is not sent along."""
    summary = [{"type": "summary_text", "text": block.text}] if block.text else []
    item: dict[str, object] = {"type": "reasoning", "id": f"rs_{message.id}", "summary": summary}
    return item | ({"encrypted_content": block.signature} if own and block.signature else {})
