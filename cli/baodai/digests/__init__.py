"""Digests: the short text that stands where a tool result was: what was done, what came of it.

A digest is a module here that exports `DIGEST`, one for each kind of tool. It reads structure, no
model, and gives an `Outcome`; rendering it is shared, so that the history, the summary and the
checks tell the same story.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, cast

from baodai.catalogue import plugs
from baodai.model import ToolCall, ToolResult


class Status(StrEnum):
    """What came of a call."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done and what came of it.

    `kind` is the tool's kind (`tools.Kind` value), `action` the doing in a few words without the
    target ("ran", "read", "edited"), `target` the command, path, query or URL in full,
    `conclusions` the telling lines, most telling first ("42 passed in 1.3s"), `errors` error lines
    verbatim, `change` a size of a change ("+12 -3"), `size` what the result weighed ("312 lines").
    """

    kind: str
    tool: str
    action: str
    target: str
    status: Status
    exit_code: int | None = None
    conclusions: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    change: str = ""
    size: str = ""


class Digest(Protocol):
    """Reads one kind of tool's calls and results. `name` is the kind."""

    name: str

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """The outcome of a call, from its arguments and its result. Never raises on odd input."""
        ...


def digests() -> dict[str, Digest]:
    """All digests by the kind of tool."""
    return cast("dict[str, Digest]", plugs("baodai.digests", "DIGEST"))
