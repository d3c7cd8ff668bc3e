"""Turns changed blocks into splices, for dialects whose blocks are elements of a content list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from baodai.formats._chat import Changes
from baodai.formats._layouts import at
from baodai.jsonl import loads
from baodai.model import Block, Message, Opaque, Part, Path, Text, Thinking, ToolCall, ToolResult

PutCall = Callable[[ToolCall, ToolCall, object], "dict[Path, object]"]
"""How a dialect writes new arguments: the old call, the new one, the record."""


def changed(old: Message, new: Message, record: object, put_call: PutCall) -> Changes:
    """What to write so that the blocks of `old` become those of `new`."""
    changes = Changes()
    later = {block.path: block for block in new.blocks}
    for block in old.blocks:
        now = later.get(block.path)
        if now == block:
            continue
        if now is None or type(now) is not type(block):
            _remove(changes, block.path, record)
            continue
        match block, now:
            case Text(), Text():
                changes.puts[text_place(record, block.path)] = now.text
            case ToolCall(), ToolCall():
                changes.puts.update(put_call(block, now, record))
            case ToolResult(), ToolResult():
                _result(changes, block, now, record)
            case _:
                _remove(changes, block.path, record)
    return changes


def _result(changes: Changes, old: ToolResult, new: ToolResult, record: object) -> None:
    later = {part.path: part for part in new.parts}
    for part in old.parts:
        now = later.get(part.path)
        if now is None:
            _remove(changes, part.path, record)
        elif now != part and isinstance(now, Text):
            changes.puts[text_place(record, part.path)] = now.text
    added = [part.text for part in new.parts if isinstance(part, Text) and not part.path]
    if added:
        # The old content had no text (an image alone, or nothing): it becomes the text.
        place = (*old.path, "content")
        changes.removes = [p for p in changes.removes if p[: len(place)] != place]
        changes.puts[place] = "\n".join(added)


def text_place(record: object, path: Path) -> Path:
    """The place of a text's string: the element itself, or its member."""
    value = at(record, path)
    if isinstance(value, dict):
        key = next((k for k in ("text", "value", "refusal", "content") if k in value), "text")
        return (*path, key)
    return path


def _remove(changes: Changes, path: Path, record: object) -> None:
    """An element of a list goes; a member that holds the whole content becomes empty."""
    if path and isinstance(path[-1], int):
        changes.removes.append(path)
    elif path and path[-1] == "content":
        owner = at(record, path[:-1])
        calls = isinstance(owner, dict) and (owner.get("tool_calls") or owner.get("function_call"))
        changes.puts[path] = None if calls else ""
    elif path:
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


def parts_of(blocks: Sequence[Block]) -> tuple[Part, ...]:
    """The blocks that may stand inside a tool result."""
    return tuple(block for block in blocks if isinstance(block, Text | Opaque))


def thinking(text: object, signature: object, path: Path) -> Thinking:
    """A thinking block from whatever a writer put there."""
    said = text if isinstance(text, str) else ""
    return Thinking(said, signature if isinstance(signature, str) else "", path)
