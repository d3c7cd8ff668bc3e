"""What every format must hold on every fixture, F1 to F6 of the design.

Parametrised over the catalogue: a new format brings fixtures and is tested unasked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from baodai.formats import Format, formats
from baodai.formats.recognise import HEAD, recognise
from baodai.jsonl import Record, dumps, loads, open_records, read_records, splice
from baodai.model import Block, Conversation, Message, Role, Text, Thinking, ToolResult, Voice

ROOT = Path(__file__).resolve().parents[2] / "fixtures" / "transcripts"
FIXTURES = sorted(path for path in ROOT.glob("*/*") if path.is_file())
BY_LINES = [path for path in FIXTURES if path.read_bytes().count(b"\n{") > 1]
UNKNOWN = b'"x_unknown": {"n": 1.0, "id": 12345678901234567890123}'

each = pytest.mark.parametrize("path", FIXTURES, ids=lambda p: f"{p.parent.name}/{p.name}")
each_by_lines = pytest.mark.parametrize("path", BY_LINES, ids=lambda p: f"{p.parent.name}/{p.name}")


def codec_of(path: Path) -> Format:
    return formats()[path.parent.name]


def decoded(path: Path) -> list[Conversation]:
    return list(codec_of(path).decode(open_records(path), path.name))


def written(codec: Format, conversation: Conversation) -> bytes:
    return b"".join(codec.encode(conversation))


def said(messages: Sequence[Message]) -> list[tuple[Role, tuple[Block, ...]]]:
    """Roles and blocks, without who speaks, which is read from the text and its place."""
    return [(m.role, tuple(map(plain, m.blocks))) for m in messages]


def plain(block: Block) -> Block:
    return replace(block, voice=Voice.TOOL, spoken=None) if isinstance(block, Text) else block


def edits(conversation: Conversation) -> Iterator[tuple[Message, Conversation]]:
    """Each message with something of it shortened or taken out."""
    for i, message in enumerate(conversation.messages):
        for j, block in enumerate(message.blocks):
            for new in shorter(message, block):
                blocks = (*message.blocks[:j], *new, *message.blocks[j + 1 :])
                messages = list(conversation.messages)
                messages[i] = replace(message, blocks=blocks)
                yield message, conversation.with_messages(messages)


def shorter(message: Message, block: Block) -> Iterator[tuple[Block, ...]]:
    match block:
        case Text() if message.role is Role.ASSISTANT:
            yield (replace(block, text='短 \U0001f600 "quoted" \\'),)
        case ToolResult() if block.text:
            yield (block.with_text("短: cut", keep_opaque=False),)
        case Thinking() if any(isinstance(b, Text) for b in message.blocks):
            yield ()
        case _:
            return


def test_every_format_has_fixtures() -> None:
    assert {path.parent.name for path in FIXTURES} == set(formats())


@each
def test_f1_a_format_is_sure_of_its_own_and_of_no_other(path: Path) -> None:
    head = list(open_records(path))[:HEAD]
    assert recognise(head, path.name) is codec_of(path)
    others = {n: c.sniff(head) for n, c in formats().items() if n != path.parent.name}
    assert all(score < 0.5 for score in others.values()), others


@each
def test_f2_untouched_bytes_are_identical(path: Path) -> None:
    found = decoded(path)
    assert b"".join(written(codec_of(path), c) for c in found) == path.read_bytes()
    assert b"".join(r for c in found for r in c.origin.records) == path.read_bytes()


@each
def test_f3_roles_and_blocks_survive_before_and_after_edits(path: Path) -> None:
    codec = codec_of(path)
    for conversation in decoded(path):
        wanted = [conversation, *(edited for _, edited in edits(conversation))]
        for edited in wanted:
            (again,) = codec.decode(read_records([written(codec, edited)]), path.name)
            assert said(again.messages) == said(edited.messages)


@each
def test_f4_an_edit_leaves_the_bytes_of_every_other_message(path: Path) -> None:
    codec = codec_of(path)
    for conversation in decoded(path):
        records = conversation.origin.records
        for message, edited in edits(conversation):
            if len(blocks_of(edited)) < len(blocks_of(conversation)):
                continue  # what is taken out whole may be linked to from elsewhere
            data = written(codec, edited)
            others = {m.record for m in conversation.messages if not same(m, message)}
            assert records[message.record] not in data
            assert all(records[k] in data for k in others - {message.record})


def blocks_of(conversation: Conversation) -> list[Block]:
    return [block for message in conversation.messages for block in message.blocks]


def same(one: Message, other: Message) -> bool:
    return one.id == other.id or (bool(one.group) and one.group == other.group)


@each_by_lines
def test_f5_a_malformed_line_is_told_with_its_number_and_carried_through(path: Path) -> None:
    head, *tail = path.read_bytes().splitlines(keepends=True)
    data = b"".join([head, b'{"role": "user", "cont\n', *tail])
    records = list(read_records([data]))
    broken = [r.problem for r in records if r.problem and r.problem.lost]
    assert [p.line for p in broken if p.code == "BD106"] == [2]
    codec = codec_of(path)
    found = list(codec.decode(iter(records), path.name))
    assert b"".join(written(codec, c) for c in found) == data
    assert len(found) == len(decoded(path))


@each
def test_f6_unknown_members_survive_an_edit(path: Path) -> None:
    codec = codec_of(path)
    for conversation in decoded(path):
        raws = list(conversation.origin.records)
        for message in conversation.messages:
            raws[message.record] = with_unknown(raws[message.record], message)
        (marked,) = codec.decode(read_records([b"".join(raws)]), path.name)
        there = unknowns(b"".join(raws))
        assert there
        for _, edited in edits(marked):
            assert unknowns(written(codec, edited)) == there


def unknowns(data: bytes) -> int:
    """How many members that no format knows there are; an archive is looked into."""
    values = [dumps(record.value) for record in read_records([data])]
    return b"".join([data, *values] if data.startswith(b"PK") else [data]).count(b'"x_unknown"')


def with_unknown(raw: bytes, message: Message) -> bytes:
    """The record with a member that no format knows, in the message or around its bare text."""
    value: object = loads(raw)
    inner: tuple[str | int, ...] | None = () if isinstance(value, dict) else None
    for depth, key in enumerate(message.path, 1):
        match value, key:
            case dict(), str():
                value = value[key]
            case list(), int():
                value = value[key]
        inner = message.path[:depth] if isinstance(value, dict) else inner
    if inner is None:
        return raw
    return splice(raw, {(*inner, "x_unknown"): loads(b"{" + UNKNOWN + b"}")})


def test_a_format_says_where_its_summaries_go_and_what_it_is() -> None:
    for codec in formats().values():
        assert codec.title
        assert codec.carrier


def test_no_format_is_sure_of_nothing() -> None:
    for codec in formats().values():
        assert codec.sniff([]) == 0
        assert codec.sniff([Record(1, 0, b"\n")]) == 0
