"""The items of OpenAI's Responses API, which Codex keeps in its sessions too.

Every item is a message of its own; those that a model made in one go share a group. A reasoning
item stands directly before the item it led to: who takes it out takes the id from that one too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from baodai.formats._blocks import Shape, changed, is_json, object_changes, parts_of
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._media import image
from baodai.formats._sheet import Changes
from baodai.formats.anthropic_messages import unsealed
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
    Voice,
)

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
}
_ARGUMENTS = ("arguments", "input", "action", "operation", "actions")
"""Where the kinds of calls keep what they are called with."""
_FREEFORM = "custom_tool_call"
_SERVER = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "additional_tools",
        "program",
        "program_output",
    }
)
_FOLDED = frozenset({"compaction", "compaction_summary", "context_compaction"})
"""Items that stand for all before them, encrypted or not."""
_NO_CONTENT = frozenset({"item_reference", "compaction_trigger", "ghost_snapshot", "other"})


def is_item(value: object) -> bool:
    """Whether a value is an item; a message without a type is one among others only."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    if kind in (None, "message"):
        return value.get("role") in _ROLES and "content" in value and "message" not in value
    return isinstance(kind, str) and (
        kind in {"reasoning", "mcp_call"} | _SERVER | _NO_CONTENT
        or (kind in _FOLDED and bool({"encrypted_content", "content"} & set(value)))
        or (kind.endswith(("_call", "_call_output", "_output")) and len(value) > 1)
    )


def tells(value: object) -> bool:
    """Whether an item can be no message of another API."""
    if not is_item(value) or not isinstance(value, Mapping):
        return False
    if value.get("type") not in (None, "message"):
        return True
    content = value.get("content")
    kinds = {at(part, ("type",)) for part in content} if isinstance(content, list) else set()
    return bool(kinds & {"input_text", "output_text", "input_image", "input_file"})


def opens_rollout(value: object) -> bool:
    """Whether a record is the header of an old Codex rollout, which holds bare items."""
    return isinstance(value, Mapping) and {"id", "timestamp", "instructions"} <= value.keys()


def folds(value: object) -> bool:
    """Whether what stands before an item is folded into it."""
    return at(value, ("type",)) in _FOLDED


def read_item(value: Mapping[str, object], message: Message, prefix: Path) -> Message:
    """The message of an item; `message` tells its place, `prefix` the item's in its record."""
    kind = str(value.get("type", "message"))
    if kind == "message":
        role = _ROLES.get(str(value.get("role")), Role.USER)
        blocks = tuple(_content(value.get("content"), (*prefix, "content"), role))
        return replace(message, role=role, blocks=blocks)
    if kind == "reasoning":
        return replace(message, role=Role.ASSISTANT, blocks=(_reasoning(value, prefix),))
    if kind.endswith("_output"):
        return replace(message, role=Role.TOOL, blocks=(_result(value, prefix),))
    if kind in _FOLDED:
        return replace(message, role=Role.SYSTEM, blocks=(_opaque(kind, value, prefix),))
    if kind in _SERVER or not kind.endswith("_call") or kind == "mcp_call":
        blocks = () if kind in _NO_CONTENT else (_opaque(kind, value, prefix),)
        return replace(message, role=Role.ASSISTANT, blocks=blocks)
    return replace(message, role=Role.ASSISTANT, blocks=(_call(kind, value, prefix),))


def in_groups(messages: list[Message]) -> list[Message]:
    """The messages with a group for what a model said in one go, by the first one's id."""
    found: list[Message] = []
    group = ""
    for message in messages:
        if message.role is not Role.ASSISTANT:
            group = ""
            found.append(message)
            continue
        group = group or message.id
        found.append(replace(message, group=group))
    return found


def _reasoning(value: Mapping[str, object], path: Path) -> Thinking:
    lists = (found for key in ("summary", "content") if isinstance(found := value.get(key), list))
    said = (at(part, ("text",)) for parts in lists for part in parts)
    texts = [text for text in said if isinstance(text, str)]
    sealed = value.get("encrypted_content")
    return Thinking("\n".join(texts), sealed if isinstance(sealed, str) else "", path=path)


