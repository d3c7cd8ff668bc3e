"""Sweeps: the same conversations under many settings, and which of them are worth it.

A point is not on the frontier where another one costs no more and keeps no less.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from baodai.accounting import TableRow
from baodai.cost.analysis import Terms, again, calls_of
from baodai.cost.calls import Call
from baodai.cost.economics import as_recorded, bill, total
from baodai.cost.kept import Kept, Known, kept, known
from baodai.cost.loop import Walk, walk
from baodai.errors import WindowTooSmallError
from baodai.layers import RUN_ORDER, layers
from baodai.model import Conversation
from baodai.tokens import TokenCounter, counter_for
from baodai.window import Sizing, budget_for

OFFLINE = "extractive"
_PRESSED = frozenset({"history_shrink", "memory_flush", "cold_fold"})


@dataclass(frozen=True, slots=True)
class Point:
    """One setting; number 0 is no compaction. `layers` are the names of those that run."""

    number: int
    window: int | None
    trigger: float
    target: float
    layers: tuple[str, ...]
    summarizer: str

    @property
    def numbers(self) -> str:
        """The layers by their numbers, in the run order; "none" for none."""
        known_layers = layers()
        return "+".join(str(known_layers[name].number) for name in self.layers) or "none"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a point does to conversations. Dollars leave out `unpriced` calls."""

    calls: int = 0
    compactions: int = 0
    too_large: int = 0
    unpriced: int = 0
    usd: float = 0.0
    saved: float = 0.0
    broken: float = 0.0
    summary: float = 0.0
    decisions: int = 0
    decisions_kept: int = 0
    conclusions: int = 0
    conclusions_kept: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.calls + other.calls,
            self.compactions + other.compactions,
            self.too_large + other.too_large,
            self.unpriced + other.unpriced,
            self.usd + other.usd,
            self.saved + other.saved,
            self.broken + other.broken,
            self.summary + other.summary,
            self.decisions + other.decisions,
            self.decisions_kept + other.decisions_kept,
            self.conclusions + other.conclusions,
            self.conclusions_kept + other.conclusions_kept,
        )


def grid(
    windows: Sequence[int],
    triggers: Sequence[float],
    targets: Sequence[float],
    layer_sets: Sequence[tuple[str, ...]],
    summarizers: Sequence[str],
) -> tuple[Point, ...]:
    """Every setting that makes sense, once; the first is no compaction.

    A target at or above its trigger is none. Where only layers 5 and 1 run, nothing waits for a
    trigger, and without layer 3 nobody writes a summary: such settings differ in name only.
    """
    points = [Point(0, None, 0.0, 0.0, (), OFFLINE)]
    seen: set[tuple[object, ...]] = set()
    for window, ran, trigger, target, summarizer in product(
        windows, layer_sets, triggers, targets, summarizers
    ):
        if target >= trigger:
            continue
        shares = (trigger, target) if _PRESSED & set(ran) else (triggers[0], targets[0])
        writer = summarizer if "cold_fold" in ran else OFFLINE
        key = (window, ran, *shares, writer)
        if key not in seen:
            seen.add(key)
            points.append(Point(len(points), window, *shares, ran, writer))
    return tuple(points)


