"""The fixtures of all formats, decoded; edits and folds of them, for tests over every format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from baodai.formats import Format, formats
from baodai.heading import Heading, headed
from baodai.jsonl import open_records, read_records
from baodai.model import Conversation, Message, Role, Text, ToolResult, Voice

ROOT = Path(__file__).resolve().parents[2] / "fixtures" / "transcripts"


def codec_of(name: str) -> Format:
    return formats()[name.partition("/")[0]]


def decoded(name: str) -> list[Conversation]:
    path = ROOT / name
    return list(codec_of(name).decode(open_records(path), path.name))


def first(name: str) -> Conversation:
    return decoded(name)[0]


def written(name: str, conversation: Conversation) -> bytes:
    return b"".join(codec_of(name).encode(conversation))


def again(name: str, data: bytes) -> Conversation:
    (conversation,) = codec_of(name).decode(read_records([data]), "again")
    return conversation


def words(conversation: Conversation) -> list[str]:
    return [m.words for m in conversation.messages if m.starts_turn]


def results(conversation: Conversation) -> Iterator[ToolResult]:
    yield from (result for message in conversation.messages for result in message.results)


def cut(conversation: Conversation, longer: int = 300) -> Conversation:
    """The conversation with every long result cut to a word."""

    def short(message: Message) -> Message:
        blocks = tuple(
            b.with_text("cut") if isinstance(b, ToolResult) and len(b.text) > longer else b
            for b in message.blocks
        )
        return message if blocks == message.blocks else replace(message, blocks=blocks)

    return conversation.with_messages([short(m) for m in conversation.messages])


def folded(conversation: Conversation) -> Conversation:
    """The conversation with all before its last prompt folded into a summary."""
    messages = conversation.messages
    last = max(i for i, m in enumerate(messages) if m.starts_turn)
    text = headed(Heading(1, 1, "en", "bd:0123abcd"), "What was.")
    summary = Message("sum", Role.SYSTEM, (Text(text, Voice.HARNESS),), is_summary=True)
    system = [m for m in messages[:last] if m.role is Role.SYSTEM and not m.is_summary]
    return conversation.with_messages([*system, summary, *messages[last:]])
