"""A conversation from elsewhere as a Claude Code session: a chain of records with fresh ids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import NAMESPACE_URL, uuid5

from baodai.formats._anthropic_items import media_items, signed
from baodai.formats._claude_fresh import Fresh
from baodai.formats._repair import alternating
from baodai.formats.source import Source
from baodai.model import Message, Role, Text, Voice

_SLOTS = ("timestamp", "model", "stop_reason")
_EPOCH = "1970-01-01T00:00:00.000Z"
"""Where the source has no times: a session's records must have some."""


def composed_session(source: Source) -> Iterator[object]:
    """The records. A system prompt, which sessions do not hold, is an injected note."""
    conversation = source.conversation
    session = str(uuid5(NAMESPACE_URL, f"baodai:{conversation.id}"))
    last = {
        "userType": "external",
        "cwd": conversation.project,
        "sessionId": session,
        "version": "1.0.0",
        "gitBranch": "",
    }
    fresh = Fresh(last, _EPOCH, session, conversation.model, False, media_items(source))  # noqa: FBT003
    parent: str | None = None
    for message in _ordered(source):
        fresh.stamp = max(fresh.stamp, message.timestamp)
        kept, thinking = signed(message, source)
        record = fresh.message(kept, parent)
        if message.is_summary:
            boundary = fresh.boundary(fresh.uuid("boundary"), "", {"trigger": "auto"}, (), "")
            parent = str(boundary.get("uuid"))
            record["parentUuid"] = parent
            yield boundary
        yield record | source.beyond(message, _SLOTS, thinking=thinking)
        parent = str(record["uuid"])


def _ordered(source: Source) -> Iterator[Message]:
    """The summary first, since a boundary hides what stands before it; then notes, then talk."""
    systems = source.systems()
    yield from (m for m in systems if m.is_summary)
    for message in systems:
        if not message.is_summary:
            yield _note(message)
    yield from alternating(source.spoken(), source.notes)


def _note(message: Message) -> Message:
    return replace(message, role=Role.USER, blocks=(Text(message.text, Voice.HARNESS),))
