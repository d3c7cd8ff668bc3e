"""The names of the Responses API's items, and how an item is told from other typed objects."""

from __future__ import annotations

import re
from collections.abc import Mapping

ROLES = frozenset({"system", "developer", "user", "assistant"})

_OWN = frozenset(
    [
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "apply_patch_call_output",
        "web_search_call",
        "file_search_call",
        "computer_call",
        "computer_call_output",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_list_tools",
        "mcp_call",
        "mcp_approval_request",
        "mcp_approval_response",
        "tool_search_call",
        "tool_search_output",
        "additional_tools",
        "program_output",
        "compaction_summary",
        "compaction_trigger",
        "context_compaction",
        "item_reference",
        "ghost_snapshot",
    ]
)
"""Types that no other API uses."""

KNOWN = _OWN | {"message", "reasoning", "function_call", "compaction", "program"}
_MARKS = frozenset({"input_text", "output_text", "input_image", "input_file"})

INJECTED = re.compile(r"\s*(?:# AGENTS\.md instructions|<environment_context>|<user_instructions>)")
"""How the messages begin that Codex puts before the user's: project rules, the environment."""

IDE = re.compile(r"\s*# Context from my IDE setup:")
ASKING = "## My request for Codex:"


def kind_of(item: object) -> str:
    """An item's type; a message may come without one."""
    if not isinstance(item, Mapping):
        return ""
    kind = item.get("type")
    if kind is None and item.get("role") in ROLES and "content" in item:
        return "message"
    return kind if isinstance(kind, str) else ""


def is_item(value: object) -> bool:
    """Whether a value is an item, or a message that could be one."""
    if not isinstance(value, Mapping) or {"parts", "payload", "messages"} & value.keys():
        return False
    kind = kind_of(value)
    if kind == "message":
        return "content" in value and value.get("role") in ROLES
    return bool(kind) and (is_own(value) or _opens(value))


def _opens(value: Mapping[str, object]) -> bool:
    """An item of a type that is not known here: it has an id of the API's."""
    kind = value.get("type")
    named = isinstance(kind, str) and kind.endswith(("_call", "_output"))
    return named and bool({"id", "call_id"} & value.keys())


def is_own(value: object) -> bool:
    """Whether a value can be nothing but an item of this API."""
    match value:
        case {"type": "message", "content": [*parts]}:
            return any(isinstance(p, Mapping) and p.get("type") in _MARKS for p in parts)
        case (
            {"type": "reasoning", "summary": [*_]}
            | {"type": "function_call", "call_id": _, "arguments": _}
            | {"type": "compaction", "encrypted_content": _}
            | {"type": "program", "code": _}
        ):
            return True
        case {"type": str(kind)}:
            return kind in _OWN
        case _:
            return False
