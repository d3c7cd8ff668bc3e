"""Claude Code sessions for tests: read, edited, compared as the pipeline compares."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from baodai.formats.claude_code import FORMAT
from baodai.jsonl import loads, read_records
from baodai.model import (
    Block,
    Conversation,
    Message,
    Opaque,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Voice,
)

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "transcripts" / "claude-code"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.jsonl"))


def fixture(name: str) -> bytes:
    return (FIXTURES / f"{name}.jsonl").read_bytes()


def decoded(data: bytes) -> Conversation:
    (conversation,) = FORMAT.decode(read_records([data]), "a.jsonl")
    return conversation


def session(name: str) -> Conversation:
    return decoded(fixture(name))


def encoded(conversation: Conversation) -> bytes:
    return b"".join(FORMAT.encode(conversation))


def values(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.decode().split("\n") if line.strip("\0 ")]


def summary(text: str = "What was done.") -> Message:
    block = Text(text, Voice.HARNESS)
    return Message("summary", Role.SYSTEM, (block,), is_summary=True)


def note(name: str, text: str = "[steps are folded]", role: Role = Role.ASSISTANT) -> Message:
    return Message(name, role, (Text(text, Voice.HARNESS),))


def folded(conversation: Conversation, first: int, text: str = "What was done.") -> Conversation:
    """Everything before message `first` stands in a summary."""
    return conversation.with_messages([summary(text), *conversation.messages[first:]])


def shortened(message: Message, text: str = "cut") -> Message:
    """The message with every block that may be shortened shortened."""
    return replace(message, blocks=tuple(_shortened(block, text) for block in message.blocks))


def _shortened(block: Block, text: str) -> Block:
    match block:
        case Text():
            return replace(block, text=text, spoken=None)
        case ToolCall():
            return replace(block, arguments='{"cut":"é"}')
        case ToolResult():
            return block.with_text(text, keep_opaque=False)
        case Thinking() | Opaque():
            return block


def said(messages: Sequence[Message]) -> list[object]:
    """What a round trip must keep."""
    return [
        ("summary" if m.is_summary else m.role.value, [_said(block) for block in m.blocks])
        for m in messages
    ]


def _said(block: Block) -> object:
    match block:
        case Text():
            return block.text
        case Thinking():
            return ("thinking", block.text, block.signature)
        case ToolCall():
            return (block.id, block.name, loads(block.arguments.encode()))
        case ToolResult():
            return (block.call_id, block.is_error, [_said(part) for part in block.parts])
        case Opaque():
            return (block.kind, block.visible)


def again(conversation: Conversation) -> Conversation:
    """What the written session reads as; the messages must be the same."""
    read = decoded(encoded(conversation))
    assert said(read.messages) == said(conversation.messages)
    return read
