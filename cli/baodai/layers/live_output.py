"""Layer 5: one over-long tool result is cut when it enters, by the strategy of its tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from baodai.edits import Reason, Rewrite
from baodai.layers import Plan, Pressure, Services
from baodai.layers._results import cut, rewrite_results, shown_results
from baodai.model import Conversation
from baodai.tokens import surely_within


@dataclass(frozen=True, slots=True)
class LiveOutput:
    """Cuts every result over the limit of its tool. Always runs."""

    window_share: Annotated[
        float, "largest share of the window that one result may take, whatever its tool's limit"
    ] = 0.30
    name: str = "live_output"
    number: int = 5

    def plan(self, conversation: Conversation, pressure: Pressure, services: Services) -> Plan:
        """One rewrite for each message with an over-long result."""
        ceiling = int(pressure.budget.window * self.window_share)
        texts: dict[str, dict[int, str]] = {}
        for shown in shown_results(conversation):
            if shown.message.id in services.pinned:
                continue
            limit = min(services.toolbox.limit(shown.tool, shown.call), ceiling)
            text = shown.result.text
            # A token is at least one byte: a short text need not be counted.
            if surely_within(text, limit) or services.meter.raw(text) <= limit:
                continue
            shorter = cut(text, shown, limit, services)
            if shorter != text:
                texts.setdefault(shown.message.id, {})[shown.block] = shorter
        reason = Reason("over-limit", "the result is longer than the limit of its tool")
        return Plan(tuple(Rewrite(m, reason) for m in rewrite_results(conversation, texts)))


LAYER = LiveOutput()
