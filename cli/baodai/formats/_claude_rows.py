"""Claude Code's records: what each line of a session is, before anything is made of it.

Owns the names of record types. Never decides what the model sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

SYNTHETIC = "<synthetic>"
"""The model named in answers that Claude Code made up itself (errors, "no response requested")."""

_KNOWN = frozenset(
    [
        "summary",
        "file-history-snapshot",
        "last-prompt",
        "custom-title",
        "ai-title",
        "agent-name",
        "agent-color",
        "agent-setting",
        "mode",
        "permission-mode",
        "pr-link",
        "tag",
        "result",
        "stream_event",
        "rate_limit_event",
        "tool_progress",
        "auth_status",
        "control_request",
        "control_response",
        "control_cancel_request",
        "keep_alive",
        "progress",
    ]
)
"""Record types that hold nothing the model reads; both containers."""

_KNOWN_SYSTEM = frozenset(
    [
        "init",
        "status",
        "microcompact_boundary",
        "stop_hook_summary",
        "turn_duration",
        "api_error",
        "away_summary",
        "bridge_status",
        "informational",
        "hook_started",
        "hook_progress",
        "hook_response",
        "task_started",
        "task_notification",
        "files_persisted",
    ]
)


class Kind(StrEnum):
    """What a record is, as far as the context is concerned."""

    USER = "user"
    ASSISTANT = "assistant"
    ATTACHMENT = "attachment"
    COMMAND = "command"
    BOUNDARY = "boundary"
    QUEUE = "queue"
    SILENT = "silent"
    UNKNOWN = "unknown"


Body = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Row:
    """A record. `index` is its place among the records, `line` its number in the file.

    `body` is the message of a user or assistant record, the attachment of an attachment, the whole
    record elsewhere; `label` names an unknown type. `whole` is the record as it was read.
    """

    index: int
    line: int
    kind: Kind
    label: str = ""
    uuid: str = ""
    parent: str = ""
    side: bool = False
    meta: bool = False
    summary: bool = False
    group: str = ""
    stamp: str = ""
    body: Body = field(default_factory=dict)
    whole: Body = field(default_factory=dict)

    @property
    def content(self) -> object:
        """The content of a message."""
        return self.body.get("content")

    @property
    def items(self) -> list[object]:
        """The content as a list of blocks; a text alone is one."""
        content = self.content
        if isinstance(content, str):
            return [{"type": "text", "text": content}]
        return content if isinstance(content, list) else []

    @property
    def results(self) -> bool:
        """Whether tool results stand in it."""
        return any(kind_of(item) == "tool_result" for item in self.items)


def text_at(body: object, key: str, *deeper: str) -> str:
    """The text at a place, empty where there is none."""
    if not isinstance(body, dict):
        return ""
    value = body.get(key)
    if isinstance(value, str) and not deeper:
        return value
    return text_at(value, *deeper) if deeper else ""


def kind_of(item: object) -> str:
    """The type of a content block."""
    return text_at(item, "type")


def row_of(index: int, line: int, value: object) -> Row:
    """The row of a record's value; what is no object, or has no known type, is unknown."""
    if value is None:
        return Row(index, line, Kind.SILENT)
    if not isinstance(value, dict):
        return Row(index, line, Kind.UNKNOWN, f"({type(value).__name__})")
    kind, label = _kind(value)
    body = value
    if kind in (Kind.USER, Kind.ASSISTANT, Kind.ATTACHMENT):
        inner = value.get("attachment" if kind is Kind.ATTACHMENT else "message")
        if isinstance(inner, dict) and (kind is Kind.ATTACHMENT or _said(inner)):
            body = inner
        else:
            kind, label = Kind.UNKNOWN, f"{kind.value} without content"
    return Row(
        index,
        line,
        kind,
        label,
        uuid=text_at(value, "uuid"),
        parent=text_at(value, "parentUuid"),
        side=value.get("isSidechain") is True or bool(text_at(value, "parent_tool_use_id")),
        meta=value.get("isMeta") is True or value.get("isSynthetic") is True,
        summary=value.get("isCompactSummary") is True,
        group=_group(value, body) if kind is Kind.ASSISTANT else "",
        stamp=text_at(value, "timestamp"),
        body=body,
        whole=value,
    )


def _kind(value: Body) -> tuple[Kind, str]:
    name = text_at(value, "type")
    if name in ("user", "assistant", "attachment"):
        return _spoken(Kind(name), value), ""
    if name == "queue-operation":
        return Kind.QUEUE, ""
    if name == "system":
        return _system(text_at(value, "subtype"))
    if name in _KNOWN:
        return Kind.SILENT, ""
    return Kind.UNKNOWN, name or "(no type)"


def _spoken(kind: Kind, value: Body) -> Kind:
    """An answer that no model gave, and a note for the reader's eyes only, reach no model."""
    made_up = value.get("isApiErrorMessage") is True
    made_up = made_up or text_at(value, "message", "model") == SYNTHETIC
    unseen = value.get("isVisibleInTranscriptOnly") is True
    unseen = unseen and value.get("isCompactSummary") is not True
    return Kind.SILENT if made_up or unseen else kind


def _system(subtype: str) -> tuple[Kind, str]:
    if subtype == "compact_boundary":
        return Kind.BOUNDARY, ""
    if subtype == "local_command":
        return Kind.COMMAND, ""
    if subtype in _KNOWN_SYSTEM or not subtype:
        return Kind.SILENT, ""
    return Kind.UNKNOWN, f"system/{subtype}"


def _said(message: Body) -> bool:
    return isinstance(message.get("content"), str | list)


def _group(value: Body, message: Body) -> str:
    """One message of the API has one id; where it is missing, one request."""
    return text_at(message, "id") or text_at(value, "requestId")
