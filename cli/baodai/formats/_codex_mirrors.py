"""Copies in a rollout's events of what the model reads, so that what was cut leaks from none.

Codex writes what was said and what commands printed once more, for its screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from baodai.formats._codex_rows import Kind, Row
from baodai.formats._layouts import at
from baodai.formats._writing import Desk
from baodai.model import Message, Path, Role, Thinking, ToolCall, ToolResult

_SAID = {
    "agent_message": "message",
    "user_message": "message",
    "task_complete": "last_agent_message",
    "agent_reasoning": "text",
    "agent_reasoning_raw_content": "text",
}
"""The member of an event that repeats a text."""

_PRINTED = ("stdout", "aggregated_output", "formatted_output", "output")
_ASKED: Mapping[str, object] = {
    "command": [],
    "parsed_cmd": [],
    "changes": {},
    "query": "",
    "content_items": [],
}
"""Members that repeat what a call asked for, with the empty value that each may have."""


@dataclass(slots=True)
class _Changed:
    """What calls and outputs say now, by the id of the call; texts with the line they stood in."""

    results: dict[str, str] = field(default_factory=dict)
    calls: set[str] = field(default_factory=set)
    said: list[tuple[int, str, str]] = field(default_factory=list)


def hide(desk: Desk, rows: Sequence[Row]) -> None:
    """Bring the events in line with the edits."""
    changed = _Changed()
    for old, now in desk.edited:
        _note(changed, old, now)
    events = [row for row in rows if row.kind is Kind.EVENT]
    for row in events:
        call = row.payload.get("call_id")
        if isinstance(call, str):
            for path, value in _of_call(row, call, changed):
                desk.sheet.put(row.index, (*row.base, *path), value)
    for line, before, after in changed.said:
        for row, key in _nearest(events, line, before):
            desk.sheet.put(row.index, (*row.base, key), after)


def _note(changed: _Changed, old: Message, now: Message | None) -> None:
    kept = {} if now is None else {block.path: block for block in now.blocks}
    for block in old.blocks:
        new = kept.get(block.path)
        match block:
            case ToolResult() if new != block:
                changed.results[block.call_id] = new.text if isinstance(new, ToolResult) else ""
            case ToolCall() if new != block:
                changed.calls.add(block.id)
            case Thinking() if new is None and block.text:
                changed.said.extend((old.record, t, "") for t in block.text.split("\n") if t)
                changed.said.append((old.record, block.text, ""))
            case _:
                continue
    text = "" if now is None else now.text
    if not old.path and old.text and old.role in {Role.USER, Role.ASSISTANT} and text != old.text:
        changed.said.append((old.record, old.text, text))


def _of_call(row: Row, call: str, changed: _Changed) -> Iterator[tuple[Path, object]]:
    if call in changed.results:
        yield from _printed(row, changed.results[call])
    if call in changed.calls:
        for key, empty in _ASKED.items():
            if row.payload.get(key):
                yield (key,), empty
        if at(row.payload, ("invocation", "arguments")) is not None:
            yield ("invocation", "arguments"), None


def _printed(row: Row, text: str) -> Iterator[tuple[Path, object]]:
    for key in _PRINTED:
        if isinstance(row.payload.get(key), str) and row.payload[key]:
            yield (key,), text
    if row.payload.get("stderr"):
        yield ("stderr",), ""
    if at(row.payload, ("result", "Ok", "content")) is not None:
        yield ("result", "Ok", "content"), [{"type": "text", "text": text}]
    if at(row.payload, ("result", "Ok", "structuredContent")) is not None:
        yield ("result", "Ok", "structuredContent"), None
    if isinstance(at(row.payload, ("result", "Err")), str):
        yield ("result", "Err"), text


def _nearest(events: Sequence[Row], line: int, text: str) -> Iterator[tuple[Row, str]]:
    """Of each kind of event the one nearest to a line that says the text."""
    for event, key in _SAID.items():
        same = [row for row in events if row.event == event and row.payload.get(key) == text]
        if same:
            yield min(same, key=lambda row: abs(row.index - line)), key
