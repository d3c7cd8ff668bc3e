"""Which part of a user-role text a human typed: harness wrappers and tool output told apart.

Agents put their own words into user messages: reminders, command echoes, environment blocks, tool
output as text. None of it is the user.
"""

from __future__ import annotations

import re
from dataclasses import replace

from baodai.model import Part, Path, Text, ToolResult, Voice
from baodai.tools import Kind, ToolTable

_TAGS = (
    "system-reminder|environment_context|user_instructions|local-command-stdout|"
    "local-command-stderr|local-command-caveat|task-notification|command-name|command-message|"
    "command-contents|bash-stdout|bash-stderr|ide_selection|ide_opened_file|persisted-output|"
    "user-prompt-submit-hook|session-start-hook|environment_details|EXTRA_INFO|ENVIRONMENT|"
    "turn_aborted|user_shell_command|subagent_notification"
)
_WRAPPED = re.compile(rf"<(?P<tag>{_TAGS})(?:\s[^>]*)?>.*?(?:(?P<end></(?P=tag)>)|\Z)", re.DOTALL)
_TYPED = re.compile(
    r"<(?P<tag>command-args|bash-input)>(?P<typed>.*?)(?:(?P<end></(?P=tag)>)|\Z)", re.DOTALL
)
_INTERRUPTED = re.compile(r"(?:\s*\[Request interrupted by user[^\]]*\])+")
_WHOLE = re.compile(
    r"\s*(?:Caveat: The messages below were generated"
    r"|This session is being continued from a previous conversation|# AGENTS\.md(?: instructions|\n)"
    r"|<skill|Read the output file to retrieve the result:|Operation stopped by hook:|Base directory for this skill:|\[Image: (?:source|original)"
    r"|Your task is to create a detailed summary of the conversation)"
)
_OUTPUT = re.compile(
    r"\s*(?:<tool_response>|EXECUTION RESULT of \[|OBSERVATION:|Observation:|<returncode>|<output>"
    r"|<observation>|<function_results>|Tool result:)"
)
# What a harness writes where a call was refused or a question answered, always from its first word
# on: the same words further down are a page, a log or a file that quotes them.
_REFUSED = re.compile(
    r"\s*(?:The user (?:doesn't want to (?:proceed with|take) this|denied this operation|rejected"
    r"|has (?:rejected|denied))|User (?:rejected|denied|refused|declined)"
    r"|Tool (?:use|call|execution) (?:was )?(?:rejected|denied|refused)|用户(?:拒绝|否决|取消)了?)"
)
_REASON = re.compile(
    r"(?:the user said|user(?:'s)? feedback|following feedback|reason for (?:the|this) (?:rejection"
    r"|refusal)|用户(?:说|反馈|的理由|的意见))\s*[:：]\s*(?P<said>.*)",
    re.DOTALL | re.IGNORECASE,
)
_AFTER = re.compile(r"\n\s*(?:Note: The user's next message|<system-reminder>).*", re.DOTALL)
_ANSWERED = re.compile(
    r"\s*(?:Your questions? (?:has|have) been answered|User (?:has )?answered[^:]{0,20})\s*:"
)
# What an option would have looked like, in the model's words.
_PREVIEW = re.compile(r"\s+selected preview:\n.*?(?=\s+user notes: |,\s*\"|\.?\s*\Z)", re.DOTALL)
_ANSWER_END = re.compile(r"\s*You can now continue with.*", re.DOTALL)
_SAID = re.compile(r"\s*<(?P<tag>user_message|user_feedback)>(?P<said>.*)</(?P=tag)>\s*", re.DOTALL)
_BETWEEN = re.compile(
    r"\s*<(?P<tag>answer|feedback|user_message|user_feedback)>(?P<said>.*)</(?P=tag)>\s*", re.DOTALL
)
_MOST = 1 << 16
"""Characters of a result in which the user's words are looked for."""


def user_text(text: str, path: Path) -> Text:
    """A text block of a user message, with what a human typed of it."""
    if _OUTPUT.match(text):
        return Text(text, Voice.TOOL, path=path)
    typed = _INTERRUPTED.sub("", text, count=1) if _INTERRUPTED.match(text) else text
    if "<" in typed:
        typed = _WRAPPED.sub(_unwrapped, _TYPED.sub(_typed, typed))
    if _WHOLE.match(typed) or (typed is not text and not typed.strip()):
        return Text(text, Voice.HARNESS, path=path)
    return Text(text, Voice.HUMAN, None if typed == text else typed.strip(), path)


def _typed(found: re.Match[str]) -> str:
    return found.group("typed") if found.group("end") else found.group()


def _unwrapped(found: re.Match[str]) -> str:
    """Nothing for a wrapper. One that is never closed is one only where the text begins with it."""
    if found.group("end") or not found.string[: found.start()].strip():
        return ""
    return found.group()


def spoken_in_result(text: str) -> str | None:
    """The user's own words inside a tool result: a refusal's reason, answers to a question."""
    head = text[:_MOST]
    whole = _SAID.fullmatch(head)
    if whole is not None:
        return whole.group("said").strip() or None
    if _ANSWERED.match(head):
        said = _ANSWER_END.sub("", head.partition(":")[2])
        return _PREVIEW.sub("", said).strip() or None
    reason = _REASON.search(head) if _REFUSED.match(head) else None
    if reason is None:
        return None
    return _BETWEEN.sub(_inner, _AFTER.sub("", reason.group("said"))).strip() or None


def _inner(found: re.Match[str]) -> str:
    return found.group("said")


def with_spoken(result: ToolResult, *, errors_are_marked: bool = False) -> ToolResult:
    """The result with the user's words marked in its first text part.

    `errors_are_marked`: a refusal is an error in this format, so what is none is no refusal.
    """
    parts = list(result.parts)
    first = next((i for i, part in enumerate(parts) if isinstance(part, Text)), None)
    part = None if first is None else parts[first]
    if first is None or not isinstance(part, Text):
        return result
    if errors_are_marked and not result.is_error and _REFUSED.match(part.text):
        return result
    said = spoken_in_result(part.text)
    if said is None:
        return result
    parts[first] = replace(part, voice=Voice.TOOL, spoken=said)
    return replace(result, parts=tuple(parts))


def named(result: ToolResult, name: str) -> ToolResult:
    """The result of the tool of that name. What came from the web never speaks for the user."""
    if ToolTable().kind(name) in {Kind.FETCH, Kind.SEARCH} and not result.is_error:
        result = replace(result, parts=tuple(map(_unheard, result.parts)))
    return replace(result, name=name)


def _unheard(part: Part) -> Part:
    return replace(part, spoken=None) if isinstance(part, Text) else part
