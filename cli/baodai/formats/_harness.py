"""Which part of a user-role text a human typed: harness wrappers and tool output told apart.

Agents put their own words into user messages: reminders, command echoes, environment blocks, tool
output as text. None of it is the user.
"""

from __future__ import annotations

import re

from baodai.model import Text, ToolResult, Voice

_TAGS = (
    "system-reminder|environment_context|user_instructions|local-command-stdout|"
    "local-command-stderr|local-command-caveat|task-notification|command-name|command-message|"
    "command-contents|bash-stdout|bash-stderr|ide_selection|ide_opened_file|persisted-output|"
    "user-prompt-submit-hook|session-start-hook|environment_details|EXTRA_INFO|ENVIRONMENT"
)
_WRAPPED = re.compile(rf"<(?P<tag>{_TAGS})(?:\s[^>]*)?>.*?(?:</(?P=tag)>|\Z)", re.DOTALL)
_TYPED = re.compile(r"<(?P<tag>command-args|bash-input)>(?P<typed>.*?)</(?P=tag)>", re.DOTALL)
_WHOLE = re.compile(
    r"\s*(?:\[Request interrupted by user[^\]]*\]|Caveat: The messages below were generated"
    r"|This session is being continued from a previous conversation|# AGENTS\.md instructions"
    r"|<skill|Read the output file to retrieve the result:|Operation stopped by hook:|Base directory for this skill:|\[Image: (?:source|original)"
    r"|Your task is to create a detailed summary of the conversation)"
)
_OUTPUT = re.compile(
    r"\s*(?:<tool_response>|EXECUTION RESULT of \[|OBSERVATION:|Observation:|<returncode>|<output>"
    r"|<observation>|<function_results>|Tool result:)"
)
_REFUSED = re.compile(
    r"(?:the user said|To tell you how to proceed, the user said|user(?:'s)? feedback"
    r"|The user provided the following reason for the rejection)\s*:?\s*\n?(?P<said>.*)",
    re.DOTALL | re.IGNORECASE,
)
_AFTER = re.compile(r"\n\s*(?:Note: The user's next message|<system-reminder>).*", re.DOTALL)
_DOES_NOT = re.compile(
    r"doesn't want to (?:proceed|take this action)|rejected|denied|refused", re.IGNORECASE
)
_CLARIFY = re.compile(r"The user wants to clarify these questions|Operation stopped by hook:")
_ANSWERS = re.compile(
    r"(?:User has answered your questions?|user answered)\s*:\s*(?P<said>.*)", re.DOTALL
)
_ANSWER_END = re.compile(r"\s*You can now continue with the user's answers in mind\.?.*", re.DOTALL)


def user_text(text: str, path: tuple[str | int, ...]) -> Text:
    """A text block of a user message, with what a human typed of it."""
    if "<" not in text[:4096] and not _WHOLE.match(text) and not _OUTPUT.match(text):
        return Text(text, Voice.HUMAN, path=path)
    if _OUTPUT.match(text):
        return Text(text, Voice.TOOL, path=path)
    if _WHOLE.match(text):
        return Text(text, Voice.HARNESS, path=path)
    typed = _WRAPPED.sub("", _TYPED.sub(lambda m: m.group("typed"), text))
    if typed == text:
        return Text(text, Voice.HUMAN, path=path)
    if not typed.strip() or _WHOLE.match(typed):
        return Text(text, Voice.HARNESS, path=path)
    return Text(text, Voice.HUMAN, typed.strip(), path)


def spoken_in_result(text: str) -> str | None:
    """The user's own words inside a tool result: a refusal's reason, answers to a question."""
    head = text[:4096]
    if _CLARIFY.search(head):
        return None
    answers = _ANSWERS.search(head)
    if answers is not None:
        return _ANSWER_END.sub("", answers.group("said")).strip() or None
    if _DOES_NOT.search(head) is None:
        return None
    refused = _REFUSED.search(head)
    if refused is None:
        return None
    return _AFTER.sub("", refused.group("said")).strip() or None


def with_spoken(result: ToolResult) -> ToolResult:
    """The result with the user's words marked in its first text part."""
    parts = list(result.parts)
    for i, part in enumerate(parts):
        if isinstance(part, Text):
            said = spoken_in_result(part.text)
            if said is not None:
                parts[i] = Text(part.text, Voice.TOOL, said, part.path)
            break
    return ToolResult(result.call_id, tuple(parts), result.is_error, result.name, result.path)
