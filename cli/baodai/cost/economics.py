"""What a conversation cost, call by call, and what it would have cost with compaction.

net saving = saved - broken cache - summarizer. Anchored in the record: where nothing is taken out,
a call costs what it cost; the cache holds in the counterfactual where it held in the record, but
for what a compaction changed. Never counts, never compacts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from baodai.cost.caching import policy_of
from baodai.cost.calls import Call, Purpose, Source
from baodai.cost.loop import Event, Step, Walk
from baodai.cost.prices import Cost, Prices, Rates
from baodai.layers import RUN_ORDER
from baodai.model import Usage

SUMMARY_PROMPT = 1_200
"""Tokens of instructions and decisions that a summariser or a memory call gets beside the text."""


_FOLD, _FLUSH = RUN_ORDER.index("cold_fold"), RUN_ORDER.index("memory_flush")


@dataclass(frozen=True, slots=True)
class Charges:
    """Who is paid besides the model: empty names are asked nothing.

    `recover`: an answer that its output limit cut, and that nothing went on from, is charged one
    continuation as long as what came (its cap, so the most one can be).
    """

    summarizer: str = ""
    memory: str = ""
    recover: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One call with its price. `cost` is `None` where the model has none.

    `repeated`: another transcript of the run has the same call, so no sum counts it here.
    """

    call: Call
    usage: Usage
    context: int | None
    compaction: int
    broken: int
    rates: Rates | None
    cost: Cost | None
    purpose: Purpose
    source: Source
    model: str
    repeated: bool = False

    @property
    def usd(self) -> float | None:
        """US dollars, `None` where there is no price."""
        return None if self.cost is None else self.cost.usd


@dataclass(slots=True)
class Paid:
    """What one compaction saved and cost, in US dollars."""

    saved: float = 0.0
    broken: float = 0.0
    summary: float = 0.0
    broken_tokens: int = 0

    @property
    def net(self) -> float:
        """What is left; below zero it made the conversation dearer."""
        return self.saved - self.broken - self.summary


@dataclass(frozen=True, slots=True)
class Bill:
    """A conversation's calls as they were and as they would have been.

    `total` sums the saving up, `by_event` for each compaction (0: what layers 5 and 1 cut when it
    came in), `by_layer` in the run order, `token_calls` tokens not sent, summed over calls, by
    layer; `enter` what a token cost that was new in a call's prompt, `carry` one that it held
    before, both by step; `recovery` what continuations
    would cost that nobody made. usd - compacted_usd = total.net - recovery.
    """

    recorded: tuple[Line, ...]
    compacted: tuple[Line, ...]
    total: Paid
    by_event: Mapping[int, Paid]
    by_layer: tuple[Paid, ...]
    token_calls: tuple[int, ...]
    enter: tuple[float | None, ...]
    carry: tuple[float | None, ...]
    recovery: float

    @property
    def usd(self) -> float:
        """What it cost."""
        return total(self.recorded)

    @property
    def compacted_usd(self) -> float:
        """What it would have cost."""
        return total(self.compacted)


def total(lines: Iterable[Line]) -> float:
    """US dollars of calls that have a price and are paid for here."""
    return sum(line.usd or 0.0 for line in lines if not line.repeated)


def as_recorded(
    calls: Sequence[Call], prices: Prices, repeated: frozenset[int] = frozenset()
) -> tuple[Line, ...]:
    """The calls as they were, with their prices."""
    lines = (_line(call, call.usage, call.base or None, prices) for call in calls)
    return tuple(replace(line, repeated=line.call.number in repeated) for line in lines)


def _line(call: Call, usage: Usage, context: int | None, prices: Prices) -> Line:
    rates = prices.of(call.model, call.made_at, usage.input)
    cost = None if rates is None else rates.cost(usage)
    return Line(call, usage, context, 0, 0, rates, cost, call.purpose, call.source, call.model)


