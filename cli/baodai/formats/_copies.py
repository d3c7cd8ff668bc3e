"""Copies of what the model reads that a format keeps beside it, so that nothing cut leaks there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from baodai.formats._writing import Desk
from baodai.model import Message, Path, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class Copy:
    """A place that repeats a message, a call or its result: `of` is the message's or call's id.

    `call` tells that it repeats the call alone, so that a shortened result is not written there.
    """

    of: str
    record: int
    path: Path
    call: bool = False


def hide(desk: Desk, copies: Iterable[Copy]) -> None:
    """Bring the copies in line with the edits.

    A text becomes the new text (empty where it is gone); a value of another shape is taken out.
    """
    called: dict[str, str] = {}
    said = _said(desk, called)
    for copy in copies:
        text = (called if copy.call else said).get(copy.of)
        if text is None or copy.record in desk.sheet.gone:
            continue
        was = desk.sheet.at(copy.record, copy.path)
        if isinstance(was, str):
            if was != text:
                desk.sheet.put(copy.record, copy.path, text)
        elif was is not None:
            desk.sheet.remove(copy.record, copy.path)


def _said(desk: Desk, called: dict[str, str]) -> Mapping[str, str]:
    """What edited messages, calls and results say now, by their ids; calls alone in `called`."""
    said: dict[str, str] = {}
    for old, now in desk.edited:
        if old.text and (now is None or now.text != old.text):
            said[old.id] = "" if now is None else now.text
        kept = {} if now is None else {b.path: b for b in now.blocks}
        for block in old.blocks:
            match block, kept.get(block.path):
                case ToolResult(), ToolResult() as new if new != block:
                    said[block.call_id] = new.text
                case ToolResult(), None:
                    said[block.call_id] = ""
                case ToolCall(), ToolCall() as new if new != block:
                    called[block.id] = new.arguments
                    said.setdefault(block.id, new.arguments)
                case ToolCall(), None:
                    called[block.id] = ""
                    said.setdefault(block.id, "")
                case _:
                    continue
    return said


def repeats(message: Message, record: int, *paths: Path) -> Iterable[Copy]:
    """Copies of a message's text at places of a record."""
    return (Copy(message.id, record, path) for path in paths)
