"""Tells a file's format from its first records, by content, never by its name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from baodai.errors import NoConversationError, UnknownFormatError, UnknownNameError
from baodai.formats import Format, formats
from baodai.jsonl import Record

HEAD = 40
"""Records that are looked at."""

_ENOUGH = 0.5


def recognise(head: Sequence[Record], name: str) -> Format:
    """The format that is surest of the records.

    Raises:
        NoConversationError: there is nothing in them.
        UnknownFormatError: no format is sure enough.
    """
    if not head:
        raise NoConversationError(name, "the file is empty")
    if all(record.value is None for record in head):
        why = "only blank lines" if not any(r.problem for r in head) else "no line can be read"
        raise NoConversationError(name, why)
    scores = sorted(
        ((codec.sniff(head), key, codec) for key, codec in formats().items()),
        key=lambda found: (-found[0], found[1]),
    )
    best, _, codec = scores[0]
    if best < _ENOUGH:
        closest = ", ".join(f"{key} ({score:.1f})" for score, key, _ in scores[:2] if score > 0)
        raise UnknownFormatError(name, closest)
    return codec


def by_name(name: str) -> Format:
    """The format of that name.

    Raises:
        UnknownNameError: there is none.
    """
    known = formats()
    if name not in known:
        raise UnknownNameError("format", name, difflib.get_close_matches(name, known))
    return known[name]
