"""Reads OpenHands' events: actions and what was observed, in the shapes of its versions.

0.x pairs an observation with its action by `cause`, older histories by place, the 1.x SDK by ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
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

_UNSEEN = frozenset(
    {"null", "agent_state_changed", "change_agent_state", "recall", "condensation_request"}
)
_NOT_ARGUMENTS = frozenset(
    {"thought", "action", "is_confirmed", "confirmation_state", "security_risk", "hidden"}
    | {"source", "timestamp", "id", "message", "tool_call_metadata", "timeout", "llm_metrics"}
)
_SPEAKING = frozenset({"message", "finish", "reject", "system"})


@dataclass(frozen=True, slots=True)
class Event:
    """An event and its place; `key` pairs an observation with its action where no id does."""

    value: Mapping[str, object]
    record: int
    line: int
    path: Path
    key: str


def forgotten(event: Event) -> Sequence[object] | None:
    """The ids of the events that a condensation takes out of the context; `None` for others."""
    value = event.value
    if value.get("action") == "condensation":
        found = at(value, ("args", "forgotten_event_ids"))
        start, end = (at(value, ("args", f"forgotten_events_{k}_id")) for k in ("start", "end"))
        if isinstance(start, int) and isinstance(end, int) and not isinstance(found, list):
            return list(range(start, end + 1))
    elif value.get("kind") == "Condensation":
        found = value.get("forgotten_event_ids")
    else:
        return None
    return found if isinstance(found, list) else []


def summary_of(event: Event) -> Message | None:
    """The summary of a condensation."""
    inside: Path = ("args",) if "action" in event.value else ()
    text = at(event.value, (*inside, "summary"))
    if not isinstance(text, str) or not text:
        return None
    block = Text(text, Voice.HARNESS, path=(*event.path, *inside, "summary"))
    return replace(_at(event, Role.USER, (block,)), is_summary=True)


def message_of(event: Event, calls: Mapping[object, str]) -> Message | None:
    """The message of an event; `None` for one that the model does not read."""
    if "kind" in event.value and "action" not in event.value.keys() - {"kind"}:
        return _sdk(event)
    if event.value.get("kind") in _SDK:
        return _sdk(event)
    if event.value.get("observation") is not None:
        return _observed(event, calls)
    return _acted(event)


def _at(event: Event, role: Role, blocks: tuple[Block, ...]) -> Message:
    stamp = event.value.get("timestamp")
    return Message(
        f"{event.line}.{'.'.join(map(str, event.path))}",
        role,
        blocks,
        event.line,
        event.record,
        event.path,
        timestamp=stamp if isinstance(stamp, str) else "",
    )


def _acted(event: Event) -> Message | None:
    """What a user or the agent did: spoke, or called a tool."""
    value = event.value
    action = str(value.get("action"))
    if action in _UNSEEN or value.get("action") is None:
        return None
    flat = "args" not in value
    args = value if flat else value.get("args")
    inside: Path = event.path if flat else (*event.path, "args")
    if action in _SPEAKING:
        return _spoke(event, action, args, inside)
    blocks: list[Block] = []
    thought = at(args, ("thought",))
    if isinstance(thought, str) and thought:
        blocks.append(Text(thought, Voice.MODEL, path=(*inside, "thought")))
    named = at(value, ("tool_call_metadata", "function_name"))
    name = named if isinstance(named, str) else action
    held = args if isinstance(args, dict) else {}
    said = {key: v for key, v in held.items() if key not in _NOT_ARGUMENTS}
    # Without an id of its own a call is paired with what comes next.
    ident = str(value["id"]) if "id" in value else ""
    blocks.append(ToolCall(ident, name, dumps(said).decode(), path=inside))
    answer = at(value, ("tool_call_metadata", "model_response"))
    return _told(_at(event, Role.ASSISTANT, tuple(blocks)), answer)


def _spoke(event: Event, action: str, args: object, inside: Path) -> Message | None:
    keys = ("content", "final_thought", "thought")
    key = next((k for k in keys if isinstance(t := at(args, (k,)), str) and t), "")
    text = at(args, (key,)) if key else None
    if not isinstance(text, str):
        return None
    path = (*inside, key)
    source = event.value.get("source", "user" if action == "message" else "agent")
    if action == "system":
        return _at(event, Role.SYSTEM, (Text(text, Voice.HARNESS, path=path),))
    if source == "user":
        return _at(event, Role.USER, (user_text(text, path),))
    return _at(event, Role.ASSISTANT, (Text(text, Voice.MODEL, path=path),))


def _told(message: Message, answer: object) -> Message:
    """Usage and group of an action: parallel ones share an answer of the API."""
    ident, usage = at(answer, ("id",)), at(answer, ("usage",))
    prompt, said = at(usage, ("prompt_tokens",)), at(usage, ("completion_tokens",))
    stop, model = at(answer, ("choices", 0, "finish_reason")), at(answer, ("model",))
    counted = isinstance(prompt, int) and isinstance(said, int)
    return replace(
        message,
        group=ident if isinstance(ident, str) else "",
        usage=Usage(int(str(prompt)), int(str(said))) if counted else None,
        stop_reason=stop if isinstance(stop, str) else "",
        model=model if isinstance(model, str) else "",
    )


def _observed(event: Event, calls: Mapping[object, str]) -> Message | None:
    """What came of an action; what no action caused is the environment speaking."""
    value = event.value
    kind = str(value.get("observation"))
    if kind in _UNSEEN:
        return None
    content = value.get("content")
    path = (*event.path, "content")
    parts = (Text(content, Voice.TOOL, path=path),) if isinstance(content, str) else ()
    ident = calls.get(value.get("cause", event.key))
    if ident is None:
        return _at(event, Role.USER, parts)
    result = ToolResult(ident, parts, kind == "error", path=event.path)
    return _at(event, Role.TOOL, (with_spoken(result),))


def _sdk(event: Event) -> Message | None:
    """An event of the 1.x SDK."""
    read = _SDK.get(str(event.value.get("kind")))
    return None if read is None else read(event)


def _contents(event: Event, place: Path, role: Role) -> Iterator[Block]:
    found = at(event.value, place)
    for i, part in enumerate(found if isinstance(found, list) else ()):
        path = (*event.path, *place, i)
        text = at(part, ("text",))
        if not isinstance(text, str):
            yield Opaque(str(at(part, ("type",))), visible=dumps(part).decode(), path=path)
        elif role is Role.USER:
            yield user_text(text, path)
        else:
            voices = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}
            yield Text(text, voices.get(role, Voice.HARNESS), path=path)


def _sdk_message(event: Event) -> Message:
    user = event.value.get("source") == "user"
    role = Role.USER if user else Role.ASSISTANT
    blocks = tuple(_contents(event, ("llm_message", "content"), role))
    return _at(event, role, blocks)


def _sdk_action(event: Event) -> Message:
    value = event.value
    blocks: list[Block] = []
    reasoned = value.get("reasoning_content")
    if isinstance(reasoned, str) and reasoned:
        blocks.append(Thinking(reasoned, path=(*event.path, "reasoning_content")))
    blocks.extend(_contents(event, ("thought",), Role.ASSISTANT))
    call = value.get("tool_call")
    arguments = at(call, ("arguments",)) or at(call, ("function", "arguments"))
    text = arguments if isinstance(arguments, str) else dumps(value.get("action")).decode()
    ident, name = value.get("tool_call_id"), value.get("tool_name")
    blocks.append(
        ToolCall(str(ident or ""), str(name or ""), text, path=(*event.path, "tool_call"))
    )
    group = value.get("llm_response_id")
    message = _at(event, Role.ASSISTANT, tuple(blocks))
    return replace(message, group=group if isinstance(group, str) else "")


def _sdk_observation(event: Event) -> Message:
    value = event.value
    parts: list[Text | Opaque] = []
    for place in (("observation", "content"), ("observation", "output"), ("error",)):
        text = at(value, place)
        if isinstance(text, str):
            parts.append(Text(text, Voice.TOOL, path=(*event.path, *place)))
        elif isinstance(text, list):
            found = _contents(event, place, Role.TOOL)
            parts.extend(b for b in found if isinstance(b, Text | Opaque))
        if parts:
            break
    failed = value.get("kind") == "AgentErrorEvent" or at(value, ("observation", "is_error"))
    result = ToolResult(
        str(value.get("tool_call_id") or ""), tuple(parts), failed is True, path=event.path
    )
    return _at(event, Role.TOOL, (with_spoken(result),))


def _sdk_system(event: Event) -> Message:
    text = at(event.value, ("system_prompt", "text"))
    path = (*event.path, "system_prompt", "text")
    return _at(event, Role.SYSTEM, (Text(str(text or ""), Voice.HARNESS, path=path),))


_SDK = {
    "MessageEvent": _sdk_message,
    "ActionEvent": _sdk_action,
    "ObservationEvent": _sdk_observation,
    "AgentErrorEvent": _sdk_observation,
    "SystemPromptEvent": _sdk_system,
}
