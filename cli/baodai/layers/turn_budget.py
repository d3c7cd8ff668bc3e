"""Layer 1: all tool results of one step together stay under an aggregate budget.

Ten pages read in parallel may each be short enough and still fill the window. Above the trigger the
results of one whole turn are bounded too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from baodai.edits import Reason, Rewrite
from baodai.layers import Plan, Pressure, Services
from baodai.layers._results import ShownResult, cut, rewrite_results, shown_results
from baodai.marks import Size
from baodai.model import Conversation
from baodai.structure import turns
from baodai.tools import Kind

_FIRST_TO_GO = {Kind.READ: 0, Kind.SEARCH: 1, Kind.FETCH: 1, Kind.COMMAND: 2}
_OTHER = 2
_LAST_TO_GO = 3
"""Classes of priority: what can be obtained again goes first, failures and the rest last."""

_Sizes = dict[tuple[str, int], int]
_Texts = dict[str, dict[int, str]]


@dataclass(frozen=True, slots=True)
class TurnBudget:
    """Cuts the results of a step, and above the trigger of a turn, to a share of the window."""

    step_share: Annotated[float, "share of the window for the results of one step"] = 0.15
    step_tokens: Annotated[int, Size(), "most tokens for the results of one step"] = 12_000
    turn_share: Annotated[
        float, "share of the window for the results of one turn, above the trigger"
    ] = 0.30
    floor: Annotated[int, Size(), "tokens below which a result is not cut for the others' sake"] = (
        800
    )
    name: str = "turn_budget"
    number: int = 1

    def plan(self, conversation: Conversation, pressure: Pressure, services: Services) -> Plan:
        """Rewrites of the messages whose results were cut."""
        by_message: dict[str, list[ShownResult]] = {}
        for shown in shown_results(conversation):
            if shown.message.id not in services.pinned:
                by_message.setdefault(shown.message.id, []).append(shown)
        window = pressure.budget.window
        step_limit = min(int(window * self.step_share), self.step_tokens)
        turn_limit = int(window * self.turn_share)
        work = _Cut(services, self.floor)
        for turn in turns(conversation):
            for step in turn.steps:
                work.bring_under(_of(by_message, (m.id for m in step.messages)), step_limit)
            if pressure.above_trigger:
                work.bring_under(_of(by_message, (m.id for m in turn.messages)), turn_limit)
        reason = Reason("turn-budget", "the results of one turn together are over their budget")
        return Plan(tuple(Rewrite(m, reason) for m in rewrite_results(conversation, work.texts)))


def _of(by_message: dict[str, list[ShownResult]], ids: Iterable[str]) -> list[ShownResult]:
    return [shown for message_id in ids for shown in by_message.get(message_id, ())]


class _Cut:
    """The texts cut so far, and their sizes."""

    def __init__(self, services: Services, floor: int) -> None:
        self.texts: _Texts = {}
        self._services = services
        self._floor = floor
        self._sizes: _Sizes = {}

    def _size(self, shown: ShownResult) -> int:
        key = (shown.message.id, shown.block)
        if key not in self._sizes:
            self._sizes[key] = self._services.meter.raw(shown.result.text)
        return self._sizes[key]

    def bring_under(self, results: Sequence[ShownResult], limit: int) -> None:
        """Cut by class, the largest first, until the sum is within the limit or at the floor."""
        if sum(len(shown.result.text) for shown in results) * 4 <= limit:
            return
        excess = sum(self._size(shown) for shown in results) - limit
        if excess <= 0:
            return
        for shown in sorted(results, key=lambda r: (self._class(r), -self._size(r))):
            if excess <= 0:
                return
            excess -= self._shorten(shown, excess)

    def _class(self, shown: ShownResult) -> int:
        if shown.result.is_error:
            return _LAST_TO_GO
        kind = self._services.toolbox.kind_of(shown.tool, shown.call)
        return _FIRST_TO_GO.get(kind, _LAST_TO_GO if kind is Kind.QUESTION else _OTHER)

    def _shorten(self, shown: ShownResult, excess: int) -> int:
        """Cut one result by what is over, not below the floor; the tokens saved."""
        size = self._size(shown)
        limit = max(self._floor, size - excess)
        if limit >= size:
            return 0
        # From the text as it came in, so that one marker tells all that is left out.
        services = self._services
        came = services.original_result(shown.message.id, shown.block, shown.result)
        shorter = cut(came.text, shown, limit, services)
        after = services.meter.raw(shorter)
        if after >= size:
            return 0
        self.texts.setdefault(shown.message.id, {})[shown.block] = shorter
        self._sizes[(shown.message.id, shown.block)] = after
        return size - after


LAYER = TurnBudget()
