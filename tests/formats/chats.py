"""What the tests of the chat formats share: decoding text, editing, and a summary of our making."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from baodai.formats import Format
from baodai.formats.recognise import by_name
from baodai.jsonl import read_records
from baodai.model import Block, Conversation, Message, Role, Text, ToolResult, Voice

OPENAI = by_name("openai-chat")
ANTHROPIC = by_name("anthropic-messages")


def lines(*values: object) -> bytes:
    """One record a line, as Python's json writes them."""
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def decoded(codec: Format, data: bytes) -> list[Conversation]:
    """The conversations in some bytes."""
    return list(codec.decode(read_records([data]), "a.jsonl"))


def only(codec: Format, data: bytes) -> Conversation:
    """The one conversation in some bytes."""
    (conversation,) = decoded(codec, data)
    return conversation


def encoded(codec: Format, conversation: Conversation, messages: Sequence[Message]) -> bytes:
    """The bytes of the conversation with other messages."""
    return b"".join(codec.encode(conversation.with_messages(messages)))


def with_blocks(conversation: Conversation, index: int, *blocks: Block) -> list[Message]:
    """The messages, one of them with other blocks."""
    messages = list(conversation.messages)
    messages[index] = replace(messages[index], blocks=blocks)
    return messages


def with_result(conversation: Conversation, index: int, text: str) -> list[Message]:
    """The messages, the results of one of them with another text."""
    blocks = [
        block.with_text(text) if isinstance(block, ToolResult) else block
        for block in conversation.messages[index].blocks
    ]
    return with_blocks(conversation, index, *blocks)


def summary(body: str = "what was done\n", first: int = 1, last: int = 4) -> Message:
    """A new summary with its header."""
    check = blake2b(body.encode(), digest_size=4).hexdigest()
    head = f"<!-- baodai:summary v1 turns={first}-{last} lang=en ref=bd:0123abcd sum={check} -->\n"
    return Message("summary", Role.SYSTEM, (Text(head + body, Voice.HARNESS),), is_summary=True)
