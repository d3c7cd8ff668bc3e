"""Calibration: usage that a transcript records says how its model counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from baodai.model import Message, Usage
from baodai.tokens import Meter, counter_for, fit
from baodai.tokens.calibration import points
from build import human, says, talk
from tokens.usage import recorded


def meter() -> Meter:
    return Meter(counter_for("o200k_base"))


@pytest.mark.parametrize(("factor", "overhead"), [(1.18, 0), (1.43, 22_000), (0.8, 5_000)])
def test_factor_and_overhead_are_found(factor: float, overhead: int) -> None:
    found = fit(recorded(factor, overhead), meter())
    assert found is not None
    assert found.fitted
    assert found.factor == pytest.approx(factor, abs=0.01)
    assert found.overhead == pytest.approx(overhead, abs=150)
    assert found.error < 0.01


def test_single_wild_calls_do_not_move_the_fit() -> None:
    conversation = recorded(1.25, 20_000, calls=30)
    messages = list(conversation.messages)
    for i in (11, 31):
        messages[i] = replace(messages[i], usage=Usage(input=900_000))
    found = fit(conversation.with_messages(messages), meter())
    assert found is not None
    assert found.factor == pytest.approx(1.25, abs=0.06)


def test_noise_shows_in_the_error() -> None:
    found = fit(recorded(1.3, 10_000, calls=40, noise=0.05), meter())
    assert found is not None
    assert 0.02 < found.error < 0.12


def test_a_reset_starts_anew_and_the_longest_stretch_counts() -> None:
    conversation = recorded(1.2, 8_000, calls=30)
    messages = [
        replace(m, usage=Usage(input=m.usage.input - 40_000)) if m.usage and i > 45 else m
        for i, m in enumerate(conversation.messages)
    ]
    cut = conversation.with_messages(messages)
    assert len(points(cut, meter())) == 23
    found = fit(cut, meter())
    assert found is not None
    assert found.factor == pytest.approx(1.2, abs=0.02)


def test_records_of_one_api_message_count_once() -> None:
    conversation = recorded(1.2, 8_000, calls=8)
    messages: list[Message] = []
    for m in conversation.messages:
        twice = m.usage is not None
        messages += (
            [replace(m, group=m.id), replace(m, id=f"{m.id}b", group=m.id)] if twice else [m]
        )
    assert len(points(conversation.with_messages(messages), meter())) == 8


def test_few_calls_keep_the_stated_factor_and_give_the_overhead() -> None:
    found = fit(recorded(1.3, 20_000, calls=2), meter(), 1.3)
    assert found is not None
    assert not found.fitted
    assert found.factor == 1.3
    assert found.overhead == pytest.approx(20_000, abs=200)


def test_a_published_tokenizer_keeps_its_factor() -> None:
    found = fit(recorded(1.1, 900), meter(), 1.0, keep=True)
    assert found is not None
    assert (found.factor, found.fitted) == (1.0, False)


def test_insane_usage_is_not_believed() -> None:
    found = fit(recorded(40.0, 0), meter(), 1.18)
    assert found is not None
    assert not found.fitted
    assert found.factor == 1.18


def test_no_usage_means_no_fit() -> None:
    assert fit(talk(human("a"), says("b")), meter()) is None


def test_a_fit_can_be_read() -> None:
    found = fit(recorded(1.43, 22_000), meter())
    assert str(found).startswith("factor 1.43, overhead 22,0")
    assert "from 20 calls, off by 0." in str(found)
