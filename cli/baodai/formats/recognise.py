"""Tells a file's format from its first records, by content, never by its name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from baodai.errors import NoConversationError, UnknownFormatError, UnknownNameError
from baodai.formats import Format, formats
from baodai.jsonl import Record

HEAD = 40
"""Records that are looked at."""

_ENOUGH = 0.5

_NO_TRANSCRIPTS = {
    "prompts as flat text for each request, no messages": {"input", "output", "session_id"},
    "candidates for a patch, no conversation": {"issue", "patches"},
    "a JSON schema, no conversation": {"$defs", "items"},
    "the names of replayed events, no messages": {"scenario", "events"},
    "a log of a terminal's screen, no messages": {"ts", "dir", "kind"},
    "a log of what passed over a wire, no context": {"type", "protocol_version"},
}
"""Files that lie beside transcripts, by members that give them away, and what they hold."""


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
        for kind, keys in _NO_TRANSCRIPTS.items():
            if any(isinstance(r.value, Mapping) and keys <= r.value.keys() for r in head):
                raise NoConversationError(name, f"it holds {kind}")
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
