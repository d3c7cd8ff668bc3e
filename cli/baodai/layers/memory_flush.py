"""Layer 4: before anything is folded, what has long-term value goes to the memory store.

It only plans; the parent process writes after all checks, so that a failed run remembers nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from baodai.decisions import Decision, Kind, State
from baodai.edits import Fact, Reason, Remember
from baodai.layers import Plan, Pressure, Services
from baodai.model import Conversation

_KINDS = {
    Kind.PREFERENCE: "preference",
    Kind.CONVENTION: "convention",
    Kind.CONSTRAINT: "convention",
    Kind.CHOICE: "decision",
    Kind.CORRECTION: "decision",
    Kind.REQUIREMENT: "project",
}


@dataclass(frozen=True, slots=True)
class MemoryFlush:
    """Remembers live, explicit decisions of the messages about to be folded."""

    most: Annotated[int, "facts of one fold, the explicit and newest first"] = 20
    name: str = "memory_flush"
    number: int = 4

    def plan(self, conversation: Conversation, pressure: Pressure, services: Services) -> Plan:
        """One `Remember` for each fact."""
        going = services.to_fold(conversation, pressure)
        found = [d for d in services.decisions if d.message_id in going and _lasting(d)]
        found.sort(key=lambda d: (-d.tier, -d.turn, d.id))
        times = {m.id: m.timestamp for m in conversation.messages if m.id in going}
        reason = Reason("before-fold", "it has long-term value and its message is folded")
        return Plan(
            tuple(
                Remember(_fact(d, times.get(d.message_id, ""), services), reason)
                for d in found[: self.most]
            )
        )


def _lasting(decision: Decision) -> bool:
    if decision.state is not State.LIVE:
        return False
    # A softer request for work ("fix the test") is done once; a rule holds.
    return decision.kind is not Kind.REQUIREMENT or decision.tier >= 2


def _fact(decision: Decision, timestamp: str, services: Services) -> Fact:
    said = services.redact(decision.quote)
    text = f"{said} ({services.redact(decision.accepted)})" if decision.accepted else said
    return Fact(
        _KINDS[decision.kind],
        text,
        said,
        decision.turn,
        decision.line,
        decision.language,
        timestamp,
    )


LAYER = MemoryFlush()
