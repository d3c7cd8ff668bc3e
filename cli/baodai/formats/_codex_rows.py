"""The lines of a Codex rollout: what each is, before anything is made of it.

Today a line is an envelope with a timestamp, a type and a payload; the first versions wrote the
items bare, under a first line with an id and the instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from baodai.formats._item_types import is_item
from baodai.jsonl import Record
from baodai.model import Path

_KNOWN = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_QUIET = frozenset({"world_state", "rollout_reference"})
"""Types of newer versions that hold nothing the model reads."""


class Kind(StrEnum):
    """What a line is, as far as the context is concerned."""

    META = "session_meta"
    TURN = "turn_context"
    ITEM = "response_item"
    EVENT = "event_msg"
    COMPACTED = "compacted"
    SILENT = "silent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Row:
    """A line. `base` is the place of its payload, empty for a bare item."""

    index: int
    line: int
    kind: Kind
    payload: Mapping[str, object] = field(default_factory=dict)
    base: Path = ("payload",)
    stamp: str = ""
    label: str = ""

    @property
    def event(self) -> str:
        """The type of an event."""
        name = self.payload.get("type")
        return name if self.kind is Kind.EVENT and isinstance(name, str) else ""


def row_of(index: int, line: int, value: object) -> Row:
    """The row of a record's value."""
    if value is None:
        return Row(index, line, Kind.SILENT)
    if not isinstance(value, Mapping):
        return Row(index, line, Kind.UNKNOWN, label=f"({type(value).__name__})")
    payload = value.get("payload")
    stamp = str(value.get("timestamp", ""))
    if isinstance(payload, Mapping):
        kind, label = _enveloped_kind(value.get("type"))
        return Row(index, line, kind, payload, stamp=stamp, label=label)
    kind, label = _bare_kind(value)
    return Row(index, line, kind, value, (), stamp, label)


def _enveloped_kind(name: object) -> tuple[Kind, str]:
    if name in _KNOWN:
        return Kind(str(name)), ""
    return Kind.SILENT if name in _QUIET else Kind.UNKNOWN, str(name)


def _bare_kind(value: Mapping[str, object]) -> tuple[Kind, str]:
    name = value.get("type")
    if value.get("record_type") == "state" or name == "ghost_snapshot":
        return Kind.SILENT, ""
    if is_item(value):
        return Kind.ITEM, ""
    if is_old_head(value):
        return Kind.META, ""
    return Kind.UNKNOWN, str(name or value.get("record_type") or "(no type)")


def is_old_head(value: object) -> bool:
    """Whether a value is the first line of a rollout of the first versions."""
    if not isinstance(value, Mapping) or {"type", "role", "payload"} & value.keys():
        return False
    return {"id", "timestamp"} <= value.keys() and bool({"instructions", "git"} & value.keys())


def is_rollout(head: Iterable[Record]) -> bool:
    """Whether the first records of a file are those of a rollout."""
    values = [record.value for record in head if isinstance(record.value, Mapping)]
    if any(map(_enveloped, values)):
        return True
    state = any(value.get("record_type") == "state" for value in values)
    return bool(values) and (is_old_head(values[0]) or state) and any(map(is_item, values[1:]))


def _enveloped(value: Mapping[str, object]) -> bool:
    named = value.get("type") in _KNOWN and isinstance(value.get("payload"), Mapping)
    return named and "timestamp" in value


def text_at(rows: Sequence[Row], kind: Kind, *keys: str) -> str:
    """The first text that a line of that kind has under one of the keys."""
    return next(
        (
            value
            for row in rows
            if row.kind is kind
            for key in keys
            if isinstance(value := row.payload.get(key), str) and value
        ),
        "",
    )
