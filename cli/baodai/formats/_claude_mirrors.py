"""Copies that Claude Code keeps of what the model reads, so that what was cut leaks from none.

The program's own view of a result (`toolUseResult`), the progress of its call, a plan beside its
text, the queue record of a text that was typed ahead, the result line that ends a stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from baodai.formats._claude_rows import text_at
from baodai.formats._sheet import Sheet
from baodai.model import Message, Text, ToolCall
from baodai.structure import pair

_RESULT_COPIES = ("toolUseResult", "tool_use_result")
_SAID_COPIES = (
    ("queue-operation", "content"),
    ("last-prompt", "lastPrompt"),
    ("result", "result"),
)


def hide(sheet: Sheet, before: Sequence[Message], after: Mapping[str, Message | None]) -> None:
    """Bring the copies in line with the messages in `after`; `None` there is one that is gone."""
    calls = set[str]()
    results = dict[int, Message]()
    for (r, j), (c, k) in pair(before).call_of.items():
        if _differs(before[r], j, after) or _differs(before[c], k, after):
            now = after.get(before[r].id, before[r])
            if now is not None:
                results[now.record] = now
            call = before[c].blocks[k]
            calls.add(call.id if isinstance(call, ToolCall) else "")
    for index, message in results.items():
        _put_result(sheet, index, message)
    if calls:
        _hide_progress(sheet, calls)
    _hide_said(sheet, before, after)


def _differs(message: Message, block: int, after: Mapping[str, Message | None]) -> bool:
    """Whether a block of a message is changed or gone."""
    now = after.get(message.id, message)
    if now is message:
        return False
    path = message.blocks[block].path
    return now is None or message.blocks[block] not in [b for b in now.blocks if b.path == path]


def _put_result(sheet: Sheet, index: int, message: Message) -> None:
    """The text alone, which is the form the program uses for errors."""
    value = sheet.value(index)
    for key in _RESULT_COPIES:
        if isinstance(value, dict) and value.get(key) is not None:
            sheet.put(index, (key,), "\n".join(result.text for result in message.results))


def _hide_progress(sheet: Sheet, calls: set[str]) -> None:
    """Progress holds output as it came, and all that a sub-agent said; hooks, no output."""
    for index, value in _records(sheet, "progress"):
        kind = text_at(value, "data", "type")
        if kind == "hook_progress" or not calls & _ids(value):
            continue
        sheet.put(index, ("data",), {"type": kind})


def _ids(value: object) -> set[str]:
    return {text_at(value, "toolUseID"), text_at(value, "parentToolUseID")} - {""}


def _records(sheet: Sheet, kind: str) -> Iterator[tuple[int, object]]:
    for index in range(len(sheet)):
        value = sheet.value(index)
        if text_at(value, "type") == kind:
            yield index, value


def _hide_said(
    sheet: Sheet, before: Iterable[Message], after: Mapping[str, Message | None]
) -> None:
    """What the user typed and the model answered, where it was shortened."""
    new: dict[str, str] = {}
    for message in before:
        now = after.get(message.id, message)
        if now is message or now == message:
            continue
        if any(isinstance(block, Text) for block in message.blocks):
            new[message.text] = now.text if now is not None else ""
            if now is not None and text_at(sheet.value(message.record), "planContent"):
                sheet.put(message.record, ("planContent",), now.text)
    own = {message.record for message in before}
    for kind, key in _SAID_COPIES if new else ():
        for index, value in _records(sheet, kind):
            text = text_at(value, key)
            if text in new and index not in own:
                sheet.put(index, (key,), new[text])
