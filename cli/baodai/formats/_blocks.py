"""Turns changed blocks into splices, for dialects whose blocks are elements of a content list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from baodai.formats._layouts import at
from baodai.formats._sheet import Changes
from baodai.jsonl import loads
from baodai.model import Block, Message, Opaque, Part, Path, Text, Thinking, ToolCall, ToolResult

PutCall = Callable[[ToolCall, ToolCall, object], "dict[Path, object]"]
"""How a dialect writes new arguments: the old call, the new one, the record."""

_END = 1 << 30
"""An index past the end of any list: the place to append."""


def _element(path: Path, text: str) -> object:
    """A text in the place of another block: an element of a list has a type."""
    return {"type": "text", "text": text} if isinstance(path[-1], int) else text


def _put(record: object, path: Path, text: str) -> dict[Path, object]:
    return {text_place(record, path): text}


@dataclass(frozen=True, slots=True)
class Shape:
    """How a format writes what changes: `call` new arguments, `text` a text as a new element.

    `put` writes a text where one was; `content` and `output` are the members of a message and of
    a result that hold their elements.
    """

    call: PutCall
    text: Callable[[Path, str], object] = _element
    put: Callable[[object, Path, str], dict[Path, object]] = _put
    content: str = "content"
    output: str = "content"


def changed(old: Message, new: Message, record: object, shape: Shape) -> Changes:
    """What to write so that the blocks of `old` become those of `new`."""
    changes = Changes()
    later = {block.path: block for block in new.blocks}
    for block in old.blocks:
        now = later.get(block.path)
        if now == block:
            continue
        match block, now:
            case Text(), Text():
                changes.puts.update(shape.put(record, block.path, now.text))
            case Opaque(), Text():
                changes.puts[block.path] = shape.text(block.path, now.text)
            case ToolCall(), ToolCall():
                changes.puts.update(shape.call(block, now, record))
            case ToolResult(), ToolResult():
                _result(changes, block, now, record, shape)
            case _ if len(block.path) > len(old.path):
                _remove(changes, block.path)
            case _:
                continue  # the block is the whole record, which goes with its message
    _add(changes, old, new, record, shape)
    return changes


def _add(changes: Changes, old: Message, new: Message, record: object, shape: Shape) -> None:
    """Texts that no record stands behind: elements of the content, or the content itself."""
    if not any(isinstance(block, Text) and not block.path for block in new.blocks):
        return
    place = (*old.path, shape.content)
    content = at(record, place)
    if not isinstance(content, list):
        texts = [block.text for block in new.blocks if isinstance(block, Text)]
        parts = [shape.text((*place, 0), text) for text in texts]
        changes.puts[place] = texts[0] if len(texts) == 1 else parts
        return
    index: str | int = _END
    for block in reversed(new.blocks):
        if block.path[: len(place)] == place:
            index = block.path[len(place)]
        elif isinstance(block, Text) and not block.path:
            part = shape.text((*place, 0), block.text)
            changes.inserts.setdefault((*place, index), []).insert(0, part)


def _result(
    changes: Changes, old: ToolResult, new: ToolResult, record: object, shape: Shape
) -> None:
    later = {part.path: part for part in new.parts}
    for part in old.parts:
        now = later.get(part.path)
        if now is None:
            _remove(changes, part.path)
        elif now != part and isinstance(now, Text):
            opaque = isinstance(part, Opaque)
            put = {part.path: shape.text(part.path, now.text)} if opaque else None
            changes.puts.update(put or shape.put(record, part.path, now.text))
    added = [part.text for part in new.parts if isinstance(part, Text) and not part.path]
    if not added:
        return
    # The old content had no text (an image alone, or nothing).
    place = (*old.path, shape.output)
    if any(part.path for part in new.parts):
        parts = [shape.text((*place, 0), text) for text in added]
        changes.inserts.setdefault((*place, 0), []).extend(parts)
        return
    changes.removes = [path for path in changes.removes if path[: len(place)] != place]
    changes.puts[place] = "\n".join(added)


def text_place(record: object, path: Path) -> Path:
    """The place of a text's string: the element itself, or its member."""
    value = at(record, path)
    if isinstance(value, dict):
        key = next((k for k in ("text", "value", "refusal", "content") if k in value), "text")
        return (*path, key)
    return path


def _remove(changes: Changes, path: Path) -> None:
    """An element or a member goes; one that is the whole content becomes empty."""
    if path and path[-1] == "content":
        changes.puts[path] = ""
    elif path:
        changes.removes.append(path)


def without_empty(changes: Changes, record: object, keys: Sequence[str]) -> None:
    """Take out the members named `keys` whose lists would be left empty, which APIs refuse."""
    going: dict[Path, int] = {}
    for path in changes.removes:
        if len(path) > 1 and path[-2] in keys:
            going[path[:-1]] = going.get(path[:-1], 0) + 1
    for path, count in going.items():
        elements = at(record, path)
        if isinstance(elements, list) and len(elements) == count:
            changes.removes = [p for p in changes.removes if p[: len(path)] != path]
            changes.removes.append(path)


def object_changes(old: str, new: str, place: Path) -> dict[Path, object]:
    """What to put so that the object at `place` says `new`: only where it differs from `old`.

    Nothing where `new` is no JSON object, since an API would refuse it.
    """
    try:
        was, now = loads(old.encode()), loads(new.encode())
    except ValueError:
        return {}
    return dict(_differing(was, now, place)) if isinstance(now, dict) else {}


def _differing(was: object, now: object, place: Path) -> Iterator[tuple[Path, object]]:
    if isinstance(was, dict) and isinstance(now, dict) and was.keys() <= now.keys():
        for key, value in now.items():
            if key not in was:
                yield (*place, key), value
            else:
                yield from _differing(was[key], value, (*place, key))
    elif was != now or type(was) is not type(now):
        yield place, now


def is_json(text: str) -> bool:
    """Whether a text is JSON."""
    try:
        loads(text.encode())
    except ValueError:
        return False
    return True


def parts_of(blocks: Sequence[Block]) -> tuple[Part, ...]:
    """The blocks that may stand inside a tool result."""
    return tuple(block for block in blocks if isinstance(block, Text | Opaque))


def thinking(text: object, signature: object, path: Path) -> Thinking:
    """A thinking block from whatever a writer put there."""
    said = text if isinstance(text, str) else ""
    return Thinking(said, signature if isinstance(signature, str) else "", path)