def bill(
    calls: Sequence[Call],
    walked: Walk,
    prices: Prices,
    charges: Charges,
    repeated: frozenset[int] = frozenset(),
) -> Bill:
    """Both scenarios of a conversation; numbers in `repeated` are paid for elsewhere."""
    work = _Work(walked, prices, charges)
    steps = {step.call: step for step in walked.steps}
    recorded = as_recorded(calls, prices, repeated)
    for line in recorded:
        work.line(line, steps.get(line.call.number))
    return work.bill(recorded)


@dataclass(slots=True)
class _Work:
    walked: Walk
    prices: Prices
    charges: Charges
    lines: list[Line] = field(default_factory=list)
    enter: list[float | None] = field(default_factory=list)
    carry: list[float | None] = field(default_factory=list)
    events: dict[int, Paid] = field(default_factory=lambda: {0: Paid()})
    layers: list[Paid] = field(default_factory=lambda: [Paid() for _ in RUN_ORDER])
    token_calls: list[int] = field(default_factory=lambda: [0] * len(RUN_ORDER))
    recovery: float = 0.0
    _rate: float = 0.0
    _since: dict[int, float] = field(default_factory=dict)

    def line(self, line: Line, step: Step | None) -> None:
        """One call in the counterfactual, with the summary that came before it."""
        if step is None:
            self.lines.append(line)
            return
        event = self.walked.events[step.compaction - 1] if step.compaction else None
        if event is not None:
            self._since[event.number] = self._rate
            self.events[event.number] = Paid()
            self._charged(line, event)
        self.enter.append(_entered(line))
        self.carry.append(_carry(line))
        unbroken, actual = moved(line.usage, line.call, step)
        made = _line(line.call, actual, step.context, self.prices)
        broken = unbroken.cache_read - actual.cache_read
        changed = actual != line.usage
        source = Source.SIMULATED if changed else line.source
        made = replace(
            made,
            compaction=step.compaction,
            broken=broken,
            source=source,
            repeated=line.repeated,
        )
        self.lines.append(made)
        self._recovered(line, made)
        if not line.repeated:
            self._account(line, made, step, unbroken)

    def _account(self, line: Line, made: Line, step: Step, unbroken: Usage) -> None:
        """What the call saved, and what the compaction before it broke, to whom it is due."""
        for i, tokens in enumerate(step.saved):
            self.token_calls[i] += tokens
        if line.cost is None or made.cost is None:
            return
        rates = self.prices.of(line.model, line.call.made_at, unbroken.input)
        without = rates.cost(unbroken).usd if rates is not None else 0.0
        saved, broken = line.cost.usd - without, made.cost.usd - without
        taken = sum(step.saved)
        if taken:
            self._rate += saved / taken
            for paid, tokens in zip(self.layers, step.saved, strict=True):
                paid.saved += saved * tokens / taken
        if step.compaction:
            event = self.walked.events[step.compaction - 1]
            paid = self.events[event.number]
            paid.broken += broken
            paid.broken_tokens = unbroken.cache_read - made.usage.cache_read
            self._shared(event, broken)

    def _shared(self, event: Event, broken: float) -> None:
        """What a compaction broke, to the layers by what each took out in it."""
        taken = [max(0, tokens) for tokens in event.saved]
        for paid, tokens in zip(self.layers, taken, strict=True):
            paid.broken += broken * tokens / (sum(taken) or 1)

    def _charged(self, line: Line, event: Event) -> None:
        """The calls of the summariser and the memory, where a model is asked."""
        asked = (
            (Purpose.SUMMARY, self.charges.summarizer, event.told, _FOLD),
            (Purpose.MEMORY, self.charges.memory, event.facts, _FLUSH),
        )
        for purpose, model, told, layer in asked:
            if not model or not event.asked:
                continue
            call = replace(line.call, model=model, first=-1)
            usage = Usage(event.asked + SUMMARY_PROMPT, told)
            made = replace(
                _line(call, usage, None, self.prices),
                purpose=purpose,
                source=Source.SIMULATED,
                compaction=event.number,
                repeated=line.repeated,
            )
            self.lines.append(made)
            paid = total([made])
            self.events[event.number].summary += paid
            self.layers[layer].summary += paid

    def _recovered(self, line: Line, made: Line) -> None:
        """A continuation of an answer that was cut, where that is asked for."""
        if not (self.charges.recover and line.call.cut):
            return
        came = made.usage
        prompt = came.input + came.output
        usage = Usage(prompt, came.output, cache_read=came.input)
        again = replace(
            _line(line.call, usage, made.context, self.prices),
            purpose=Purpose.CONTINUATION,
            source=Source.SIMULATED,
            repeated=line.repeated,
        )
        self.lines.append(again)
        self.recovery += total([again])

    def bill(self, recorded: tuple[Line, ...]) -> Bill:
        """The whole."""
        for event in self.walked.events:
            taken = sum(event.saved)
            since = self._since.get(event.number, self._rate)
            self.events[event.number].saved = taken * (self._rate - since)
        whole = Paid(
            sum(paid.saved for paid in self.layers),
            sum(paid.broken for paid in self.events.values()),
            sum(paid.summary for paid in self.events.values()),
            sum(paid.broken_tokens for paid in self.events.values()),
        )
        self.events[0].saved = whole.saved - sum(
            paid.saved for number, paid in self.events.items() if number
        )
        return Bill(
            recorded,
            tuple(self.lines),
            whole,
            self.events,
            tuple(self.layers),
            tuple(self.token_calls),
            tuple(self.enter),
            tuple(self.carry),
            self.recovery,
        )


