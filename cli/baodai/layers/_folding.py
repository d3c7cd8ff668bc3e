"""Which elements are folded: the oldest first, as few as meet the goal.

Owns the choice, not the summary. Used by layer 4, which must see what is about to go, and by
layer 3, which folds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from baodai.layers import Pressure, Services
from baodai.model import Conversation, Message
from baodai.zones import Element, Zones, foldable, zones


@dataclass(frozen=True, slots=True)
class Share:
    """How large a summary may grow, in tokens and shares of what is folded and of the goal."""

    of_folded: float
    least: int
    most: int
    of_goal: float

    def estimate(self, folded: int, earlier: int, goal: int) -> int:
        """Tokens to plan for the summary of `folded` tokens and an earlier summary."""
        wanted = max(self.least, int(folded * self.of_folded) + earlier)
        return max(1, min(wanted, self.most, int(goal * self.of_goal), max(folded + earlier, 1)))


@dataclass(frozen=True, slots=True)
class Fold:
    """What goes: elements in order, the tokens they weigh, the goal, and how far it narrowed."""

    elements: tuple[Element, ...]
    tokens: int
    goal: int
    narrowed: int

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the messages that go."""
        return frozenset(m.id for e in self.elements for m in e.messages)


def earlier_summaries(conversation: Conversation) -> tuple[Message, ...]:
    """The carriers of earlier compactions."""
    return tuple(m for m in conversation.messages if m.is_summary)


def choose(
    conversation: Conversation,
    pressure: Pressure,
    services: Services,
    share: Share,
    summary: int | None = None,
) -> Fold | None:
    """The fold that meets the target, else the budget; `None` where nothing need or can go.

    `summary` is the size of the summary where it is known; else it is estimated.
    """
    budget = pressure.budget
    if not pressure.above_trigger:
        return None
    found = zones(conversation, services.keep_turns, services.pinned_turns)
    kept = pressure.tokens - sum(services.meter.message(m) for m in earlier_summaries(conversation))
    sizes = {e.index: sum(services.meter.message(m) for m in e.messages) for e in found.elements}
    earlier = pressure.tokens - kept
    came = {
        e.index: sum(services.meter.message(services.original(m.id)) for m in e.messages)
        for e in found.elements
    }
    cold = foldable(found.elements)
    search = _Search(found, sizes, came, share, kept, earlier, summary)
    if pressure.tokens > budget.target and cold:
        fold = search.fewest(cold, budget.target)
        if fold is not None:
            return fold
        everything = search.fold(cold, budget.target, 0)
        least = search.after(everything, budget.budget)
        if least <= budget.budget:
            # The target cannot be met without the hot zone; the summary keeps its share.
            return replace(everything, goal=least)
    if pressure.tokens <= budget.budget:
        return None
    # What is tied to a step of the hot zone goes with it.
    hot = tuple(e for e in foldable(found.elements, hot=True) if e not in cold)
    return search.fewest((*cold, *hot), budget.budget, first=len(cold)) or (
        search.fold((*cold, *hot), budget.budget, len(hot)) if cold or hot else None
    )


@dataclass(frozen=True, slots=True)
class _Search:
    zones: Zones
    sizes: dict[int, int]
    came: dict[int, int]
    share: Share
    kept: int
    earlier: int
    summary: int | None

    def fold(self, elements: Sequence[Element], goal: int, narrowed: int) -> Fold:
        """These elements, less the prompts of turns of which something stays."""
        going = {e.index for e in elements}
        staying = {e.turn for e in self.zones.elements if not e.is_prompt and e.index not in going}
        gone = tuple(e for e in elements if not (e.is_prompt and e.turn in staying))
        return Fold(gone, sum(self.sizes[e.index] for e in gone), goal, narrowed)

    def after(self, fold: Fold, goal: int) -> int:
        """Tokens of the whole with the fold made and its summary in place."""
        size = self.summary
        if size is None:
            # The share is of what came in: digests are small, what they stand for is not.
            folded = sum(self.came[e.index] for e in fold.elements)
            size = self.share.estimate(folded, self.earlier, goal)
        return self.kept - fold.tokens + size

    def fewest(self, elements: Sequence[Element], goal: int, first: int = 0) -> Fold | None:
        """The fewest of the elements, oldest first and at least `first`, that meet the goal."""
        low, high = max(first, 1), len(elements)
        if high < low or self.after(self.fold(elements, goal, 0), goal) > goal:
            return None
        while low < high:
            middle = (low + high) // 2
            if self.after(self.fold(_whole(elements, middle), goal, 0), goal) <= goal:
                high = middle
            else:
                low = middle + 1
        chosen = _whole(elements, low)
        return self.fold(chosen, goal, sum(1 for e in chosen if e.hot))


def _whole(elements: Sequence[Element], first: int) -> list[Element]:
    """The first elements, with those further on that are tied to one of them."""
    bonds = {e.bond for e in elements[:first]}
    return [e for e in elements if e.bond in bonds]
