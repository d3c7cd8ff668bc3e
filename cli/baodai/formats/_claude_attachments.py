"""What the model reads of Claude Code's attachments.

The program renders them as reminders around these fields; its own fixed words are not in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from baodai.formats._claude_rows import Body, text_at
from baodai.formats._harness import user_text
from baodai.formats._media import image
from baodai.model import Block, Opaque, Path, Text, Voice

_EACH = "*"

_VISIBLE: dict[str, tuple[tuple[str, ...], ...]] = {
    "agent_listing_delta": (("addedLines", _EACH), ("removedTypes", _EACH)),
    "agent_mention": (("agentType",),),
    "already_read_file": (("filename",),),
    "auto_mode": (),
    "auto_mode_exit": (),
    "command_permissions": (),
    "compact_file_reference": (("filename",),),
    "critical_system_reminder": (("content",),),
    "date_change": (("newDate",),),
    "deferred_tools_delta": (("addedLines", _EACH), ("removedNames", _EACH)),
    "diagnostics": (("files", _EACH, "diagnostics", _EACH, "message"),),
    "directory": (("path",), ("content",)),
    "edited_image_file": (("filename",),),
    "edited_text_file": (("filename",), ("snippet",)),
    "file": (("filename",), ("content", "file", "content")),
    "hook_additional_context": (("content", _EACH), ("content",)),
    "hook_blocking_error": (("blockingError", "blockingError"),),
    "hook_cancelled": (),
    "hook_error_during_execution": (),
    "hook_non_blocking_error": (),
    "hook_permission_decision": (),
    "hook_stopped_continuation": (("message",),),
    "hook_success": (("content",),),
    "hook_system_message": (),
    "invoked_skills": (("skills", _EACH, "content"),),
    "mcp_instructions_delta": (("addedBlocks", _EACH), ("removedNames", _EACH)),
    "nested_memory": (("path",), ("content", "content")),
    "opened_file_in_ide": (("filename",),),
    "output_style": (("style",),),
    "pdf_reference": (("filename",),),
    "plan_file_reference": (("planFilePath",), ("planContent",)),
    "plan_mode": (("planFilePath",),),
    "plan_mode_exit": (("planFilePath",),),
    "plan_mode_reentry": (("planFilePath",),),
    "relevant_memories": (("memories", _EACH, "content"),),
    "selected_lines_in_ide": (("filename",), ("content",)),
    "skill_listing": (("content",),),
    "structured_output": (),
    "task_reminder": (("content", _EACH, "subject|status"),),
    "task_status": (("description",), ("status",), ("deltaSummary",)),
    "todo_reminder": (("content", _EACH, "content|status"),),
}
"""The fields that are rendered into the context, by type; none where nothing is."""

_SPOKEN = "queued_command"

_HEARD = ("SessionStart", "UserPromptSubmit")
"""Hooks whose output the model reads; that of others is shown to the user only."""


def known(body: Body) -> bool:
    """Whether the type of an attachment is one of those that occur."""
    name = text_at(body, "type")
    return name in _VISIBLE or name == _SPOKEN


def attachment_blocks(body: Body) -> tuple[Block, ...]:
    """The blocks of an attachment, one for each visible field; none where it shows nothing."""
    name = text_at(body, "type")
    if name == _SPOKEN:
        return tuple(_spoken(body))
    if name == "hook_success" and text_at(body, "hookEvent") not in _HEARD:
        return ()
    fields: tuple[Block, ...] = tuple(
        Text(text, Voice.HARNESS, path=("attachment", *path))
        for pattern in _VISIBLE.get(name, ())
        for path, text in _found(body, pattern)
    )
    data = text_at(body, "content", "file", "base64")
    if not data:
        return fields
    path: Path = ("attachment", "content", "file", "base64")
    return (*fields, image(data, text_at(body, "content", "file", "type"), path))


def _spoken(body: Body) -> Iterator[Block]:
    """What was typed while the agent was busy; notices of background tasks come the same way."""
    human = text_at(body, "commandMode") in ("", "prompt")
    human = human and text_at(body, "origin", "kind") in ("", "human")
    prompt = body.get("prompt")
    if isinstance(prompt, str):
        yield _said(prompt, ("attachment", "prompt"), human=human)
    for i, item in enumerate(prompt if isinstance(prompt, list) else ()):
        text = text_at(item, "text")
        if text:
            yield _said(text, ("attachment", "prompt", i), human=human)
        else:
            kind = text_at(item, "type") or "unknown"
            yield _pictured(item, kind, ("attachment", "prompt", i))


def _said(text: str, path: Path, *, human: bool) -> Text:
    return user_text(text, path) if human else Text(text, Voice.HARNESS, path=path)


def _pictured(item: object, kind: str, path: Path) -> Opaque:
    data = text_at(item, "source", "data")
    if kind == "image" and data:
        return image(data, text_at(item, "source", "media_type"), path)
    return Opaque(kind, path=path)


def _found(value: object, pattern: tuple[str, ...], path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The texts at the places a pattern names."""
    if not pattern:
        if isinstance(value, str) and value:
            yield path, value
        return
    key, rest = pattern[0], pattern[1:]
    if key == _EACH:
        for i, item in enumerate(value if isinstance(value, list) else ()):
            yield from _found(item, rest, (*path, i))
    elif isinstance(value, dict):
        for name in key.split("|"):
            yield from _found(value.get(name), rest, (*path, name))
