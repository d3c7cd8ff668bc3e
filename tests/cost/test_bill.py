"""The bill with compaction in the loop, worked out by hand: saved, broken cache, summaries."""

from __future__ import annotations

from pathlib import Path

import pytest

from baodai.cost.calls import Call, Purpose, Source
from baodai.cost.economics import Bill, Charges, bill, moved
from baodai.cost.loop import Event, Step, Walk
from baodai.cost.prices import Prices, read_prices
from baodai.model import Conversation, Origin, Usage

FILE = """
[models."claude-x"]
input = 3
output = 15
cache_read = 0.30
cache_write = 3.75

[models.small]
input = 1
output = 4
"""
FOLDED = 60_000
SAVED = (0, 0, FOLDED, 0, 0)
NOTHING = (0, 0, 0, 0, 0)


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    path = tmp_path / "prices.toml"
    path.write_text(FILE, "utf-8")
    return read_prices(path)


def call(number: int, usage: Usage, *, cut: bool = False) -> Call:
    return Call(
        number, Purpose.ANSWER, Source.RECORDED, "claude-x", "", number, 1, number, usage, usage,
        cut=cut,
    )  # fmt: skip


def step(number: int, base: int, saved: tuple[int, ...], shared: int | None, fired: int) -> Step:
    return Step(number, base, base - sum(saved), shared, 5_000, 0, fired, saved)


def conversation(more: int) -> tuple[list[Call], Walk]:
    """100,000 tokens, a compaction that leaves 5,000 of the prefix, then calls of 1,000 more."""
    calls = [
        call(1, Usage(100_000, 1_000, cache_write=100_000)),
        call(2, Usage(102_000, 1_000, cache_read=100_000, cache_write=2_000)),
    ]
    steps = [step(1, 100_000, NOTHING, None, 0), step(2, 102_000, SAVED, 5_000, 1)]
    for i in range(3, 3 + more):
        size = 100_000 + i * 1_000
        read = calls[-1].usage.input
        calls.append(call(i, Usage(size, 1_000, cache_read=read, cache_write=size - read)))
        steps.append(step(i, size, SAVED, read - FOLDED, 0))
    event = Event(1, 2, 102_000, 42_000, 5_000, SAVED, FOLDED, 2_000, 0)
    empty = Conversation("test", (), Origin("test", "lines", (), ()))
    return calls, Walk(tuple(steps), (event,), empty, (), {}, 0)


def made(prices: Prices, more: int, charges: Charges = Charges()) -> Bill:  # noqa: B008 - frozen
    calls, walked = conversation(more)
    return bill(calls, walked, prices, charges)


def test_what_a_compaction_breaks_is_charged_against_what_it_saves(prices: Prices) -> None:
    found = made(prices, 1)
    # As it was: 100,000 written; 100,000 read, 2,000 written; 102,000 read, 1,000 written.
    answers = 3 * 1_000 * 15 / 1e6
    assert found.usd == pytest.approx(0.375 + (0.030 + 0.0075) + (0.0306 + 0.00375) + answers)
    # With it: call 2 reads the 5,000 left and writes 37,000; call 3 reads 42,000, writes 1,000.
    after = 0.375 + (0.0015 + 0.13875) + (0.0126 + 0.00375) + answers
    assert found.compacted_usd == pytest.approx(after)
    # 60,000 reads less in each of two calls; 35,000 tokens written that would have been read.
    assert found.total.saved == pytest.approx(2 * 60_000 * 0.30 / 1e6)
    assert found.total.broken == pytest.approx(35_000 * (3.75 - 0.30) / 1e6)
    assert found.by_event[1].broken_tokens == 35_000
    assert found.total.net == pytest.approx(0.036 - 0.12075)


def test_the_summarizer_is_charged_for_what_it_reads_and_writes(prices: Prices) -> None:
    found = made(prices, 1, Charges(summarizer="small"))
    # 60,000 tokens and 1,200 of instructions in, 2,000 out.
    assert found.total.summary == pytest.approx(61_200 * 1 / 1e6 + 2_000 * 4 / 1e6)
    assert [line.purpose for line in found.compacted].count(Purpose.SUMMARY) == 1
    assert made(prices, 1).total.summary == 0


@pytest.mark.parametrize("more", [0, 1, 6, 40])
def test_both_totals_differ_by_the_net_saving(prices: Prices, more: int) -> None:
    found = made(prices, more, Charges(summarizer="small"))
    assert found.usd - found.compacted_usd == pytest.approx(found.total.net)
    for parts in (found.by_layer, found.by_event.values()):
        assert sum(paid.net for paid in parts) == pytest.approx(found.total.net)


def test_a_compaction_pays_only_after_enough_calls(prices: Prices) -> None:
    # 0.12075 broken, 0.018 saved in each call: the seventh call pays it back.
    assert made(prices, 5).by_event[1].net < 0
    assert made(prices, 6).by_event[1].net > 0


def test_a_call_that_no_layer_changed_costs_what_it_cost(prices: Prices) -> None:
    found = made(prices, 3)
    assert found.compacted[0].usage == found.recorded[0].usage
    assert found.compacted[0].source is Source.RECORDED
    assert found.compacted[1].source is Source.SIMULATED


def test_a_cut_answer_is_charged_one_continuation_where_that_is_asked_for(prices: Prices) -> None:
    cut = call(1, Usage(10_000, 4_000, cache_write=10_000), cut=True)
    walked = conversation(0)[1]
    alone = Walk((step(1, 10_000, NOTHING, None, 0),), (), walked.final, (), {}, 0)
    found = bill([cut], alone, prices, Charges(recover=True))
    # The prompt is read from the cache, the 4,000 that came are new, as many come again.
    again = 10_000 * 0.30 / 1e6 + 4_000 * 3 / 1e6 + 4_000 * 15 / 1e6
    assert found.recovery == pytest.approx(again)
    assert found.usd - found.compacted_usd == pytest.approx(-again)
    assert bill([cut], alone, prices, Charges()).recovery == 0


def test_a_prompt_that_the_counter_does_not_see_whole_keeps_its_hidden_part() -> None:
    usage = Usage(30_000, 10, cache_read=29_000, cache_write=1_000)
    seen = Step(1, 20_000, 12_000, 20_000, 15_000, 0, 0, (0, 0, 8_000, 0, 0))
    kept, actual = moved(usage, call(1, usage), seen)
    assert actual.input == 22_000
    assert actual == kept


def test_calls_of_another_transcript_are_in_no_sum(prices: Prices) -> None:
    calls, walked = conversation(1)
    found = bill(calls, walked, prices, Charges(), repeated=frozenset({1}))
    assert found.recorded[0].repeated
    assert made(prices, 1).usd - found.usd == pytest.approx(0.375 + 0.015)


def test_a_model_without_a_price_saves_nothing_that_could_be_told() -> None:
    found = made(Prices(), 1)
    assert all(line.cost is None for line in found.recorded)
    assert (found.usd, found.total.net) == (0, 0)
