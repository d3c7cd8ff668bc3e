"""The figures of analyses as plain values: of one conversation, of a model, of a whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from baodai.cost.analysis import Analysis, Sums
from baodai.cost.rows import iso
from baodai.layers import RUN_ORDER


@dataclass(frozen=True, slots=True)
class Money:
    """What compaction does to the cost, in US dollars; net = saved - broken - summary."""

    without: float = 0.0
    compacted: float = 0.0
    saved: float = 0.0
    broken: float = 0.0
    summary: float = 0.0
    recovery: float = 0.0

    @property
    def net(self) -> float:
        """What is left of the saving."""
        return self.saved - self.broken - self.summary

    def __add__(self, other: Money) -> Money:
        return Money(
            self.without + other.without,
            self.compacted + other.compacted,
            self.saved + other.saved,
            self.broken + other.broken,
            self.summary + other.summary,
            self.recovery + other.recovery,
        )


@dataclass(frozen=True, slots=True)
class Summary:
    """What there is to say of one conversation.

    `recorded` is as it was, `compacted` as it would have been, `outside` the part of both that is
    not in the context. `sources` counts calls by where their tokens are from, `unpriced` by model;
    `too_large` are calls that would not fit without compaction, `still_too_large` with it;
    `as_told` are the tokens that the record itself gives, before anything is counted.
    """

    source: str
    conversation: str
    format: str
    model: str
    sizing: str
    recorded: Sums
    compacted: Sums
    outside: Sums
    as_told: Sums
    money: Money
    by_model: tuple[tuple[str, Sums, Sums], ...]
    by_layer: tuple[tuple[str, int, int, float], ...]
    by_day: tuple[tuple[str, Sums], ...]
    sources: dict[str, int]
    unpriced: dict[str, int]
    unsplit: int
    repeated: int
    compactions: int
    dearer: int
    too_large: int
    still_too_large: int
    decisions: int
    decisions_kept: int
    conclusions: int
    conclusions_kept: int


def summary(found: Analysis, source: str) -> Summary:
    """The figures of one analysis."""
    bill, kept = found.bill, found.kept
    total = bill.total
    lines = [line for line in (*bill.recorded, *bill.compacted) if not line.repeated]
    unpriced = {(line.model, line.call.number, line.purpose) for line in lines if line.cost is None}
    return Summary(
        source=source,
        conversation=found.conversation.id,
        format=found.conversation.origin.format,
        model=found.sizing.model.name,
        sizing=found.sizing.description,
        recorded=found.recorded,
        compacted=found.compacted,
        outside=found.outside,
        as_told=_told(found),
        money=Money(
            bill.usd, bill.compacted_usd, total.saved, total.broken, total.summary, bill.recovery
        ),
        by_model=_by_model(found),
        by_layer=_by_layer(found),
        by_day=_by_day(found),
        sources=dict(found.sources),
        unpriced=dict(Counter(model for model, _, _ in sorted(unpriced))),
        unsplit=found.unsplit,
        repeated=sum(line.repeated for line in bill.recorded),
        compactions=len(found.walk.events),
        dearer=found.dearer,
        too_large=found.too_large,
        still_too_large=found.walk.too_large,
        decisions=kept.decisions,
        decisions_kept=kept.decisions_kept,
        conclusions=kept.conclusions,
        conclusions_kept=kept.conclusions_kept,
    )


def _told(found: Analysis) -> Sums:
    """The usage of the record as it stands, each call once."""
    sums = Sums()
    for line in found.bill.recorded:
        told = line.call.recorded
        if told is None or line.repeated:
            continue
        hour = told.cache_write_1h or 0
        parts = (told.input, told.cache_read, told.cache_write, hour, told.output, told.reasoning)
        sums += Sums(1, *parts)
    return sums


def _by_model(found: Analysis) -> tuple[tuple[str, Sums, Sums], ...]:
    was, would = found.by_model(found.bill.recorded), found.by_model(found.bill.compacted)
    return tuple(
        (name, was.get(name, Sums()), would.get(name, Sums())) for name in {**was, **would}
    )


def _by_layer(found: Analysis) -> tuple[tuple[str, int, int, float], ...]:
    """Layer, tokens taken out, tokens not sent over all calls, net US dollars."""
    taken = found.walk.steps[-1].saved if found.walk.steps else (0,) * len(RUN_ORDER)
    return tuple(
        (name, taken[i], found.bill.token_calls[i], found.bill.by_layer[i].net)
        for i, name in enumerate(RUN_ORDER)
    )


def _by_day(found: Analysis) -> tuple[tuple[str, Sums], ...]:
    days: dict[str, Sums] = {}
    for line in found.bill.recorded:
        if line.repeated:
            continue
        day = iso(line.call.made_at)[:10]
        used = line.usage
        parts = (used.cache_read, used.cache_write, used.cache_write_1h or 0, used.output)
        one = Sums(1, used.input, *parts, used.reasoning, line.usd or 0.0, line.cost is None)
        days[day] = days.get(day, Sums()) + one
    return tuple(sorted(days.items()))


COUNTS = (
    "unsplit",
    "repeated",
    "compactions",
    "dearer",
    "too_large",
    "still_too_large",
    "decisions",
    "decisions_kept",
    "conclusions",
    "conclusions_kept",
)
"""Members of `Summary` that are added up under their own name."""


@dataclass(slots=True)
class Total:
    """A run's figures, added up one conversation at a time."""

    conversations: int = 0
    recorded: Sums = field(default_factory=Sums)
    compacted: Sums = field(default_factory=Sums)
    outside: Sums = field(default_factory=Sums)
    as_told: Sums = field(default_factory=Sums)
    money: Money = field(default_factory=Money)
    by_model: dict[str, tuple[Sums, Sums]] = field(default_factory=dict)
    by_layer: dict[str, tuple[int, int, float]] = field(default_factory=dict)
    by_day: dict[str, Sums] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    unpriced: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))

    def add(self, one: Summary) -> None:
        """Add a conversation."""
        self.conversations += 1
        self.recorded += one.recorded
        self.compacted += one.compacted
        self.outside += one.outside
        self.as_told += one.as_told
        self.money += one.money
        for mine, more in ((self.sources, one.sources), (self.unpriced, one.unpriced)):
            for name, count in more.items():
                mine[name] = mine.get(name, 0) + count
        for name in COUNTS:
            self.counts[name] += getattr(one, name)
        for model, was, would in one.by_model:
            had = self.by_model.get(model, (Sums(), Sums()))
            self.by_model[model] = (had[0] + was, had[1] + would)
        for layer, taken, calls, net in one.by_layer:
            old = self.by_layer.get(layer, (0, 0, 0.0))
            self.by_layer[layer] = (old[0] + taken, old[1] + calls, old[2] + net)
        for day, sums in one.by_day:
            self.by_day[day] = self.by_day.get(day, Sums()) + sums


def total(summaries: Iterable[Summary]) -> Total:
    """Several conversations added up."""
    found = Total()
    for one in summaries:
        found.add(one)
    return found
