"""Writes edited items of the Responses API, and new ones.

Where reasoning goes, the items that its call made lose their ids: the API refuses an id whose
reasoning is missing, and takes the same item without one.
"""

from __future__ import annotations

from collections.abc import Iterator

from baodai.formats._blocks import is_json, object_changes, text_place
from baodai.formats._item_calls import ARGUMENTS
from baodai.formats._item_types import kind_of
from baodai.formats._layouts import at
from baodai.formats._sheet import Changes
from baodai.formats._writing import Desk
from baodai.jsonl import loads
from baodai.model import (
    Message,
    Opaque,
    Part,
    Path,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)


def changes_of(old: Message, new: Message, record: object) -> Changes:
    """What to write so that `old` says what `new` says."""
    changes = Changes()
    later = {block.path: block for block in new.blocks}
    kind = "output_text" if old.role is Role.ASSISTANT else "input_text"
    for block in old.blocks:
        now = later.get(block.path)
        if now == block:
            continue
        match block, now:
            case ToolCall(), ToolCall():
                changes.puts.update(_arguments(block, now, record))
            case ToolResult(), ToolResult():
                _result(changes, block, now, record)
            case ((Text() | Opaque() as part), (Text() | None as text)):
                _text(changes, part, text, (record, kind))
            case _:
                continue
    return changes


def _text(changes: Changes, part: Part, now: Text | None, where: tuple[object, str]) -> None:
    """A text or something else becomes a text, or goes."""
    record, kind = where
    listed = bool(part.path) and isinstance(part.path[-1], int)
    if now is None and listed:
        changes.removes.append(part.path)
    elif now is None:
        changes.puts[part.path] = ""
    elif isinstance(part, Text):
        changes.puts[text_place(record, part.path)] = now.text
    else:
        changes.puts[part.path] = {"type": kind, "text": now.text} if listed else now.text


def _arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    """New arguments in the form that the old ones had; what an API would refuse is not written."""
    item = at(record, old.path)
    place = (*old.path, ARGUMENTS.get(kind_of(item), "arguments"))
    was = at(record, place)
    if isinstance(was, str):
        return {place: new.arguments} if old.freeform or is_json(new.arguments) else {}
    if isinstance(was, dict):
        return object_changes(old.arguments, new.arguments, place)
    return {place: loads(new.arguments.encode())} if is_json(new.arguments) else {}


def _result(changes: Changes, old: ToolResult, new: ToolResult, record: object) -> None:
    later = {part.path: part for part in new.parts}
    added = [p.text for p in new.parts if isinstance(p, Text) and not p.path]
    left = [p for p in new.parts if p.path]
    place = _place_of(old, record)
    if added and not left:
        # There was no text before (an image alone, or nothing).
        changes.puts[place] = "\n".join(added)
        return
    for part in old.parts:
        now = later.get(part.path)
        if now != part and (now is None or isinstance(now, Text)):
            _part(changes, part, now, record)
    if added:
        new_parts: list[object] = [{"type": "input_text", "text": text} for text in added]
        changes.inserts.setdefault((*place, 0), []).extend(new_parts)


def _part(changes: Changes, part: Part, now: Text | None, record: object) -> None:
    """A part of an output: what a command printed is a member that must stay."""
    if now is None and part.path[-1] in {"stdout", "stderr", "logs", "text"}:
        changes.puts[part.path] = ""
    else:
        _text(changes, part, now, (record, "input_text"))


def _place_of(result: ToolResult, record: object) -> Path:
    """Where an item's output stands; a server tool's result has a place of its own."""
    own = result.path[-1:] == ("output",) and kind_of(at(record, result.path[:-1])) != ""
    item = result.path[:-1] if own else result.path
    if at(record, (*item, "output")) is None and at(record, (*item, "error")) is not None:
        return (*item, "error")
    return (*item, "output")


def fresh_item(message: Message, role: str = "") -> object:
    """A new item: a message, a call or an output."""
    for result in message.results:
        return {"type": "function_call_output", "call_id": result.call_id, "output": result.text}
    for call in message.calls:
        said = {"call_id": call.id, "name": call.name}
        if call.freeform:
            return {"type": "custom_tool_call", **said, "input": call.arguments}
        return {"type": "function_call", **said, "arguments": call.arguments}
    speaker = role or ("developer" if message.role is Role.SYSTEM else message.role.value)
    kind = "output_text" if speaker == "assistant" else "input_text"
    content = [{"type": kind, "text": message.text}]
    return {"type": "message", "role": speaker, "content": content}


def mend_ids(desk: Desk) -> None:
    """Take the ids off what lost its reasoning, but for calls that have no other name."""
    for item in bereft(desk):
        place = (*item_path(item), "id")
        ident = desk.sheet.at(item.record, place)
        if isinstance(ident, str) and ident not in {call.id for call in item.calls}:
            desk.sheet.remove(item.record, place)


def bereft(desk: Desk) -> Iterator[Message]:
    """Messages that stay though the reasoning they came from is gone."""
    lost = ""
    for old in desk.before:
        thought = any(isinstance(block, Thinking) for block in old.blocks)
        now = desk.after[old.id]
        if thought:
            lost = old.group if now is None or not now.blocks else ""
        elif now is not None and lost and old.group == lost:
            yield old


def item_path(message: Message) -> Path:
    """The place of a message's item: that of its call, or the one around its content."""
    first = message.blocks[0].path if message.blocks else message.path
    return first[: first.index("content")] if "content" in first else first
