"""The bytes of an output, decoded again before anybody may write them: do they say the same?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from baodai.errors import GuaranteeBrokenError
from baodai.formats import Format
from baodai.jsonl import Record, read_records
from baodai.model import Block, Conversation, Message, Origin, Text, Voice


def encoded(codec: Format, before: Conversation, after: Conversation) -> bytes:
    """The bytes of the output; decoded again they must say the same."""
    if after is before:
        return b"".join(before.origin.records)
    pieces = list(codec.encode(after))
    read = next(codec.decode(_records(pieces, before.origin), before.id), None)
    if read is None or _said(after.messages) != _said(read.messages):
        raise GuaranteeBrokenError("the output does not read back as what was planned", codec.name)
    return b"".join(pieces)


def _records(pieces: Sequence[bytes], origin: Origin) -> Iterator[Record]:
    """The output as records; what nobody touched is not parsed again."""
    known = {id(raw): value for raw, value in zip(origin.records, origin.values, strict=False)}
    if not known or not all(piece.endswith(b"\n") for piece in pieces[:-1]):
        yield from read_records(pieces)
        return
    offset = 0
    for number, piece in enumerate(pieces, 1):
        if id(piece) in known:
            yield Record(number, offset, piece, known[id(piece)])
        else:
            yield from read_records([piece])
        offset += len(piece)


def _said(messages: Sequence[Message]) -> list[tuple[str, object]]:
    """What a round trip keeps: roles and blocks; a summary's role is its carrier's."""
    return [("summary", m.text) if m.is_summary else (m.role.value, _blocks(m)) for m in messages]


def _blocks(message: Message) -> tuple[Block, ...]:
    """The blocks without who spoke them, which is read from the text and its place."""
    return tuple(
        replace(block, voice=Voice.HARNESS, spoken=None) if isinstance(block, Text) else block
        for block in message.blocks
    )
