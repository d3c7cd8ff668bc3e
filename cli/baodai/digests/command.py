"""Digest of commands: the command, its exit status, the lines that tell what came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import (
    distinct,
    ends,
    exit_code,
    failures,
    one_line,
    plain,
    said,
    size_of,
    standing_out,
)
from baodai.digests._telling import FAILING, telling_lines
from baodai.model import ToolCall, ToolResult
from baodai.tools import Kind, target_of

_LINES = 6
_CLOSING = 8
"""Telling lines at the end that decide: a runner's totals come after what failed."""

_SHORT = 400
"""Characters of an output that is its own conclusion."""

_LEAD = re.compile(r"^\s*cd\s+\S+\s*(?:&&|;)\s*")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?\n.*?\n\1\b", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CommandDigest:
    """Reads shells, interpreters and everything that runs."""

    name: str = "command"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """The outcome of a command."""
        text = result.text
        shown = ends(text)
        code = exit_code(text)
        told = [one_line(line, 240) for line in telling_lines(shown)]
        errors = failures(text) if code != 0 or result.is_error else failures(text, 2)
        status = _status(result, code, told, errors)
        conclusions = distinct(reversed(told), _LINES)
        if not conclusions:
            conclusions = standing_out(text) or _closing(shown)
        return Outcome(
            kind="command",
            tool=call.name if call is not None else result.name,
            action="ran",
            target=telling_part(target_of(call, Kind.COMMAND)) if call is not None else "",
            status=status,
            exit_code=code,
            conclusions=conclusions,
            errors=errors,
            size=size_of(result),
        )


def telling_part(command: str) -> str:
    """The command without a leading `cd` and without the body of a here document."""
    bare = _HEREDOC.sub("<<…", command.strip())
    return _LEAD.sub("", bare) or bare


def _status(
    result: ToolResult, code: int | None, told: list[str], errors: tuple[str, ...]
) -> Status:
    """Failed where the exit code, the tool or a closing telling line says so."""
    if code is not None:
        return Status.OK if code == 0 else Status.FAILED
    if result.is_error:
        return Status.FAILED
    if told:
        closing = told[-_CLOSING:]
        return Status.FAILED if any(map(FAILING.search, closing)) else Status.OK
    return Status.UNKNOWN if errors else Status.OK


def _closing(shown: str) -> tuple[str, ...]:
    """What says most where no line tells: all of a short output, else its first and last lines."""
    lines = list(said(plain(shown)))
    if sum(map(len, lines)) <= _SHORT:
        return tuple(one_line(line, 240) for line in lines[:_LINES])
    return distinct((one_line(line, 160) for line in (lines[-1], lines[0])), 2) if lines else ()


DIGEST = CommandDigest()
