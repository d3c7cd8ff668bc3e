"""What happened to files: created, edited, deleted, moved, put back; from calls, not from prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from baodai.model import ToolCall, ToolResult
from baodai.tools import Kind, arguments_of, target_of

_SHELL = re.compile(
    r"(?:^|[;&|]\s*)(?:sudo\s+)?(?:(?P<rm>(?:git\s+)?rm)\s+(?:-\S+\s+)*(?P<gone>[^;&|\n]+)"
    r"|(?P<mv>(?:git\s+)?mv)\s+(?:-\S+\s+)*(?P<old>\S+)\s+(?P<new>[^\s;&|]+)"
    r"|git\s+(?:checkout\s+(?:\S+\s+)?--|restore)\s+(?P<back>[^;&|\n]+)"
    r"|(?:cat|tee|echo|printf)\b[^;|\n]*?(?<![0-9&>])>{1,2}\s*(?P<out>[^\s;&|<]+))"
)
_PATCH = re.compile(
    r"^\*\*\* (?P<verb>Add|Update|Delete) File: (?P<path>.+?)\s*$"
    r"|^\*\*\* Move to: (?P<to>.+?)\s*$|^(?P<sign>[+-])(?![+-]{2} )",
    re.MULTILINE,
)
_NOT_FILES = frozenset({"/dev/null", "&1", "&2", "1", "2"})


@dataclass(frozen=True, slots=True)
class FileEvent:
    """One thing that happened to a file. `path` is written with `/`, whatever the system."""

    path: str
    action: str
    added: int = 0
    removed: int = 0
    to: str = ""


def same_path(path: str) -> str:
    """One spelling of a path: `/` for a backslash, no leading `./`."""
    return path.strip().strip("'\"").replace("\\", "/").removeprefix("./")


def file_events(call: ToolCall | None, result: ToolResult, kind: Kind) -> tuple[FileEvent, ...]:
    """What a call did to files; nothing where it failed or where it did nothing to any."""
    if call is None or result.is_error:
        return ()
    if kind is Kind.COMMAND:
        command = target_of(call, kind)
        if "*** Begin Patch" in command:
            return tuple(_patched(command))
        return tuple(_ran(command))
    if kind is Kind.WRITE:
        return tuple(_wrote(call))
    return ()


def _wrote(call: ToolCall) -> Iterator[FileEvent]:
    arguments = arguments_of(call)
    patch = call.arguments if call.freeform else _text(arguments, "input", "patch", "diff")
    if "*** Begin Patch" in patch or call.freeform:
        yield from _patched(patch)
        return
    path = same_path(target_of(call, Kind.WRITE))
    if not path:
        return
    name = call.name.lower()
    if "delete" in name or "remove" in name:
        yield FileEvent(path, "deleted")
        return
    added = removed = 0
    for edit in _edits(arguments):
        old, new = (
            _text(edit, "old_string", "old_str", "oldText", "search", "old"),
            _text(edit, "new_string", "new_str", "newText", "replace", "new", "insert_line_text"),
        )
        added, removed = added + _lines(new), removed + _lines(old)
    content = _text(arguments, "content", "file_text", "contents", "code", "text")
    whole = bool(content) and not removed
    added += _lines(content) if whole else 0
    yield FileEvent(path, "wrote" if whole else "edited", added, removed)


def _edits(arguments: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    yield arguments
    edits = arguments.get("edits")
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, dict):
            yield edit


def _text(arguments: Mapping[str, object], *keys: str) -> str:
    return next((v for k in keys if isinstance(v := arguments.get(k), str) and v), "")


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _patched(patch: str) -> Iterator[FileEvent]:
    """The files of a patch in Codex's form, each with its lines."""
    path = action = to = ""
    added = removed = 0
    for found in _PATCH.finditer(patch):
        if found.group("verb"):
            if path:
                yield FileEvent(path, action, added, removed, to)
            action = {"Add": "created", "Update": "edited", "Delete": "deleted"}[
                found.group("verb")
            ]
            path, to, added, removed = same_path(found.group("path")), "", 0, 0
        elif found.group("to"):
            to, action = same_path(found.group("to")), "moved"
        else:
            added += found.group("sign") == "+"
            removed += found.group("sign") == "-"
    if path:
        yield FileEvent(path, action, added, removed, to)


def _ran(command: str) -> Iterator[FileEvent]:
    """Files that a shell command deleted, moved, put back or wrote, where it says so plainly."""
    for found in _SHELL.finditer(command[:20_000]):
        if found.group("rm"):
            yield from (FileEvent(same_path(p), "deleted") for p in _paths(found.group("gone")))
        elif found.group("mv"):
            old, new = same_path(found.group("old")), same_path(found.group("new"))
            yield FileEvent(old, "moved", to=new)
        elif found.group("back"):
            yield from (FileEvent(same_path(p), "reverted") for p in _paths(found.group("back")))
        elif found.group("out") not in _NOT_FILES:
            yield FileEvent(same_path(found.group("out")), "wrote")


def _paths(words: str) -> list[str]:
    return [w for w in words.split() if not w.startswith("-") and w != "." and "$" not in w]
