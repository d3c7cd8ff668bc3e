"""A conversation from elsewhere as an ATIF trajectory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from uuid import NAMESPACE_URL, uuid5

from baodai.formats.source import EXTRA, Source, argument_object
from baodai.model import Message, Opaque, Role, Text, Thinking, ToolCall, ToolResult

_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_VERSION = "ATIF-v1.6"


def composed_trajectory(source: Source) -> Mapping[str, object]:
    """The trajectory; the schema forbids members of its own, so that extras go under `extra`."""
    conversation = source.conversation
    steps: list[dict[str, object]] = []
    for message in source.messages:
        for step in _steps(message, source, steps):
            steps.append({"step_id": len(steps) + 1, **step})
    model = conversation.model
    tools = [{"type": "function", "function": asdict(tool)} for tool in source.tools]
    agent = {
        "name": "baodai",
        "version": "1",
        **({"model_name": model} if model else {}),
        **({"tool_definitions": tools} if tools else {}),
    }
    session = str(uuid5(NAMESPACE_URL, f"baodai:{conversation.id}"))
    return {"schema_version": _VERSION, "session_id": session, "agent": agent, "steps": steps}


def _steps(
    message: Message, source: Source, before: list[dict[str, object]]
) -> Iterator[dict[str, object]]:
    """The step of a message; results go into the step of their calls."""
    results = [_result(block, source) for block in message.blocks if isinstance(block, ToolResult)]
    if results and before:
        before[-1]["observation"] = {"results": results}
    texts = [b.text for b in message.blocks if isinstance(b, Text)]
    texts += [source.text_of(b) for b in message.blocks if isinstance(b, Opaque)]
    thinking = "\n".join(b.text for b in message.blocks if isinstance(b, Thinking) and b.text)
    calls = [_call(b) for b in message.blocks if isinstance(b, ToolCall)]
    if not (texts or thinking or calls):
        return
    names = {Role.ASSISTANT: "agent", Role.SYSTEM: "system"}
    kind = "system" if message.is_summary else names.get(message.role, "user")
    step: dict[str, object] = {"source": kind, "message": "\n".join(texts)}
    dated = _ISO.match(message.timestamp) is not None
    if dated:
        step["timestamp"] = message.timestamp
    if kind == "agent":
        step |= {"reasoning_content": thinking} if thinking else {}
        step |= {"tool_calls": calls} if calls else {}
        step |= _metrics(message)
    slots = ("timestamp" if dated else "", "usage" if kind == "agent" else "")
    beyond = source.beyond(message, slots)
    yield step | ({"extra": beyond} if beyond else {})


def _metrics(message: Message) -> dict[str, object]:
    usage = message.usage
    if usage is None:
        return {}
    counts = {"prompt_tokens": usage.input, "completion_tokens": usage.output}
    return {"metrics": {**counts, "cached_tokens": usage.cache_read}}


def _call(call: ToolCall) -> Mapping[str, object]:
    arguments = argument_object(call.arguments)
    return {"tool_call_id": call.id, "function_name": call.name, "arguments": arguments}


def _result(result: ToolResult, source: Source) -> Mapping[str, object]:
    texts = [p.text if isinstance(p, Text) else source.text_of(p) for p in result.parts]
    if result.is_error:
        source.notes.append(f"that a result is an error is told nowhere in {_VERSION} ({EXTRA})")
    return {"source_call_id": result.call_id, "content": "\n".join(texts)}
