"""A conversation from one format written in another.

Owns the way of a conversation out of its own format; how a format writes one is the format's.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches

from baodai.errors import UnknownNameError
from baodai.formats import Target, targets
from baodai.formats.source import Source
from baodai.jsonl import dumps
from baodai.model import Conversation


@dataclass(frozen=True, slots=True)
class Converted:
    """The bytes of the new transcript, and a sentence for each thing that is not as it was."""

    data: bytes
    notes: tuple[str, ...]


def target(name: str) -> Target:
    """The format of that name, to convert to.

    Raises:
        UnknownNameError: there is none, or nothing can be converted to it.
    """
    found = targets()
    if name not in found:
        close = get_close_matches(name, found) or sorted(found)
        raise UnknownNameError("format to convert to", name, close)
    return found[name]


def converted(conversation: Conversation, to: Target) -> Converted:
    """The conversation in another format: repaired where an API would refuse it."""
    source = Source(conversation)
    data = b"".join(dumps(value) + b"\n" for value in to.compose(source))
    notes = Counter(source.notes)
    told = (text if count == 1 else f"{text} ({count} times)" for text, count in notes.items())
    return Converted(data, tuple(told))