def _call(kind: str, value: Mapping[str, object], path: Path) -> ToolCall:
    """A call of any kind; `local_shell_call` may be known by its id only."""
    call_id = value.get("call_id") or value.get("id")
    name = value.get("name")
    space = value.get("namespace")
    said = name if isinstance(name, str) and name else kind.removesuffix("_call")
    said = f"{space}.{said}" if isinstance(space, str) and space else said
    key = next((k for k in _ARGUMENTS if k in value), "")
    raw = value.get(key)
    text = raw if isinstance(raw, str) else "" if raw is None else dumps(raw).decode()
    free = kind == _FREEFORM
    here = (*path, key) if key else path
    return ToolCall(str(call_id or ""), said, text, freeform=free, path=here)


def _result(value: Mapping[str, object], path: Path) -> ToolResult:
    call_id = value.get("call_id") or value.get("id")
    key = next((k for k in ("output", "tools") if k in value), "output")
    output, here = value.get(key), (*path, key)
    match output:
        case str():
            parts: tuple[Text | Opaque, ...] = (Text(output, Voice.TOOL, path=here),)
        case list() if (
            all(isinstance(at(part, ("type",)), str) for part in output) and key != "tools"
        ):
            parts = parts_of(tuple(_content(output, here, Role.TOOL)))
        case None:
            parts = ()
        case dict() if isinstance(output.get("content"), str):
            parts = (Text(str(output["content"]), Voice.TOOL, path=(*here, "content")),)
        case _:
            parts = (Opaque(key, visible=dumps(output).decode(), path=here),)
    failed = value.get("status") in {"failed", "incomplete"}
    return with_spoken(ToolResult(str(call_id or ""), parts, failed, path=path))


def _content(content: object, path: Path, role: Role) -> Iterator[Block]:
    if isinstance(content, str):
        if content:
            yield _text(content, path, role)
        return
    for i, part in enumerate(content if isinstance(content, list) else ()):
        yield _part(part, (*path, i), role)


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    voice = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)
    return Text(text, voice, path=path)


def _part(part: object, path: Path, role: Role) -> Block:
    kind = str(at(part, ("type",)))
    for key in ("text", "refusal"):
        text = at(part, (key,))
        if isinstance(text, str):
            return _text(text, path, role)
    link = at(part, ("image_url",))
    if kind == "input_image":
        return image(link if isinstance(link, str) else "", "", path)
    if kind == "input_file":
        name = at(part, ("filename",))
        return Opaque(kind, note=name if isinstance(name, str) else kind, path=path)
    return Opaque(kind, visible=dumps(part).decode(), path=path)


def _opaque(kind: str, value: Mapping[str, object], path: Path) -> Opaque:
    """Server tools and the like: counted by what can be read of them, sealed text by a quarter."""
    plain = {key: v for key, v in value.items() if key not in {"result", "id", "status"}}
    return Opaque(kind, visible=dumps(unsealed(plain)).decode(), note=kind, path=path)


def item_changes(old: Message, new: Message, record: object) -> Changes:
    """What to write so that an item says what `new` says."""
    return changed(old, new, record, _SHAPE)


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    if isinstance(at(record, old.path), str):
        return {old.path: new.arguments} if new.freeform or is_json(new.arguments) else {}
    return object_changes(old.arguments, new.arguments, old.path)


def _element(path: Path, text: str) -> object:
    return {"type": "input_text", "text": text} if isinstance(path[-1], int) else text


_SHAPE = Shape(_put_arguments, _element, output="output")


def fresh_item(message: Message) -> dict[str, object]:
    """A new item: a message, or a result that answers a call."""
    for result in message.results:
        return {"type": "function_call_output", "call_id": result.call_id, "output": result.text}
    for call in message.calls:
        item = {"type": "function_call", "call_id": call.id, "name": call.name}
        return {**item, "arguments": call.arguments}
    kind = "output_text" if message.role is Role.ASSISTANT else "input_text"
    role = "developer" if message.role is Role.SYSTEM or message.is_summary else message.role.value
    texts = (block.text for block in message.blocks if isinstance(block, Text))
    parts = [{"type": kind, "text": text} for text in texts]
    return {"type": "message", "role": role, "content": parts}
