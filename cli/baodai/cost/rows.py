"""An analysis as an account with the ledger's rows: the inputs of every figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC

from baodai.accounting import Account, TableRow
from baodai.cost.analysis import Analysis
from baodai.cost.caching import moment
from baodai.cost.economics import Line
from baodai.layers import RUN_ORDER
from baodai.layers import layers as all_layers
from baodai.layers._results import ShownResult, shown_results
from baodai.model import Conversation
from baodai.structure import turn_numbers, turns
from baodai.tools import ToolTable
from baodai.window import Sizing

_TARGET = 300


def account(found: Analysis, source: str, toolbox: ToolTable) -> Account:
    """What the ledger keeps of an analysis."""
    final, meter = found.walk.final, found.sizing.meter
    return replace(
        bare(found.conversation, found.sizing, source),
        tokens_after=meter.conversation(final),
        messages_after=len(final.messages),
        fits=found.walk.too_large == 0,
        tables=tuple(_tables(found, toolbox)),
    )


def bare(conversation: Conversation, sizing: Sizing, source: str) -> Account:
    """An account of a conversation as it is; no output was written, so nothing is saved."""
    meter = sizing.meter
    tokens = meter.conversation(conversation)
    return Account(
        conversation=conversation.id,
        source=source,
        format=conversation.origin.format,
        model=sizing.model.name,
        counter=meter.name,
        exact=meter.exact,
        budget=sizing.budget,
        tokens_before=tokens,
        tokens_after=tokens,
        bytes_before=sum(map(len, conversation.origin.records)),
        bytes_after=0,
        messages_before=len(conversation.messages),
        messages_after=len(conversation.messages),
        turns=len(turns(conversation)),
        layers=(),
        decisions=(),
        originals=(),
        facts=(),
        notes=sizing.notes,
        fits=tokens <= sizing.budget.budget,
        project=conversation.project,
        written=False,
    )


def _tables(found: Analysis, toolbox: ToolTable) -> Iterator[TableRow]:
    position = 0
    for scenario, lines in (
        ("recorded", found.bill.recorded),
        ("compacted", found.bill.compacted),
    ):
        for line in lines:
            yield "costs", (position, scenario, *_line(line))
            position += 1
    yield from _compactions(found)
    yield from _layers(found)
    yield from _results(found, toolbox)


def iso(made_at: str) -> str:
    """A time of a transcript in ISO 8601, in UTC; as it stands where it is none."""
    when = moment(made_at) if made_at else None
    return made_at if when is None else when.astimezone(UTC).isoformat(timespec="seconds")


def _line(line: Line) -> tuple[object, ...]:
    used, rates = line.usage, line.rates
    prices: tuple[object, ...] = (None, None, None, None, None, "")
    if rates is not None:
        reads = (rates.cache_read, rates.cache_write, rates.cache_write_1h)
        prices = (rates.input, *reads, rates.output, rates.source)
    return (
        line.call.number,
        line.purpose.value,
        line.model,
        iso(line.call.made_at),
        line.call.line,
        line.call.turn,
        line.source.value,
        line.repeated,
        line.context,
        line.compaction,
        used.input,
        used.cache_read,
        used.cache_write,
        used.cache_write_1h,
        used.output,
        used.reasoning,
        line.broken,
        *prices,
        line.usd,
    )


def _compactions(found: Analysis) -> Iterator[TableRow]:
    """One row for each, with how fast the window filled again."""
    events, steps = found.walk.events, found.walk.steps
    numbers = {step.call: i for i, step in enumerate(steps)}
    lines = {line.call.number: line for line in found.bill.recorded}
    for i, event in enumerate(events):
        following = events[i + 1] if i + 1 < len(events) else None
        until = numbers[following.call] if following else len(steps)
        full = following.before if following else steps[-1].context
        paid = found.bill.by_event[event.number]
        line = lines[event.call]
        money: tuple[object, ...] = (None, None, None, None)
        if line.cost is not None:
            money = (paid.saved, paid.broken, paid.summary, paid.net)
        yield (
            "compactions",
            (
                event.number,
                event.call,
                line.call.turn,
                iso(line.call.made_at),
                event.before,
                event.after,
                event.prefix,
                paid.broken_tokens,
                event.asked,
                event.told,
                until - numbers[event.call],
                max(0, full - event.after),
                *money,
            ),
        )


def _layers(found: Analysis) -> Iterator[TableRow]:
    known = all_layers()
    taken = found.walk.steps[-1].saved if found.walk.steps else (0,) * len(RUN_ORDER)
    for i, name in enumerate(RUN_ORDER):
        paid = found.bill.by_layer[i]
        money = (paid.saved, paid.broken, paid.summary, paid.net)
        tokens = (taken[i], found.bill.token_calls[i])
        yield "layer_costs", (i, name, known[name].number, *tokens, *money)


def _results(found: Analysis, toolbox: ToolTable) -> Iterator[TableRow]:
    """What each result cost, as it was and with compaction."""
    numbers = turn_numbers(found.conversation)
    work = _Carried(found)
    for i, shown in enumerate(shown_results(found.conversation)):
        tokens = found.sizing.meter.block(shown.result)
        calls, usd, compacted = work.cost(shown, tokens)
        target = toolbox.target(shown.call) if shown.call is not None else ""
        place = (shown.message.line, numbers.get(shown.message.id, 0))
        yield (
            "result_costs",
            (i, *place, shown.tool, target[:_TARGET], tokens, calls, usd, compacted),
        )


class _Carried:
    """What it costs to send a token from one call on."""

    def __init__(self, found: Analysis) -> None:
        self._carried = found.walk.carried
        self._steps = len(found.walk.steps)
        self._size = found.sizing.meter.message
        self._enter = found.bill.enter
        self._priced = all(price is not None for price in (*found.bill.enter, *found.bill.carry))
        self._sums = _sums(found.bill.carry)

    def cost(self, shown: ShownResult, tokens: int) -> tuple[int, float | None, float | None]:
        """Calls that carried a result, what that cost, what it would have cost."""
        pieces = self._carried.get(shown.message.id, [])
        if not pieces:
            return 0, None, None
        calls = self._steps - pieces[0][0]
        if not self._priced:
            return calls, None, None
        whole = self._size(shown.message)
        ends = [*(start for start, _ in pieces[1:]), self._steps]
        cut = sum(
            size * self._sent(start, end) for (start, size), end in zip(pieces, ends, strict=True)
        )
        share = tokens / whole if whole else 0.0
        return calls, tokens * self._sent(pieces[0][0], self._steps), cut * share

    def _sent(self, start: int, end: int) -> float:
        """US dollars for a token that is new at a call and stays until another."""
        if start >= end:
            return 0.0
        return (self._enter[start] or 0.0) + self._sums[end] - self._sums[start + 1]


def _sums(prices: Sequence[float | None]) -> list[float]:
    found = [0.0]
    for price in prices:
        found.append(found[-1] + (price or 0.0))
    return found
