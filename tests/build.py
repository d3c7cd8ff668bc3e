"""Builders, so that a conversation fits on a line."""

from __future__ import annotations

from collections.abc import Sequence

from baodai.model import (
    Block,
    Conversation,
    Message,
    Origin,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Voice,
)


def human(text: str) -> Message:
    """What a user typed."""
    return _message(Role.USER, (Text(text, Voice.HUMAN),))


def says(text: str, *calls: ToolCall) -> Message:
    """What the model answered, with its calls."""
    blocks: tuple[Block, ...] = (Text(text, Voice.MODEL),) if text else ()
    return _message(Role.ASSISTANT, (*blocks, *calls))


def call(call_id: str, name: str = "Bash", arguments: str = "{}") -> ToolCall:
    """A tool call."""
    return ToolCall(call_id, name, arguments)


def result(call_id: str, text: str, name: str = "Bash", *, is_error: bool = False) -> Message:
    """A tool result in a message of its own."""
    block = ToolResult(call_id, (Text(text, Voice.TOOL),), is_error, name)
    return _message(Role.TOOL, (block,))


def system(text: str) -> Message:
    """A system prompt."""
    return _message(Role.SYSTEM, (Text(text, Voice.HARNESS),))


def talk(*messages: Message, first_turn: int = 1, rules: str = "openai") -> Conversation:
    """A conversation of these messages; ids and lines are given in order."""
    numbered = _numbered(messages)
    origin = Origin("test", "lines", (), numbered)
    return Conversation("test", numbered, origin, rules=rules, first_turn=first_turn)


def _numbered(messages: Sequence[Message]) -> tuple[Message, ...]:
    return tuple(
        Message(f"m{i}", m.role, m.blocks, line=i, record=i - 1, group=m.group)
        for i, m in enumerate(messages, start=1)
    )


def _message(role: Role, blocks: tuple[Block, ...]) -> Message:
    return Message("", role, blocks)
