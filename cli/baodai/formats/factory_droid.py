"""Factory Droid sessions: Anthropic messages in an envelope, one a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._blocks import changed
from baodai.formats._events import Events
from baodai.formats._layouts import at
from baodai.formats._links import fresh_uuid, relink
from baodai.formats._sheet import Changes
from baodai.formats._writing import Desk, Plain
from baodai.formats.anthropic_messages import SHAPE, blocks_of, usage_of
from baodai.model import Message, Role

_SILENT = frozenset({"session_start", "session_event", "session_end", "todo_state"})


class _Scribe(Plain):
    """How its records are written."""

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a record's message."""
        return changed(old, new, record, SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new record with the time of its neighbour."""
        role = "assistant" if message.role is Role.ASSISTANT else "user"
        envelope = dict(near) if isinstance(near, Mapping) else {"type": "message"}
        said = {"role": role, "content": [{"type": "text", "text": message.text}]}
        return envelope | {"id": fresh_uuid(message, near), "message": said}

    def mend(self, desk: Desk) -> None:
        """Mend the links, where records have some."""
        relink(desk, "id", "parentId")


def _read(value: Mapping[str, object], index: int, line: int) -> Iterator[Message] | None:
    if value.get("type") == "message":
        return _messages(value, index, line)
    return iter(()) if value.get("type") in _SILENT else None


def _messages(value: Mapping[str, object], index: int, line: int) -> Iterator[Message]:
    role = Role.ASSISTANT if at(value, ("message", "role")) == "assistant" else Role.USER
    content = at(value, ("message", "content"))
    blocks = tuple(blocks_of(content, ("message", "content"), role))
    said = at(value, ("message",))
    model, stop = at(said, ("model",)), at(said, ("stop_reason",))
    yield Message(
        str(line),
        role,
        blocks,
        line,
        index,
        model=model if isinstance(model, str) else "",
        usage=usage_of(at(said, ("usage",))),
        stop_reason=stop if isinstance(stop, str) else "",
        timestamp=str(value.get("timestamp") or ""),
    )


FORMAT = Events(
    "factory-droid",
    "Factory Droid sessions",
    "a marked first user record",
    _Scribe(),
    lambda value: value.get("type") == "session_start",
    _read,
)