class _Remembering:
    """A counter that counts each text once, whatever windows it is asked for."""

    def __init__(self, counter: TokenCounter) -> None:
        self.name, self.exact = counter.name, counter.exact
        self._counter = counter
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Tokens of a text."""
        known_size = self._known.get(text)
        if known_size is None:
            known_size = self._known[text] = self._counter.count(text)
        return known_size


@dataclass(slots=True)
class _Sweep:
    conversation: Conversation
    terms: Terms
    repeated: Collection[str]
    counters: dict[str, _Remembering] = field(default_factory=dict)
    timelines: dict[tuple[float, int], tuple[Call, ...]] = field(default_factory=dict)

    def _counter(self, encoding: str) -> TokenCounter:
        if encoding not in self.counters:
            self.counters[encoding] = _Remembering(counter_for(encoding))
        return self.counters[encoding]

    def long(self, points: Sequence[Point]) -> bool:
        """Whether it is above the lowest trigger; looked at first, since most are not."""
        lowest = min(points[1:], key=lambda p: (p.window or 0) * p.trigger)
        sizing = self.measure(lowest)
        if sizing is None:
            return True
        return sizing.meter.conversation(self.conversation) > sizing.budget.trigger

    def size(self, point: Point) -> tuple[Sizing, tuple[Call, ...]] | None:
        """How the conversation is measured at a point, and its calls so measured."""
        sizing = self.measure(point)
        if sizing is None:
            return None
        key = (sizing.meter.factor, sizing.meter.overhead)
        if key not in self.timelines:
            self.timelines[key] = calls_of(self.conversation, sizing, self.terms)
        return sizing, self.timelines[key]

    def measure(self, point: Point) -> Sizing | None:
        """How the conversation is measured at a point; `None` where its window is too small."""
        window = self.terms.options.window
        if point.window is not None:
            window = replace(
                window, window=point.window, trigger=point.trigger, target=point.target
            )
        try:
            return budget_for(self.conversation, window, self._counter)
        except WindowTooSmallError:
            return None


def swept(
    conversation: Conversation,
    terms: Terms,
    points: Sequence[Point],
    repeated: Collection[str] = frozenset(),
) -> tuple[Outcome, ...] | None:
    """What each point does to a conversation; `None` where it is too short for any to act."""
    work = _Sweep(conversation, terms, repeated)
    if not work.long(points):
        return None
    sized: dict[tuple[object, ...], tuple[Sizing, tuple[Call, ...]] | None] = {}
    for point in points:
        if _shares(point) not in sized:
            sized[_shares(point)] = work.size(point)
    knowledge = known(conversation, terms.options.toolbox, terms.options.extras)
    walks: dict[tuple[object, ...], tuple[Walk, Kept] | None] = {}
    found = []
    for point in points:
        key = (*_shares(point), point.layers)
        if key not in walks:
            walks[key] = _walked(conversation, terms, point, sized[_shares(point)], knowledge)
        found.append(_outcome(terms, point, sized[_shares(point)], walks[key], repeated, knowledge))
    return tuple(found)


def _shares(point: Point) -> tuple[object, ...]:
    return (point.window, point.trigger, point.target)


def _walked(
    conversation: Conversation,
    terms: Terms,
    point: Point,
    sized: tuple[Sizing, tuple[Call, ...]] | None,
    knowledge: Known,
) -> tuple[Walk, Kept] | None:
    if point.number == 0 or sized is None:
        return None
    off = frozenset(RUN_ORDER) - set(point.layers)
    options = replace(terms.options, off=off)
    walked = walk(conversation, sized[1], options, sized[0])
    return walked, kept(knowledge, walked.final, walked.facts)


def _outcome(
    terms: Terms,
    point: Point,
    sized: tuple[Sizing, tuple[Call, ...]] | None,
    made: tuple[Walk, Kept] | None,
    repeated: Collection[str],
    knowledge: Known,
) -> Outcome:
    if sized is None:
        return Outcome(too_large=1)
    sizing, calls = sized
    twice = again(calls, repeated)
    if made is None:
        lines = [line for line in as_recorded(calls, terms.prices, twice) if not line.repeated]
        all_of = (len(knowledge.decisions), len(knowledge.conclusions))
        return Outcome(
            calls=len(lines),
            too_large=sum(call.base > sizing.budget.budget for call in calls),
            unpriced=sum(line.cost is None for line in lines),
            usd=total(lines),
            decisions=all_of[0],
            decisions_kept=all_of[0],
            conclusions=all_of[1],
            conclusions_kept=all_of[1],
        )
    walked, keeps = made
    writer = "" if point.summarizer == OFFLINE else point.summarizer
    paid = bill(calls, walked, terms.prices, replace(terms.charges, summarizer=writer), twice)
    lines = [line for line in paid.compacted if not line.repeated]
    return Outcome(
        len(lines),
        len(walked.events),
        walked.too_large,
        sum(line.cost is None for line in lines),
        paid.compacted_usd,
        paid.total.saved,
        paid.total.broken,
        paid.total.summary,
        keeps.decisions,
        keeps.decisions_kept,
        keeps.conclusions,
        keeps.conclusions_kept,
    )


def rows(points: Sequence[Point], outcomes: Sequence[Outcome]) -> Iterator[TableRow]:
    """The rows of one conversation's sweep."""
    for i, (point, one) in enumerate(zip(points, outcomes, strict=True)):
        about = (point.window, point.trigger, point.target, point.numbers, point.summarizer)
        counts = (one.calls, one.compactions, one.too_large)
        priced = one.unpriced < one.calls
        money = (one.usd, one.saved, one.broken, one.summary) if priced else (None,) * 4
        keeps = (one.decisions, one.decisions_kept, one.conclusions, one.conclusions_kept)
        yield "sweeps", (i, point.number, *about, *counts, *money, *keeps)
