"""Digest of writes and edits: the path, what was done to it, lines added and removed."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import one_line, said
from baodai.digests.files import file_events
from baodai.model import ToolCall, ToolResult
from baodai.tools import Kind, target_of


@dataclass(frozen=True, slots=True)
class WriteDigest:
    """Reads what a write changed, from its arguments."""

    name: str = "write"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """The outcome of a write or an edit."""
        events = file_events(call, result, Kind.WRITE)
        added, removed = sum(e.added for e in events), sum(e.removed for e in events)
        failed = result.is_error
        actions = {e.action for e in events}
        return Outcome(
            kind="write",
            tool=call.name if call is not None else result.name,
            action=actions.pop() if len(actions) == 1 else "edited",
            target=target_of(call, Kind.WRITE) if call is not None else "",
            status=Status.FAILED if failed else Status.OK,
            conclusions=tuple(one_line(line) for line in list(said(result.text))[:2])
            if failed
            else (),
            change=f"+{added} -{removed}" if added or removed else "",
        )


DIGEST = WriteDigest()