def moved(usage: Usage, call: Call, step: Step) -> tuple[Usage, Usage]:
    """The usage of a call with what was taken out: had the cache held, and as it did.

    The counter may see less of a prompt than there is (a hidden system prompt) or more (thinking
    that was not sent again): what it does not see stays, what it sees too much is scaled.
    """
    scale = min(1.0, usage.input / step.base) if step.base else 1.0
    hidden = max(0, usage.input - step.base)
    removed = round((step.base - step.context) * scale)
    prompt = max(usage.input - removed, 0)
    before = removed - round(step.entry * scale)
    head = hidden + round(step.head * scale)
    read = min(prompt, max(min(usage.cache_read, head), usage.cache_read - before))
    unbroken = _split(usage, prompt, read, call)
    if not step.compaction or step.shared is None:
        return unbroken, unbroken
    left = policy_of(call.model).readable(hidden + round(step.shared * scale))
    return unbroken, _split(usage, prompt, min(read, left), call)


def _split(usage: Usage, prompt: int, read: int, call: Call) -> Usage:
    """The parts of a prompt; what is not read is written as the record's was."""
    fresh, was = prompt - read, usage.input - usage.cache_read
    if was > 0:
        share = min(1.0, usage.cache_write / was)
    else:
        share = 1.0 if policy_of(call.model).writes else 0.0
    written = round(fresh * share)
    hour = usage.cache_write_1h
    if hour is not None:
        hour = round(written * hour / usage.cache_write) if usage.cache_write else 0
    return replace(usage, input=prompt, cache_read=read, cache_write=written, cache_write_1h=hour)


def _carry(line: Line) -> float | None:
    """US dollars for a token that a call's prompt had before: from the cache where it was read."""
    if line.rates is None:
        return None
    rate = line.rates.cache_read if line.usage.cache_read else line.rates.input
    return rate / 1_000_000


def _entered(line: Line) -> float | None:
    """US dollars for a token that is new in a call's prompt."""
    if line.cost is None or line.rates is None:
        return None
    fresh = line.usage.input - line.usage.cache_read
    if fresh <= 0:
        return line.rates.input / 1_000_000
    return (line.cost.input + line.cost.cache_write) / fresh
