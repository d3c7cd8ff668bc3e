"""A conversation on its way into another format: repaired, with what the target has no slot for.

What a target cannot say travels in one extra member, `x_baodai`; what is lost is noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from baodai.formats._layouts import at
from baodai.formats._media import Media, media_of
from baodai.formats._repair import repaired
from baodai.formats._schemas import Schema, schemas
from baodai.jsonl import loads
from baodai.model import Block, Conversation, Message, Opaque, Path, Role, Thinking, ToolResult

EXTRA = "x_baodai"
"""The member that carries what a format has no slot for."""


class Source:
    """What a format needs to write a conversation anew. `notes` are sentences on what changed."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self._values: dict[int, object] = {}
        self._places: dict[int, tuple[int, Path]] = {}
        for message in conversation.messages:
            for block in _flat(message.blocks):
                if isinstance(block, Opaque):
                    self._places[id(block)] = (message.record, block.path)
        self.messages, self.notes = repaired(conversation.messages)
        self.tools: Sequence[Schema] = schemas(conversation.tools, self.notes)

    def systems(self) -> list[Message]:
        """System messages and summaries, which some formats keep beside the others."""
        return [m for m in self.messages if m.role is Role.SYSTEM or m.is_summary]

    def spoken(self) -> list[Message]:
        """All other messages."""
        held = [m.role is not Role.SYSTEM and not m.is_summary for m in self.messages]
        first = held.index(True) if True in held else len(held)
        late = sum(not spoke for spoke in held[first:])
        if late:
            self.notes.append(f"{late} system message(s) inside the conversation moved to its head")
        return [m for m, spoke in zip(self.messages, held, strict=True) if spoke]

    def media(self, block: Opaque) -> Media | None:
        """The image, sound or document behind a block, from the record it was read from."""
        return media_of(self.value(block))

    def text_of(self, block: Opaque) -> str:
        """What a model read of a block that the target has no shape for."""
        self.notes.append(f"{block.kind} became text")
        return block.visible or f"[{block.note or block.kind}]"

    def beyond(
        self, message: Message, slots: Sequence[str] = (), **more: object
    ) -> dict[str, object]:
        """The extra with what the target has no slot for.

        `slots` are the members that it has one for; `more` goes in too where there is some.
        """
        usage = None if message.usage is None else asdict(message.usage)
        known = {
            **more,
            "timestamp": message.timestamp,
            "model": message.model,
            "stop_reason": message.stop_reason,
            "usage": usage,
        }
        said = {key: value for key, value in known.items() if value and key not in slots}
        return {EXTRA: said} if said else {}

    def value(self, block: Opaque) -> object:
        """What the record it was read from says of a block; `None` for a new one."""
        record, path = self._places.get(id(block), (-1, ()))
        if record < 0:
            return None
        if record not in self._values:
            try:
                self._values[record] = loads(self.conversation.origin.records[record])
            except ValueError:
                self._values[record] = None
        return at(self._values[record], path)


def _flat(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, ToolResult):
            yield from block.parts


def carried(value: Mapping[str, object], path: Path) -> Iterator[Thinking]:
    """Thinking that an earlier conversion put beside a message."""
    place = (EXTRA, "thinking")
    text = at(value, place)
    if isinstance(text, str) and text:
        yield Thinking(text, path=(*path, *place))


def argument_object(arguments: str) -> Mapping[str, object]:
    """Arguments as the object that some formats want; what is no object is wrapped."""
    value: object = arguments
    for _ in range(2):  # twice, since some writers encode JSON in JSON
        try:
            value = loads(value.encode("utf-8", "replace")) if isinstance(value, str) else value
        except ValueError:
            break
    return value if isinstance(value, dict) else {"input": arguments} if arguments else {}
