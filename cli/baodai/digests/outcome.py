"""The outcome of a call, by the kind of its tool."""

from __future__ import annotations

from baodai.digests import Outcome, digests
from baodai.model import ToolCall, ToolResult
from baodai.tools import Kind


def outcome(call: ToolCall | None, result: ToolResult, kind: Kind) -> Outcome:
    """What was done and what came of it, read by the digest of `kind`."""
    known = digests()
    return known.get(kind.value, known["other"]).read(call, result)
