"""New records in Claude Code's own shape: a message, and what it writes when it compacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import NAMESPACE_URL, uuid5

from baodai.formats._anthropic_items import Other, as_text, items
from baodai.formats._claude_rows import Body, text_at
from baodai.model import Message, Role, Text, Voice

_SPACE = uuid5(NAMESPACE_URL, "baodai:claude-code")

_ENVELOPE = ("userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug")
"""Members that every record of a session repeats."""


@dataclass
class Fresh:
    """Makes records that continue a session.

    `last` is the record before; `seed` makes the ids, which are the same for the same input;
    `other` writes blocks that are no text.
    """

    last: Body
    stamp: str
    seed: str
    model: str
    stream: bool
    other: Other = as_text
    _count: int = field(default=0, init=False)

    def uuid(self, text: str) -> str:
        """An id that follows from what it stands for."""
        self._count += 1
        return str(uuid5(_SPACE, f"{self.seed}\0{self._count}\0{text}"))

    def message(self, message: Message, parent: str | None) -> dict[str, object]:
        """A record of a message."""
        uuid = self.uuid(f"{message.role}\0{message.text}")
        kind = "assistant" if message.role is Role.ASSISTANT else "user"
        said = self._said(message, uuid)
        if self.stream:
            return self._streamed(message, kind, said, uuid)
        record: dict[str, object] = {"parentUuid": parent, "isSidechain": False}
        record |= {"type": kind, "message": said}
        if message.is_summary:
            record |= {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
        elif kind == "user" and _injected(message):
            record["isMeta"] = True
        return record | {"uuid": uuid, "timestamp": self.stamp} | self.envelope()

    def _streamed(self, message: Message, kind: str, said: Body, uuid: str) -> dict[str, object]:
        """The printed stream has no tree and no preserved list: a summary is a marked user line.

        A `compact_boundary` there would hide the lines before it, which an insertion must not.
        """
        record: dict[str, object] = {"type": kind, "message": said, "parent_tool_use_id": None}
        if kind == "user" and (message.is_summary or _injected(message)):
            record["isSynthetic"] = True
        if message.is_summary:
            record["isCompactSummary"] = True
        return record | {"session_id": text_at(self.last, "session_id"), "uuid": uuid}

    def _said(self, message: Message, uuid: str) -> dict[str, object]:
        blocks = [item for block in message.blocks for item in items(block, self.other)]
        if message.role is not Role.ASSISTANT:
            alone = len(message.blocks) == 1 and isinstance(message.blocks[0], Text)
            return {"role": "user", "content": message.text if alone else blocks}
        return {
            "model": message.model or self.model,
            "id": message.group or f"msg_{uuid.replace('-', '')}",
            "type": "message",
            "role": "assistant",
            "content": blocks,
            "stop_reason": message.stop_reason or ("tool_use" if message.calls else "end_turn"),
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }

    def boundary(
        self, uuid: str, before: str, data: Body, kept: Sequence[str], anchor: str
    ) -> Body:
        """The record of a compaction that keeps some records behind the summary.

        Both lists are written: `preservedMessages` names each record, `preservedSegment` is what
        versions before it read, the ends of the stretch.
        """
        data = dict(data)
        if kept:
            data["preservedSegment"] = {
                "headUuid": kept[0],
                "anchorUuid": anchor,
                "tailUuid": kept[-1],
            }
            data["preservedMessages"] = {
                "anchorUuid": anchor,
                "uuids": list(kept),
                "allUuids": list(kept),
            }
        marks = ("compact_boundary", "Conversation compacted", "compactMetadata")
        return self._system(uuid, None, marks, data) | {"logicalParentUuid": before or None}

    def shrunk(self, parent: str, data: Body) -> Body:
        """The record of results shrunk in place: what Claude Code calls a microcompaction."""
        marks = ("microcompact_boundary", "Context microcompacted", "microcompactMetadata")
        return self._system(self.uuid("shrunk"), parent or None, marks, data)

    def _system(
        self, uuid: str, parent: str | None, marks: tuple[str, str, str], data: Body
    ) -> dict[str, object]:
        subtype, content, member = marks
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "type": "system",
            "subtype": subtype,
            "content": content,
            "isMeta": False,
            "timestamp": self.stamp,
            "uuid": uuid,
            "level": "info",
            member: dict(data),
        } | self.envelope()

    def envelope(self) -> dict[str, object]:
        """What the record before says of its session."""
        return {key: self.last[key] for key in _ENVELOPE if key in self.last}


def _injected(message: Message) -> bool:
    texts = [block for block in message.blocks if isinstance(block, Text)]
    return bool(texts) and all(text.voice is not Voice.HUMAN for text in texts)
