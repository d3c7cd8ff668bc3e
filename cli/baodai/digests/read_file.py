"""Digest of file reads: the path, the lines that were shown, how many."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import one_line, said, size_of
from baodai.model import ToolCall, ToolResult
from baodai.tools import Kind, arguments_of, target_of

_NUMBERED = re.compile(r"^\s*(\d+)(?:→|\t|\||:)", re.MULTILINE)
_NAMES = re.compile(
    r"^\s*(?:\d+[→\t|:]\s*)?(?:(?:export|default|public|async|static|pub)\s+)*"
    r"(?:def|class|func|function|fn|struct|interface|trait|enum|type)\s+([A-Za-z_][\w.]*)",
    re.MULTILINE,
)
_SOME = 8


@dataclass(frozen=True, slots=True)
class ReadDigest:
    """Reads what a read showed: its range, the names that code defines."""

    name: str = "read"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """The outcome of a read."""
        text = result.text
        failed = result.is_error
        names = list(dict.fromkeys(_NAMES.findall(text[:200_000])))
        told: tuple[str, ...] = ()
        if failed:
            told = tuple(one_line(line) for line in list(said(text))[:2])
        elif names:
            more = f" (+{len(names) - _SOME})" if len(names) > _SOME else ""
            told = ("defines " + ", ".join(names[:_SOME]) + more,)
        return Outcome(
            kind="read",
            tool=call.name if call is not None else result.name,
            action="read",
            target=target_of(call, Kind.READ) if call is not None else "",
            status=Status.FAILED if failed else Status.OK,
            conclusions=told,
            change=_range(call, text),
            size=size_of(result),
        )


def _range(call: ToolCall | None, text: str) -> str:
    """The lines shown, by their numbers in the output or by the arguments."""
    first, last = _NUMBERED.search(text[:2000]), _NUMBERED.findall(text[-4000:])
    if first is not None and last:
        return f"lines {first.group(1)}-{last[-1]}"
    arguments = arguments_of(call) if call is not None else {}
    offset, limit = arguments.get("offset"), arguments.get("limit")
    return f"from line {offset}, {limit} lines" if offset and limit else ""


DIGEST = ReadDigest()
