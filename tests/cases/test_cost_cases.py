"""Cases of the field on what calls cost, through the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from process import Shell
from reading import conversations

from baodai.cost.calls import timeline
from baodai.cost.loop import walk
from baodai.pipeline import Options
from baodai.window import WindowOptions, budget_for
from shared import shared

pytestmark = pytest.mark.shared

PRICES = """
[models.claude-x]
input = 3
output = 15
cache_read = 0.30
cache_write = 3.75
cache_write_1h = 6

[models.free-1]
input = 0
output = 0
"""


@pytest.fixture
def sh(tmp_path: Path) -> Shell:
    (tmp_path / "prices.toml").write_text(PRICES, "utf-8")
    return Shell(tmp_path)


def case(number: str, name: str = "input.jsonl") -> Path:
    return next(iter(sorted(shared("cases").glob(f"{number}-*")))) / name


def total(sh: Shell, *arguments: str | Path) -> dict[str, Any]:
    ran = sh("cost", "--json", "--ledger", "none", "--allow-unpriced", *arguments)
    assert ran.status == 0, ran.err
    found: dict[str, Any] = json.loads(ran.text)["total"]
    return found


def test_case_34_rows_of_one_answer_and_a_resumed_session_count_once(sh: Shell) -> None:
    alone = total(sh, case("34"))["recorded"]
    assert (alone["calls"], alone["output"], alone["cache_read"]) == (2, 441, 2 * 22_076)
    both = total(sh, case("34"), case("34", "resumed.jsonl"))["recorded"]
    assert (both["calls"], both["output"]) == (3, 450)


def test_case_35_a_counter_that_is_told_again_is_no_request(sh: Shell) -> None:
    found = total(sh, case("35"))["recorded"]
    assert (found["calls"], found["input"], found["output"]) == (2, 1_000, 300)
    assert found["cache_read"] == 700


def test_case_37_the_branch_that_was_left_was_paid_and_is_in_no_context(sh: Shell) -> None:
    found = total(sh, case("37"))
    assert found["recorded"]["calls"] == found["outside"]["calls"] + 2
    assert found["outside"]["calls"] == 1


def test_case_39_each_write_has_its_price_and_an_unknown_model_none(sh: Shell) -> None:
    arguments = ("cost", case("39"), "--prices", "prices.toml", "--ledger", "none")
    calls = json.loads(sh(*arguments, "--calls", "--json").text)["calls"]
    usd = [call["usd"] for call in calls if call["scenario"] == "recorded"]
    assert usd == [pytest.approx(0.675), pytest.approx(0.45), None, 0.0]
    ran = sh(*arguments)
    assert ran.status == 1
    assert "1 of them without a price and left out" in ran.text
    assert "split not given" in ran.text
    assert "no price" in ran.text
    assert "mystery-9" in ran.err
    assert "free-1" not in ran.err
    assert sh(*arguments, "--allow-unpriced").status == 0


def test_case_40_what_is_saved_is_set_against_the_cache_that_breaks(sh: Shell) -> None:
    arguments = (case("40"), "--model", "claude-sonnet-4-5")
    money = total(sh, *arguments, "--window", "1500", "--reserve", "200")["money"]
    assert money["saved"] > 0
    net = money["saved"] - money["broken"] - money["summary"]
    assert money["without"] - money["compacted"] == pytest.approx(net)


def test_case_40_one_compaction_breaks_the_prefix_once() -> None:
    _, (conversation,) = conversations(case("40"))
    sizing = budget_for(conversation, WindowOptions(window=1_500, reserve=200))
    walked = walk(conversation, timeline(conversation, sizing.meter), Options(), sizing)
    assert walked.events
    for before, step in zip(walked.steps, walked.steps[1:], strict=False):
        assert step.compaction or step.shared == before.context
