"""The text behind a reference: from the ledger, or from the transcript the ledger points to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from baodai.batch import Reading
from baodai.errors import OriginalGoneError
from baodai.model import Message, Text, Thinking, ToolCall, ToolResult
from baodai.places import inputs
from baodai.receipts import plain
from baodai.refs import ref_of
from baodai.store import Ledger, StoredOriginal


def originals(ledger: Ledger, ref: str) -> Iterator[tuple[str, StoredOriginal]]:
    """The texts behind a reference, in order.

    Raises:
        OriginalGoneError: nobody knows the reference, or the transcript has changed since.
    """
    found = ledger.expand(ref)
    if not found:
        hint = "the ledger of the run that made the marker knows it: --ledger PATH"
        raise OriginalGoneError(f"{ref} is not in the ledger {ledger.path}", hint=hint)
    for original in found:
        text = original.text
        if text is None:
            text = _from_file(_located(original, ledger.path), original)
        yield text, original


def _located(original: StoredOriginal, ledger: Path) -> str:
    """The transcript: as it was named, or so from the folder of the ledger."""
    for path in (Path(original.source), ledger.parent / original.source):
        if path.is_file():
            return str(path)
    raise OriginalGoneError(
        f"the transcript {original.source} is not there any more",
        where=f"{original.source}:{original.line}",
        hint="the ledger points to a place in it; put it back, or run where it was named",
    )


def _from_file(path: str, original: StoredOriginal) -> str:
    for message in _messages(path).get(original.message_id, ()):
        for text in _texts(message):
            if ref_of(text) == original.hash:
                return text
    raise OriginalGoneError(
        f"{original.ref} is no longer in {original.source}: the file has changed",
        where=f"{original.source}:{original.line}",
        hint="restore the file as it was when it was compacted",
    )


@cache
def _messages(path: str) -> dict[str, list[Message]]:
    """The messages of a transcript by id; several conversations of it may use the same one."""
    found: dict[str, list[Message]] = {}
    for inp in inputs([path])[0]:
        for conversation in Reading(inp).conversations():
            for message in conversation.messages:
                found.setdefault(message.id, []).append(message)
    return found


def _texts(message: Message) -> Iterator[str]:
    """What an edit may have taken out of a message: all of it, or a block."""
    yield plain(message)
    for block in message.blocks:
        match block:
            case ToolResult() | Thinking() | Text():
                yield block.text
            case ToolCall():
                yield block.arguments
            case _:
                continue
