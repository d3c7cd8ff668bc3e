"""Codex sessions and Responses items for tests: read, edited, compacted, read again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from baodai.formats import Format, formats
from baodai.jsonl import read_records
from baodai.model import Block, Conversation, Message, Role, Text, Thinking, ToolResult, Voice
from baodai.pipeline import Compaction, Options, compact
from baodai.window import WindowOptions

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "transcripts"


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def codec(name: str) -> Format:
    return formats()[name.partition("/")[0]]


def read(name: str, data: bytes | None = None) -> list[Conversation]:
    held = fixture(name) if data is None else data
    return list(codec(name).decode(read_records([held]), "a.jsonl"))


def one(name: str, data: bytes | None = None) -> Conversation:
    (conversation,) = read(name, data)
    return conversation


def written(name: str, conversation: Conversation) -> bytes:
    return b"".join(codec(name).encode(conversation))


def lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.decode().splitlines()]


def as_lines(values: list[Any]) -> bytes:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()


def squeezed(name: str, conversation: Conversation, window: int, keep: int = 1) -> Compaction:
    options = replace(
        Options(), window=WindowOptions(window=window, reserve=0), keep_turns=keep, smallest=True
    )
    return compact(conversation, codec(name), options, source="test")


def said(conversation: Conversation) -> list[tuple[str, tuple[Block, ...]]]:
    """Who says what, as the pipeline compares it; a summary's role is its carrier's."""
    return [
        ("summary" if m.is_summary else m.role.value, tuple(map(_unvoiced, m.blocks)))
        for m in conversation.messages
    ]


def _unvoiced(block: Block) -> Block:
    return replace(block, voice=Voice.HARNESS, spoken=None) if isinstance(block, Text) else block


def edited(conversation: Conversation, message: Message, text: str) -> Conversation:
    """The conversation with a message's results, or its texts, saying something else."""
    blocks = tuple(
        block.with_text(text)
        if isinstance(block, ToolResult)
        else replace(block, text=text)
        if isinstance(block, Text)
        else block
        for block in message.blocks
    )
    changed = [replace(m, blocks=blocks) if m is message else m for m in conversation.messages]
    return conversation.with_messages(changed)


def without(conversation: Conversation, *gone: Message) -> Conversation:
    ids = {m.id for m in gone}
    return conversation.with_messages([m for m in conversation.messages if m.id not in ids])


def saying(conversation: Conversation, part: str) -> Message:
    return next(m for m in conversation.messages if part in repr(m.blocks))


def thoughts(conversation: Conversation) -> Iterator[Message]:
    for message in conversation.messages:
        if any(isinstance(block, Thinking) for block in message.blocks):
            yield message


def summary(text: str = "What was done.") -> Message:
    block = Text(text, Voice.HARNESS)
    return Message("summary", Role.SYSTEM, (block,), is_summary=True)
