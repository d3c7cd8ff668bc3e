"""Digest of sub-agents: the task, and how their report opens and closes."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import distinct, one_line, said, size_of
from baodai.model import ToolCall, ToolResult
from baodai.tools import ToolTable

_TAKEN = 6


@dataclass(frozen=True, slots=True)
class AgentDigest:
    """Reads delegated tasks."""

    name: str = "agent"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """The report's heads, lists and last lines."""
        lines = list(said(result.text))
        chosen = [
            line for line in lines if line[0] in "#-*•✓✗✅❌" or line[:2].rstrip(".").isdigit()
        ]
        told = (*lines[:1], *chosen, *lines[-2:]) if chosen else (*lines[:2], *lines[-3:])
        return Outcome(
            kind="agent",
            tool=call.name if call is not None else result.name,
            action="delegated",
            target=one_line(ToolTable().target(call), 200) if call is not None else "",
            status=Status.FAILED if result.is_error else Status.OK,
            conclusions=distinct((one_line(line, 240) for line in told), _TAKEN),
            size=size_of(result),
        )


DIGEST = AgentDigest()
