"""OpenAI chat completions: messages, requests, fine-tuning rows, request and response logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from baodai.formats._blocks import (
    Shape,
    changed,
    is_json,
    object_changes,
    parts_of,
    thinking,
    without_empty,
)
from baodai.formats._chat import ChatFormat
from baodai.formats._dialect import Place
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._media import image
from baodai.formats._openai_items import composed, fresh_call
from baodai.formats._sheet import Changes
from baodai.formats._writing import Plain
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

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
_OWN_PARTS = frozenset({"image_url", "input_audio", "refusal", "file"})
_OTHER_PARTS = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "document", "image"}
    | {"input_text", "output_text", "server_tool_use", "toolCall"}
)
_REASONING = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Members that say the same reasoning; where it goes, all of them go."""


class OpenAIChat(Plain):
    """The dialect of OpenAI's chat API and of all that speak it."""

    name = "openai-chat"
    rules = "openai"
    plain = 0.6
    user_carrier = False
    system_beside = False

    def score(self, message: Mapping[str, object]) -> float:
        """Tool calls, tool messages and typed parts tell; plain text is mostly this."""
        kinds = _kinds(message.get("content"))
        if message.get("role") not in _ROLES or kinds & _OTHER_PARTS or "parts" in message:
            return 0.0
        if any(key in message for key in ("tool_calls", "function_call", "tool_call_id")):
            return 1.0
        if message["role"] in {"system", "developer", "tool", "function"} or kinds & _OWN_PARTS:
            return 1.0
        return 0.0 if "stop_reason" in message else 0.5

    def read(self, value: Mapping[str, object], place: Place) -> Message:
        """A message with all content shapes that are found."""
        role = _ROLES.get(str(value.get("role")), Role.USER)
        path = place.path
        blocks = [*_reasoning(value, path), *_content(value.get("content"), path, role)]
        refusal = value.get("refusal")
        if isinstance(refusal, str) and refusal:
            blocks.append(_text(refusal, (*path, "refusal"), role))
        if role is Role.TOOL:
            blocks = [_tool_result(value, path, blocks)]
        blocks.extend(_calls(value, path))
        return Message(
            place.id,
            role,
            tuple(blocks),
            line=place.line,
            record=place.record,
            path=path,
        )

    def answered(self, message: Message, response: object) -> Message:
        """The message with the usage, the reason of its end and the model of its response."""
        stop, model = at(response, ("choices", 0, "finish_reason")), at(response, ("model",))
        return replace(
            message,
            usage=_usage(at(response, ("usage",))),
            stop_reason=stop if isinstance(stop, str) else "",
            model=model if isinstance(model, str) else "",
        )

    def system(self, request: object, place: Place) -> Iterator[Message]:
        """None: system messages are among the messages."""
        del request, place
        yield from ()

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """What to write so that `old` says what `new` says."""
        changes = changed(old, new, record, Shape(_put_arguments))
        without_empty(changes, record, ("tool_calls",))
        kept = {block.path for block in new.blocks}
        owner = at(record, old.path)
        for block in old.blocks:
            if isinstance(block, Thinking) and block.path not in kept and isinstance(owner, dict):
                places = [(*old.path, key) for key in _REASONING if owner.get(key)]
                changes.removes = [p for p in changes.removes if p[:-1] not in places] + places
        return changes

    def fresh(self, message: Message, near: object) -> object:
        """A new message under its role; one that carries a result answers its call."""
        del near
        for result in message.results:
            return {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
        calls = [fresh_call(call) for call in message.calls]
        said = {"role": message.role.value, "content": message.text}
        return {**said, "tool_calls": calls} if calls else said

    def compose(self, source: Source) -> Iterator[object]:
        """A row with messages and tools that say what the source says."""
        tools = [{"type": "function", "function": asdict(tool)} for tool in source.tools]
        model = source.conversation.model
        yield {
            **({"model": model} if model else {}),
            "messages": [item for m in source.messages for item in composed(m, source)],
            **({"tools": tools} if tools else {}),
        }


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    return Usage(
        _int(value, "prompt_tokens"),
        _int(value, "completion_tokens"),
        _int(value, "prompt_tokens_details", "cached_tokens"),
        0,
        _int(value, "completion_tokens_details", "reasoning_tokens"),
    )


def _int(value: object, *path: str) -> int:
    found = at(value, path)
    return found if isinstance(found, int) else 0


def _kinds(content: object) -> set[str]:
    if not isinstance(content, list):
        return set()
    return {str(part.get("type")) for part in content if isinstance(part, Mapping)}


def _voice(role: Role) -> Voice:
    return {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)


def _text(text: str, path: Path, role: Role) -> Text:
    return user_text(text, path) if role is Role.USER else Text(text, _voice(role), path=path)


def _content(content: object, path: Path, role: Role) -> Iterator[Block]:
    here = (*path, "content")
    match content:
        case None | "":
            return
        case str():
            yield _text(content, here, role)
        case list():
            for i, part in enumerate(content):
                yield from _part(part, (*here, i), role)
        case _:
            yield Opaque("content", visible=dumps(content).decode(), path=here)


def _part(part: object, path: Path, role: Role) -> Iterator[Block]:
    if isinstance(part, str):
        yield _text(part, path, role)
        return
    if not isinstance(part, Mapping):
        yield Opaque("content", visible=dumps(part).decode(), path=path)
        return
    kind = str(part.get("type", "text"))
    text = part.get("text", part.get("refusal", part.get("value")))
    if kind in _TEXT_TYPES | {"refusal"} and isinstance(text, str):
        yield _text(text, path, role)
    elif kind == "image_url":
        link = part.get("image_url")
        url = link.get("url") if isinstance(link, Mapping) else link
        yield image(url if isinstance(url, str) else "", "", path)
    elif kind in {"input_audio", "file", "audio", "video"}:
        yield Opaque(kind, note=kind, path=path)
    else:
        yield Opaque(kind, visible=dumps(part).decode(), path=path)


def _reasoning(value: Mapping[str, object], path: Path) -> Iterator[Block]:
    """The reasoning once, however often it is told: signed blocks before their plain text."""
    blocks = value.get("thinking_blocks")
    if isinstance(blocks, list) and blocks:
        for i, block in enumerate(blocks):
            if isinstance(block, Mapping):
                signature = block.get("signature", block.get("data"))
                yield thinking(block.get("thinking"), signature, (*path, "thinking_blocks", i))
        return
    for key in ("reasoning_content", "reasoning"):
        text = value.get(key)
        if isinstance(text, str) and text:
            yield thinking(text, "", (*path, key))
            return


def _tool_result(value: Mapping[str, object], path: Path, blocks: Sequence[Block]) -> ToolResult:
    call_id, name = value.get("tool_call_id"), value.get("name")
    result = ToolResult(
        call_id if isinstance(call_id, str) else "",
        parts_of(blocks),
        name=name if isinstance(name, str) else "",
        path=path,
    )
    return with_spoken(result)


def _calls(value: Mapping[str, object], path: Path) -> Iterator[ToolCall]:
    calls = value.get("tool_calls")
    for i, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, Mapping):
            yield _call(call, (*path, "tool_calls", i))
    legacy = value.get("function_call")
    if isinstance(legacy, Mapping):
        arguments = _string(legacy.get("arguments"))
        yield ToolCall("", _string(legacy.get("name")), arguments, path=(*path, "function_call"))


