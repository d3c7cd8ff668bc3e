"""Runs the pipeline over files, for tests on the shared data and cases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from baodai.formats import Format
from baodai.formats.recognise import HEAD, recognise
from baodai.jsonl import open_records, read_records
from baodai.model import Conversation
from baodai.pipeline import Compaction, Options, compact
from baodai.window import WindowOptions


def conversations(path: Path) -> tuple[Format, list[Conversation]]:
    """The format of a file and its conversations."""
    records = list(open_records(path))
    codec = recognise(records[:HEAD], path.name)
    return codec, list(codec.decode(records, path.name))


def compacted(
    codec: Format, conversation: Conversation, window: int, options: Options | None = None
) -> Compaction:
    """A conversation brought inside a window."""
    chosen = replace(options or Options(), window=WindowOptions(window=window))
    return compact(conversation, codec, chosen, source="test")


def again(codec: Format, data: bytes) -> Conversation:
    """The conversation in the bytes of an output."""
    (conversation,) = codec.decode(read_records([data]), "test")
    return conversation
