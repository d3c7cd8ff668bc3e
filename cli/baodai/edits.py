"""What a layer proposes, and how it is applied.

Edits, not copies: a plan can be printed, counted, stored and tested without a pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from baodai.errors import EditConflictError
from baodai.model import Conversation, Message


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an edit is made: a stable code for grouping ("superseded-read") and a sentence."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Put `message` in the place of the one with the same id."""

    message: Message
    reason: Reason


@dataclass(frozen=True, slots=True)
class Drop:
    """Take a message out."""

    message_id: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Insert:
    """Put a new message before the one with `before_id` (at the end where that is empty)."""

    before_id: str
    message: Message
    reason: Reason


@dataclass(frozen=True, slots=True)
class Fact:
    """Something of long-term value the user said. `line` is the line of the source record."""

    kind: str
    text: str
    quote: str
    turn: int
    line: int
    language: str
    timestamp: str = ""


@dataclass(frozen=True, slots=True)
class Remember:
    """Write a fact to the memory store; the parent process does, after all checks."""

    fact: Fact
    reason: Reason


Edit = Rewrite | Drop | Insert | Remember


def apply(conversation: Conversation, edits: Sequence[Edit]) -> Conversation:
    """The conversation with the edits made.

    Raises:
        EditConflictError: an edit names a message that is not there, or two name the same one.
    """
    known = {message.id for message in conversation.messages}
    changed: dict[str, Message | None] = {}
    inserted: dict[str, list[Message]] = {}
    for edit in edits:
        match edit:
            case Rewrite():
                _claim(changed, known, edit.message.id)
                changed[edit.message.id] = edit.message
            case Drop():
                _claim(changed, known, edit.message_id)
                changed[edit.message_id] = None
            case Insert():
                _claim_place(edit, known)
                inserted.setdefault(edit.before_id, []).append(edit.message)
            case Remember():
                continue
    return conversation.with_messages(_laid_out(conversation.messages, changed, inserted))


def _laid_out(
    messages: Sequence[Message],
    changed: Mapping[str, Message | None],
    inserted: Mapping[str, Sequence[Message]],
) -> list[Message]:
    out: list[Message] = []
    for message in messages:
        out.extend(inserted.get(message.id, ()))
        kept = changed.get(message.id, message)
        if kept is not None:
            out.append(kept)
    out.extend(inserted.get("", ()))
    return out


def _claim_place(edit: Insert, known: set[str]) -> None:
    if edit.before_id and edit.before_id not in known:
        raise EditConflictError(edit.before_id, "unknown message")
    if edit.message.id in known:
        raise EditConflictError(edit.message.id, "id already taken")


def _claim(changed: dict[str, Message | None], known: set[str], message_id: str) -> None:
    if message_id not in known:
        raise EditConflictError(message_id, "unknown message")
    if message_id in changed:
        raise EditConflictError(message_id, "two edits on one message")
