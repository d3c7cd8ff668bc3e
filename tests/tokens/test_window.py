"""The window's arithmetic, from options, model and recorded usage."""

from __future__ import annotations

from dataclasses import replace

import pytest

from baodai.errors import NoVocabularyError, UnknownModelError, WindowTooSmallError
from baodai.model import Conversation, Usage
from baodai.tokens import Estimator, TokenCounter
from baodai.window import WindowOptions, budget_for, model_of
from build import human, says, talk
from tokens.usage import recorded


def chat(model: str = "", *, usage: int = 0) -> Conversation:
    conversation = talk(human("hello there"), says("hi"))
    if usage:
        first, second = conversation.messages
        second = replace(second, usage=Usage(input=usage), model=model)
        conversation = conversation.with_messages((first, second))
    return replace(conversation, model=model)


def test_without_a_model_the_window_is_128k_of_o200k_base() -> None:
    sizing = budget_for(chat())
    assert (sizing.budget.window, sizing.budget.margin) == (128_000, 0)
    assert (sizing.meter.name, sizing.meter.exact) == ("o200k_base", True)
    assert not sizing.notes


def test_the_budget_is_what_reserve_and_margin_leave() -> None:
    budget = budget_for(chat("claude-opus-4-5")).budget
    assert budget.budget == budget.window - budget.reserve - budget.margin
    assert (budget.reserve, budget.margin) == (20_000, 25_200 + 1)
    assert budget.trigger == int(budget.budget * 0.8)
    assert budget.target == int(budget.budget * 0.6)


@pytest.mark.parametrize(
    ("window", "reserve"), [(8_000, 2_000), (32_000, 8_000), (200_000, 16_384)]
)
def test_the_reserve_is_at_most_a_quarter_of_the_window(window: int, reserve: int) -> None:
    assert budget_for(chat(), WindowOptions(window=window)).budget.reserve == reserve


def test_a_named_model_wins_over_the_transcripts() -> None:
    sizing = budget_for(chat("claude-opus-4-5"), WindowOptions(model="gpt-4"))
    assert sizing.budget.window == 8_192
    assert sizing.meter.name == "cl100k_base"


def test_an_explicit_window_with_an_exact_encoding_has_no_margin() -> None:
    assert budget_for(chat("gpt-4o"), WindowOptions(window=32_000)).budget.margin == 0


def test_overhead_is_from_the_first_call_and_counted_in() -> None:
    conversation = chat("claude-opus-4-5", usage=22_000)
    sizing = budget_for(conversation)
    assert sizing.budget.overhead == pytest.approx(22_000, abs=30)
    assert sizing.meter.conversation(conversation) > 22_000


def test_a_smaller_window_given_leaves_the_overhead_out_and_says_so() -> None:
    sizing = budget_for(chat("claude-opus-4-5", usage=22_000), WindowOptions(window=8_000))
    assert sizing.budget.overhead == 0
    assert [note.code for note in sizing.notes] == ["overhead"]


def test_an_overhead_given_is_taken_as_it_is() -> None:
    options = WindowOptions(window=32_000, overhead=5_000)
    sizing = budget_for(chat("claude-opus-4-5", usage=22_000), options)
    assert (sizing.budget.overhead, sizing.notes) == (5_000, ())


def test_an_overhead_that_no_prompt_has_is_not_believed() -> None:
    sizing = budget_for(chat("claude-opus-4-6", usage=400_000))
    assert sizing.budget.overhead == 0
    assert "shortened" in sizing.notes[0].text


def test_an_unknown_model_is_said_with_suggestions() -> None:
    sizing = budget_for(chat(), WindowOptions(model="claud-opus-4-6"))
    assert [note.code for note in sizing.notes] == [UnknownModelError.code]
    assert "did you mean claude-opus-4-6" in sizing.notes[0].text
    assert sizing.budget.margin > 0


def test_an_estimate_is_said_once_and_taken_off_the_budget() -> None:
    def counters(_: str) -> TokenCounter:
        return Estimator("no vocabulary file")

    sizing = budget_for(chat("gpt-4o"), counters=counters)
    assert [note.code for note in sizing.notes] == [NoVocabularyError.code]
    assert sizing.budget.margin > 20_000
    assert not sizing.meter.exact


def test_a_window_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(WindowTooSmallError):
        budget_for(chat(), WindowOptions(window=4_000, reserve=4_000))


def test_a_harness_name_in_brackets_is_no_model() -> None:
    conversation = chat("gpt-4o")
    last = replace(conversation.messages[-1], model="<synthetic>")
    bare = replace(
        conversation.with_messages((conversation.messages[0], last)), model="<synthetic>"
    )
    assert model_of(bare) == ""


def test_the_description_says_model_arithmetic_and_counter() -> None:
    text = budget_for(chat("claude-opus-4-5", usage=22_000)).description
    assert text.startswith("claude-opus-4-5: window 200,000 - reserve 20,000 - margin 25,2")
    assert "o200k_base x1.18, approximate" in text
    assert "overhead 2" in text


def measured(factor: float, overhead: int, model: str) -> Conversation:
    return replace(recorded(factor, overhead, calls=30), model=model)


@pytest.mark.parametrize("factor", [1.0, 1.24, 1.6, 2.0])
@pytest.mark.parametrize("model", ["claude-opus-4-5", "claude-opus-4-7"])
@pytest.mark.parametrize("window", [None, 32_000])
def test_what_was_brought_to_the_target_is_below_the_trigger_when_measured_again(
    factor: float, model: str, window: int | None
) -> None:
    conversation = measured(factor, 20_000, model)
    options = WindowOptions(window=window)
    first = budget_for(conversation, options)
    assert first.fit is not None
    assert first.fit.fitted
    # As a compaction leaves it: text gone, a mark in its place, the usage of old still recorded.
    counter = first.meter.counter
    room = (first.budget.target - first.meter.overhead) / first.meter.factor
    words = "run the tests again " * 2_000_000
    words = words[: int(room / (counter.count(words[:4_000]) / 4_000)) - 2_000]
    last = conversation.messages[-1]
    after = talk(human(f"[cut, bd:0123abcd] {words}"), says("done"))
    assert last.usage is not None
    messages = (after.messages[0], replace(after.messages[1], usage=last.usage))
    again = replace(after.with_messages(messages), model=model)
    second = budget_for(again, options)
    assert first.meter.conversation(again) <= first.budget.target
    assert second.meter.conversation(again) <= second.budget.trigger


def test_usage_from_before_a_compaction_is_not_believed() -> None:
    conversation = measured(1.6, 20_000, "claude-opus-4-5")
    marked = conversation.with_messages((human("see bd:0123abcd"), *conversation.messages))
    sizing = budget_for(marked)
    assert sizing.fit is None
    assert (sizing.meter.factor, sizing.budget.overhead) == (1.18, 0)
