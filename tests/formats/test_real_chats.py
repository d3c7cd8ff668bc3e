from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from os.path import commonprefix
from pathlib import Path

import pytest

from baodai.formats.recognise import HEAD, recognise
from baodai.jsonl import open_records, read_records
from baodai.model import Block, Conversation, Message, Opaque, Role, Text, ToolResult
from baodai.structure import pair
from shared import shared

pytestmark = pytest.mark.shared

FOLDERS = {"openai_chat": "openai-chat", "anthropic_messages": "anthropic-messages"}
EDITED = 12
"""Results edited in each file; each edit writes and reads the whole conversation again."""


def files(folder: str) -> Iterator[Path]:
    yield from sorted(p for p in shared("data", folder).rglob("*") if p.is_file())


@pytest.mark.parametrize("folder", FOLDERS)
def test_real_files_are_recognised_and_come_out_as_they_went_in(folder: str) -> None:
    for path in files(folder):
        records = list(open_records(path))
        codec = recognise(records[:HEAD], path.name)
        assert codec.name == FOLDERS[folder], path
        found = list(codec.decode(iter(records), path.name))
        assert b"".join(b for c in found for b in codec.encode(c)) == path.read_bytes(), path
        assert all(c.messages for c in found)
        orphans = sum(len(pair(c.messages).orphans) for c in found)
        assert orphans == 0, path


@pytest.mark.parametrize("folder", FOLDERS)
def test_an_edited_result_of_a_real_file_is_the_only_thing_that_changes(folder: str) -> None:
    for path in files(folder):
        records = list(open_records(path))
        codec = recognise(records[:HEAD], path.name)
        places = [
            (conversation, i)
            for conversation in codec.decode(iter(records), path.name)
            for i, message in enumerate(conversation.messages)
            if message.results
        ]
        for conversation, i in places[:: len(places) // EDITED + 1]:
            messages = list(conversation.messages)
            messages[i] = replace(messages[i], blocks=shortened(messages[i]))
            data = b"".join(codec.encode(conversation.with_messages(messages)))
            (again,) = codec.decode(read_records([data]), path.name)
            assert said(again.messages) == said(messages), path
            only_there(conversation, messages[i], data)


def shortened(message: Message) -> tuple[Block, ...]:
    return tuple(
        b.with_text("短") if isinstance(b, ToolResult) and b.text else b for b in message.blocks
    )


def said(messages: tuple[Message, ...] | list[Message]) -> list[tuple[Role, tuple[Block, ...]]]:
    return [(m.role, m.blocks) for m in messages]


def only_there(conversation: Conversation, message: Message, data: bytes) -> None:
    """What is left of the file without its common ends lies inside the edited message."""
    before = b"".join(conversation.origin.records)
    front = len(commonprefix([before, data]))  # noqa: RUF071 - bytes, no paths
    back = len(commonprefix([before[:front:-1], data[:front:-1]]))  # noqa: RUF071 - as above
    old = next(m for m in conversation.messages if m.id == message.id)
    parts = [part for result in old.results for part in result.parts]
    if not any(isinstance(part, Opaque) for part in parts):
        # A character takes six bytes at most where it is escaped; 500 for what is between parts.
        most = sum(6 * len(part.text) + 500 for part in parts if isinstance(part, Text))
        assert len(before) - front - back <= most
