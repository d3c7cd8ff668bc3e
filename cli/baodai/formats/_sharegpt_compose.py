"""A conversation from elsewhere as a ShareGPT row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from baodai.formats.source import Source, argument_object
from baodai.jsonl import dumps
from baodai.model import Message, Opaque, Role, Text, Thinking, ToolCall, ToolResult


def composed_row(source: Source) -> Mapping[str, object]:
    """The row: system prompts joined in one, turns in their order, schemas as a string."""
    systems = [m.text for m in source.systems() if m.text]
    turns = [turn for message in source.spoken() for turn in _turns(message, source)]
    tools = dumps([asdict(tool) for tool in source.tools]).decode() if source.tools else ""
    return {
        "conversations": turns,
        **({"system": "\n\n".join(systems)} if systems else {}),
        **({"tools": tools} if tools else {}),
    }


def _turns(message: Message, source: Source) -> Iterator[Mapping[str, object]]:
    """The turns of a message: its text, its calls together, each of its results."""
    answer = message.role is Role.ASSISTANT
    blocks = message.blocks
    texts = [b.text for b in blocks if isinstance(b, Text)]
    texts += [source.text_of(b) for b in blocks if isinstance(b, Opaque)]
    thinking = "\n".join(b.text for b in blocks if isinstance(b, Thinking) and b.text)
    results = [b for b in blocks if isinstance(b, ToolResult)]
    for result in results:
        yield {"from": "observation", "value": _result(result, source)}
    if texts or thinking:
        said = {"from": "gpt" if answer else "human", "value": "\n".join(texts)}
        yield {**said, **source.beyond(message, thinking=thinking)}
    calls = [_call(b) for b in blocks if isinstance(b, ToolCall)]
    if calls:
        value = dumps(calls[0] if len(calls) == 1 else calls).decode()
        yield {"from": "function_call", "value": value}


def _call(call: ToolCall) -> Mapping[str, object]:
    return {"name": call.name, "arguments": argument_object(call.arguments)}


def _result(result: ToolResult, source: Source) -> str:
    texts = (p.text if isinstance(p, Text) else source.text_of(p) for p in result.parts)
    return "\n".join(texts)
