"""A refused transcript comes back smaller by what was too much; each rung once, the floor said."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from process import DEMO

from baodai.formats.recognise import recognise
from baodai.jsonl.records import open_records
from baodai.model import Conversation
from baodai.overflow import classify
from baodai.pipeline import Options
from baodai.reactive import RUNGS, Ladder, Rung, goal_of


def laddered(source: Path | BytesIO) -> tuple[Conversation, Ladder]:
    records = list(open_records(source))
    codec = recognise(records, "test")
    (found,) = codec.decode(iter(records), "test")
    return found, Ladder(found, codec, Options(), "test")


def demo() -> tuple[Conversation, Ladder]:
    return laddered(Path(DEMO))


def of(messages: list[dict[str, str]]) -> tuple[Conversation, Ladder]:
    return laddered(BytesIO(json.dumps({"messages": messages}).encode()))


def climbed(ladder: Ladder, counts: float = 1.0) -> list[Rung]:
    """Refused again and again: the provider counts `counts` tokens for one of ours."""
    rungs: list[Rung] = []
    asked = 60_000
    while len(rungs) < 9:
        limit = int(asked * 0.9)
        refused = classify(400, f"prompt is too long: {asked} tokens > {limit} maximum")
        rung = ladder.answer(refused)
        if rung is None:
            return rungs
        rungs.append(rung)
        asked = int(rung.compaction.account.tokens_after * counts)
    return rungs


@pytest.mark.parametrize("counts", [0.7, 1.0, 1.6])
def test_every_rung_shrinks_by_what_was_too_much_and_comes_once(counts: float) -> None:
    _, ladder = demo()
    rungs = climbed(ladder, counts)
    assert [RUNGS.index(r.name) for r in rungs] == sorted({RUNGS.index(r.name) for r in rungs})
    sizes = [r.compaction.account.tokens_after for r in rungs]
    assert sizes == sorted(sizes, reverse=True)
    assert all(r.compaction.account.tokens_after <= r.goal for r in rungs)


def test_the_same_refusals_give_the_same_bytes() -> None:
    first, second = climbed(demo()[1]), climbed(demo()[1])
    assert [r.compaction.data for r in first] == [r.compaction.data for r in second]


def test_where_only_the_answer_is_too_long_nothing_is_compacted() -> None:
    found, ladder = demo()
    said = "input length and `max_tokens` exceed context limit: 42000 + 8000 > 48000"
    rung = ladder.answer(classify(400, said))
    assert rung is not None
    assert rung.name == "reserve"
    assert rung.max_output is not None
    assert 42_000 + rung.max_output <= 48_000
    assert rung.compaction.after.messages == found.messages


def test_the_last_rung_cuts_the_middle_of_what_must_stay() -> None:
    messages = [
        {"role": "user", "content": "Read this. " + "word and word again. " * 4_000 + "The end."},
        {"role": "assistant", "content": "Read."},
    ]
    found, ladder = of(messages)
    rung = ladder.answer(classify(400, "prompt is too long: 20000 tokens > 5000 maximum"))
    assert rung is not None
    assert rung.name == "middle"
    (prompt,) = [m for m in rung.compaction.after.messages if m.starts_turn]
    assert prompt.text.startswith("Read this.")
    assert prompt.text.endswith("The end.")
    assert rung.compaction.account.tokens_after <= rung.goal
    assert len(rung.compaction.after.messages) == len(found.messages)


@pytest.mark.parametrize(
    ("said", "sent", "goal"),
    [
        ("prompt is too long: 48000 tokens > 40000 maximum", 24_000, 19_280),
        ("prompt too long; exceeded max context length by 1000 tokens", 10_000, 8_700),
        ("Input is too long for requested model.", 10_000, 7_200),
        ("Range of input length should be [1, 6000]", 10_000, 5_700),
    ],
)
def test_the_goal_follows_the_numbers_of_the_refusal(said: str, sent: int, goal: int) -> None:
    assert goal_of(classify(400, said), sent) == goal
