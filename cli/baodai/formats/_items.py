"""The items of OpenAI's Responses API as messages: one dialect for all containers that hold them.

An item is a message, a piece of reasoning, a call or an output, all side by side in one list.
Server tools keep call and output in one item, which makes two messages of one place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from baodai.formats._harness import user_text
from baodai.formats._item_calls import CALLS, Item, Reader, Said
from baodai.formats._item_parts import dumped, parts_of, texts_in
from baodai.formats._item_types import ASKING, IDE, INJECTED, is_item, kind_of
from baodai.formats._layouts import at
from baodai.formats._media import image
from baodai.model import Block, Message, Opaque, Part, Path, Role, Text, Thinking, Voice

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
}
_FOREIGN_SUMMARY = "Another language model started to solve this problem and produced a summary"
"""How Codex begins the summary it writes when it compacts without the server's help."""

_STATES = frozenset({"compaction", "compaction_summary", "context_compaction"})


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an item stands: the record, the line, the unit that goes with it, the item itself."""

    id: str
    record: int
    line: int
    unit: Path
    path: Path
    stamp: str = ""
    model: str = ""


def messages_of(item: object, spot: Spot) -> Iterator[Message]:
    """The messages of an item: one, or a call and its result; none where no model reads it."""
    kind = kind_of(item)
    if not is_item(item) or not isinstance(item, Mapping) or kind == "ghost_snapshot":
        return
    read = _READERS.get(kind, _other)
    for number, (role, blocks) in enumerate(read(item, spot.path)):
        yield Message(
            spot.id if number == 0 else f"{spot.id}r",
            role,
            tuple(blocks),
            line=spot.line,
            record=spot.record,
            path=spot.unit,
            is_summary=role is Role.USER and _foreign_summary(blocks),
            timestamp=spot.stamp,
            model=spot.model if role is Role.ASSISTANT else "",
        )


def _foreign_summary(blocks: list[Block]) -> bool:
    first = blocks[0] if blocks else None
    return isinstance(first, Text) and first.text.startswith(_FOREIGN_SUMMARY)


def is_state(item: object) -> bool:
    """Whether an item stands for all that was before it, in a form only the server reads."""
    return kind_of(item) in _STATES


def is_injected(item: object) -> bool:
    """Whether an agent put a user message there: project rules, the environment."""
    if kind_of(item) != "message" or at(item, ("role",)) != "user":
        return False
    return any(INJECTED.match(text) for text in texts_in(at(item, ("content",))))


# Messages and reasoning.


def _message(item: Item, path: Path) -> Iterator[Said]:
    role = _ROLES.get(str(item.get("role")), Role.USER)
    blocks = list(parts_of(item.get("content"), (*path, "content")))
    if role is Role.USER and not is_injected(item):
        yield role, [_typed(block) for block in blocks]
    else:
        voice = Voice.MODEL if role is Role.ASSISTANT else Voice.HARNESS
        yield role, [replace(b, voice=voice) if isinstance(b, Text) else b for b in blocks]


def _typed(block: Part) -> Block:
    """A text of the user's; an editor's plugin tells its open files before the request."""
    if not isinstance(block, Text):
        return block
    if block.text.startswith(_FOREIGN_SUMMARY):
        return block
    if IDE.match(block.text):
        _, asked, words = block.text.partition(ASKING)
        return replace(block, voice=Voice.HUMAN, spoken=words.strip() if asked else "")
    return user_text(block.text, block.path)


def _reasoning(item: Item, path: Path) -> Iterator[Said]:
    """Reasoning; what is encrypted stands for the whole of it, a summary for what it says."""
    texts = [*texts_in(item.get("summary")), *texts_in(item.get("content"))]
    sealed = item.get("encrypted_content")
    signature = sealed if isinstance(sealed, str) else ""
    yield Role.ASSISTANT, [Thinking("\n".join(texts), signature, path)]


def _image_made(item: Item, path: Path) -> Iterator[Said]:
    result = item.get("result")
    yield Role.ASSISTANT, [image(result if isinstance(result, str) else "", "image/png", path)]


def _searched(item: Item, path: Path) -> Iterator[Said]:
    """A search on the web: what it found is not in the transcript."""
    action = item.get("action")
    visible = dumped(action) if action is not None else ""
    yield Role.ASSISTANT, [Opaque("web_search_call", visible, note="web search", path=path)]


# What is carried whole.


def _state(item: Item, path: Path) -> Iterator[Said]:
    """A compaction by the server. Base64 takes four times the tokens of what it stands for."""
    sealed = item.get("encrypted_content")
    visible = sealed[: len(sealed) // 4] if isinstance(sealed, str) else ""
    yield Role.SYSTEM, [Opaque("compaction", visible, note="compacted by the server", path=path)]


def _carried(item: Item, path: Path) -> Iterator[Said]:
    kind = kind_of(item)
    yield Role.SYSTEM, [Opaque(kind, dumped(item), note=kind, path=path)]


def _other(item: Item, path: Path) -> Iterator[Said]:
    """What is not taken apart: an answer by its name belongs to the tools, else to the model."""
    kind = kind_of(item)
    role = Role.TOOL if kind.endswith(("_output", "_response")) else Role.ASSISTANT
    yield role, [Opaque(kind, dumped(item), note=kind, path=path)]


_READERS: Mapping[str, Reader] = {
    **CALLS,
    "message": _message,
    "reasoning": _reasoning,
    "image_generation_call": _image_made,
    "web_search_call": _searched,
    "compaction": _state,
    "compaction_summary": _state,
    "context_compaction": _state,
    "compaction_trigger": _carried,
    "item_reference": _carried,
    "additional_tools": _carried,
}
