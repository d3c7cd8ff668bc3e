"""One conversation analysed: its calls, its bill, what compaction keeps, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from baodai.cost.caching import cached
from baodai.cost.calls import Call, Purpose, key_of, timeline
from baodai.cost.economics import Bill, Charges, Line, bill
from baodai.cost.kept import Kept, kept, known
from baodai.cost.loop import Walk, walk
from baodai.cost.prices import Prices
from baodai.model import Conversation
from baodai.pipeline import Options
from baodai.window import Sizing, budget_for


@dataclass(frozen=True, slots=True)
class Terms:
    """How a conversation is analysed: the compaction, the prices, who is charged, the cache."""

    options: Options
    prices: Prices = field(default_factory=Prices)
    charges: Charges = field(default_factory=Charges)
    cache: str = "auto"


@dataclass(frozen=True, slots=True)
class Sums:
    """Calls, tokens and US dollars added up. `usd` leaves out `unpriced` calls."""

    calls: int = 0
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    output: int = 0
    reasoning: int = 0
    usd: float = 0.0
    unpriced: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.calls + other.calls,
            self.input + other.input,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.cache_write_1h + other.cache_write_1h,
            self.output + other.output,
            self.reasoning + other.reasoning,
            self.usd + other.usd,
            self.unpriced + other.unpriced,
        )


def sums(lines: Sequence[Line]) -> Sums:
    """The lines that are paid for here, added up."""
    found = Sums()
    for line in lines:
        if line.repeated:
            continue
        used = line.usage
        found += Sums(
            1,
            used.input,
            used.cache_read,
            used.cache_write,
            used.cache_write_1h or 0,
            used.output,
            used.reasoning,
            line.usd or 0.0,
            line.cost is None,
        )
    return found


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything there is to say of one conversation's cost; large parts for the ledger's rows."""

    conversation: Conversation
    sizing: Sizing
    walk: Walk
    bill: Bill
    kept: Kept

    @property
    def recorded(self) -> Sums:
        """As it was."""
        return sums(self.bill.recorded)

    @property
    def compacted(self) -> Sums:
        """As it would have been."""
        return sums(self.bill.compacted)

    @property
    def outside(self) -> Sums:
        """Calls outside of the context: sub-agents', branches that were left, what was folded."""
        apart = (Purpose.SIDECHAIN, Purpose.ASIDE)
        return sums([line for line in self.bill.recorded if line.purpose in apart])

    def by_model(self, lines: Sequence[Line]) -> Mapping[str, Sums]:
        """Sums by model, in order of appearance."""
        models = dict.fromkeys(line.model for line in lines)
        return {m: sums([line for line in lines if line.model == m]) for m in models}

    @property
    def sources(self) -> Counter[str]:
        """How many calls were recorded, counted, partly counted."""
        return Counter(line.source.value for line in self.bill.recorded if not line.repeated)

    @property
    def unsplit(self) -> int:
        """Calls whose cache writes a record tells without how long they live."""
        return sum(
            1
            for line in self.bill.recorded
            if line.usage.cache_write and line.usage.cache_write_1h is None and not line.repeated
        )

    @property
    def dearer(self) -> int:
        """Compactions that cost more than they saved."""
        paid = (self.bill.by_event[event.number] for event in self.walk.events)
        return sum(one.net < 0 for one in paid)

    @property
    def too_large(self) -> int:
        """Calls whose context would not have fitted without compaction."""
        return sum(step.base > self.sizing.budget.budget for step in self.walk.steps)


def analyse(
    conversation: Conversation, terms: Terms, repeated: Collection[str] = frozenset()
) -> Analysis:
    """Analyse a conversation; calls with a key in `repeated` are another transcript's.

    Raises:
        WindowTooSmallError: the reserve leaves nothing of the window.
    """
    sizing = budget_for(conversation, terms.options.window)
    calls = calls_of(conversation, sizing, terms)
    walked = walk(conversation, calls, terms.options, sizing)
    paid = bill(calls, walked, terms.prices, terms.charges, again(calls, repeated))
    keeps = kept(
        known(conversation, terms.options.toolbox, terms.options.extras), walked.final, walked.facts
    )
    return Analysis(conversation, sizing, walked, paid, keeps)


def calls_of(conversation: Conversation, sizing: Sizing, terms: Terms) -> tuple[Call, ...]:
    """The timeline, with the cache of what was counted.

    A model that the user names prices the conversation's calls; sub-agents keep their own.
    """
    calls = timeline(conversation, sizing.meter)
    named = terms.options.window.model
    if named:
        calls = tuple(
            call if call.purpose is Purpose.SIDECHAIN else replace(call, model=named)
            for call in calls
        )
    return tuple(cached(calls, terms.cache))


def again(calls: Sequence[Call], repeated: Collection[str]) -> frozenset[int]:
    """The numbers of calls that are paid for elsewhere, or earlier in the same transcript."""
    seen = set(repeated)
    found = set()
    for call in calls:
        if call.key and call.key in seen:
            found.add(call.number)
        seen.add(call.key)
    return frozenset(found)


def keys_of(conversation: Conversation) -> dict[str, int]:
    """The keys of a conversation's recorded calls, each with its output tokens."""
    told = [m for m in (*conversation.messages, *conversation.origin.aside) if m.usage]
    return {key: m.usage.output for m in told if m.usage and (key := key_of(m))}