def _call(call: Mapping[str, object], path: Path) -> ToolCall:
    call_id = _string(call.get("id"))
    custom = call.get("custom")
    if isinstance(custom, Mapping):
        name, text = _string(custom.get("name")), _string(custom.get("input"))
        return ToolCall(call_id, name, text, freeform=True, path=path)
    function = call.get("function")
    said: Mapping[str, object] = function if isinstance(function, Mapping) else call
    return ToolCall(call_id, _string(said.get("name")), _string(said.get("arguments")), path=path)


def _string(value: object) -> str:
    """A string as it is; what should be one but is an object, as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else dumps(value).decode()


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    """New arguments in the form the old ones had; what an API would refuse is not written."""
    value = at(record, old.path)
    if not isinstance(value, Mapping):
        return {}
    if "custom" in value:
        return {(*old.path, "custom", "input"): new.arguments}
    here = (*old.path, "function") if "function" in value else old.path
    place = (*here, "arguments")
    if isinstance(at(record, place), Mapping):
        return object_changes(old.arguments, new.arguments, place)
    return {place: new.arguments} if is_json(new.arguments) else {}


FORMAT = ChatFormat(
    OpenAIChat(),
    "OpenAI chat completions: one message or one conversation a line, arrays, request logs",
    "a system message right after the system prompt",
)
