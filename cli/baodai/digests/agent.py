"""Digest of sub-agents: the task, and what their report concludes."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import distinct, one_line, size_of
from baodai.digests.prose import gist
from baodai.model import ToolCall, ToolResult
from baodai.tools import Kind, target_of

_TAKEN = 900
"""Characters of a report that are kept."""


@dataclass(frozen=True, slots=True)
class AgentDigest:
    """Reads delegated tasks."""

    name: str = "agent"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """The lines of the report that tell most."""
        told = gist(result.text, _TAKEN, glue="\n").split("\n")
        return Outcome(
            kind="agent",
            tool=call.name if call is not None else result.name,
            action="delegated",
            target=one_line(target_of(call, Kind.AGENT), 200) if call is not None else "",
            status=Status.FAILED if result.is_error else Status.OK,
            conclusions=distinct((one_line(line, 240) for line in told if line), 8),
            size=size_of(result),
        )


DIGEST = AgentDigest()
