"""The parts of an opencode message as blocks, a call and its result out of one part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from baodai.formats._harness import user_text, with_spoken
from baodai.formats._media import image
from baodai.formats._members import Members, list_at, members_at, text_at
from baodai.jsonl import dumps
from baodai.model import (
    Block,
    Opaque,
    Part,
    Path,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Voice,
)

CLEARED = "[Old tool result content cleared]"
"""What the model reads of an output that opencode has pruned."""

_SEALS = ("signature", "reasoningOpaque", "reasoningEncryptedContent", "encryptedContent")
_SILENT = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent", "retry"})
_EXPANDED = frozenset({"text/plain", "application/x-directory"})
"""Kinds of files whose text opencode adds as parts of their own."""


@dataclass(slots=True)
class Step:
    """What is read of one answer: its own blocks, and the results of its calls."""

    blocks: list[Block] = field(default_factory=list)
    results: list[Block] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def user_blocks(parts: Sequence[object], path: Path) -> Step:
    """What a user message says; texts that opencode added are marked `synthetic`."""
    step = Step()
    for j, found in enumerate(parts):
        here, part = (*path, j), members_at(found)
        match part:
            case {"type": "text", "text": str() as text}:
                if part.get("ignored") is not True:
                    made = part.get("synthetic") is True
                    step.blocks.append(
                        Text(text, Voice.HARNESS, path=here) if made else user_text(text, here)
                    )
            case {"type": "file", "mime": str() as mime}:
                step.blocks.extend(_file(part, mime, here))
            case {"type": "subtask"}:
                said = "The following tool was executed by the user"
                step.blocks.append(Opaque("subtask", visible=said, path=here))
            case {"type": "compaction"}:
                continue
            case _:
                _count(step, part)
    return step


def _file(part: Members, mime: str, path: Path) -> Iterator[Opaque]:
    if mime.startswith("image/"):
        yield image(text_at(part, "url"), mime, path)
    elif mime not in _EXPANDED:
        yield Opaque("file", note=text_at(part, "filename") or mime, path=path)


def answer_blocks(parts: Sequence[object], places: Sequence[int], path: Path) -> Step:
    """What one answer of the model says, and what its tools gave back."""
    step = Step()
    for j in places:
        here, part = (*path, j), members_at(parts[j])
        match part:
            case {"type": "text", "text": str() as text}:
                step.blocks.append(Text(text, Voice.MODEL, path=here))
            case {"type": "reasoning"}:
                step.blocks.append(Thinking(text_at(part, "text"), _seal(part), path=here))
            case {"type": "tool", "state": dict() as state}:
                _tool(step, part, state, here)
            case _:
                _count(step, part)
    return step


def _count(step: Step, part: object) -> None:
    kind = text_at(part, "type")
    if kind not in _SILENT:
        step.unknown.append(kind or "part")


def _seal(part: Members) -> str:
    """The signature of reasoning, which each provider keeps under its own name."""
    for told in members_at(part, "metadata").values():
        for name in _SEALS:
            sealed = text_at(told, name)
            if sealed:
                return sealed
    return ""


def _tool(step: Step, part: Members, state: Members, path: Path) -> None:
    call_id = text_at(part, "callID") or ".".join(map(str, path))
    name = text_at(part, "tool")
    arguments = dumps(state.get("input", {})).decode()
    step.blocks.append(ToolCall(call_id, name, arguments, path=path))
    failed = state.get("status") == "error"
    key = "error" if failed else "output"
    said = state.get(key)
    if state.get("status") not in {"completed", "error"} or not isinstance(said, str):
        return  # still running, or the program ended under it
    if "compacted" in members_at(state, "time"):
        said = CLEARED
    inner: list[Part] = [Text(said, Voice.TOOL, path=(*path, "state", key))]
    for k, found in enumerate(list_at(state, "attachments")):
        place = (*path, "state", "attachments", k)
        inner.extend(_file(found, text_at(found, "mime"), place) if isinstance(found, dict) else ())
    result = ToolResult(call_id, tuple(inner), failed, name, path)
    step.results.append(with_spoken(result, errors_are_marked=True))
