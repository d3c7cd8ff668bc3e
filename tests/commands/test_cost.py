"""`baodai cost` as a process: the figures, what has no price, the ledger's reports, sweeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from process import DEMO, TALK, Shell

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
def prices(sh: Shell) -> str:
    (sh.folder / "prices.toml").write_text(PRICES, "utf-8")
    return "prices.toml"


def answer(
    name: str, text: str, usage: Mapping[str, object], model: str = "claude-x", **more: object
) -> dict[str, object]:
    message = {
        "id": name, "type": "message", "role": "assistant", "model": model,
        "content": [{"type": "text", "text": text}], "usage": usage,
    }  # fmt: skip
    return {"type": "assistant", "uuid": f"u-{name}-{text}", "message": message, **more}


def session(sh: Shell, name: str, *answers: dict[str, object]) -> Path:
    """A Claude Code session: a question, then these records, each a child of the one before."""
    content = {"role": "user", "content": "Go."}
    rows: list[dict[str, object]] = [{"type": "user", "uuid": "q", "message": content}, *answers]
    parent = None
    for i, row in enumerate(rows):
        row.setdefault("parentUuid", parent)
        row.update(sessionId="s1", isSidechain=row.get("isSidechain", False))
        row.setdefault("timestamp", f"2026-01-05T10:00:{i:02}Z")
        parent = row["uuid"]
    path = sh.folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def costs(sh: Shell, *arguments: str | Path, status: int = 0) -> dict[str, Any]:
    ran = sh("cost", "--json", "--ledger", "none", *arguments)
    assert ran.status == status, ran.err
    found: dict[str, Any] = json.loads(ran.text)
    return found


def test_a_session_with_caching_costs_what_it_costs_by_hand(sh: Shell, prices: str) -> None:
    path = session(
        sh,
        "a.jsonl",
        answer("msg_1", "a", {"input_tokens": 10, "cache_creation_input_tokens": 20_000,
                              "cache_read_input_tokens": 0, "output_tokens": 300}),
        answer("msg_2", "b", {"input_tokens": 4, "cache_creation_input_tokens": 1_000,
                              "cache_read_input_tokens": 20_010, "output_tokens": 500}),
    )  # fmt: skip
    total = costs(sh, path, "--prices", prices)["total"]
    first = 10 * 3 + 20_000 * 3.75 + 300 * 15
    second = 4 * 3 + 1_000 * 3.75 + 20_010 * 0.30 + 500 * 15
    assert total["recorded"]["usd"] == pytest.approx((first + second) / 1e6)
    assert total["recorded"]["input"] == 20_010 + 21_014


def test_an_answer_over_several_records_counts_once_with_its_last_usage(
    sh: Shell, prices: str
) -> None:
    early = {"input_tokens": 9, "cache_read_input_tokens": 1_000, "output_tokens": 1}
    late = {**early, "output_tokens": 40}
    path = session(
        sh, "a.jsonl", answer("msg_1", "a", early), answer("msg_1", "b", early),
        answer("msg_1", "c", late),
    )  # fmt: skip
    recorded = costs(sh, path, "--prices", prices)["total"]["recorded"]
    assert (recorded["calls"], recorded["output"], recorded["cache_read"]) == (1, 40, 1_000)


def test_what_two_files_tell_counts_once_over_both(sh: Shell, prices: str) -> None:
    used = {"input_tokens": 9, "output_tokens": 40}
    first = session(sh, "a.jsonl", answer("msg_1", "a", used))
    again = session(sh, "b.jsonl", answer("msg_1", "a", used), answer("msg_2", "b", used))
    found = costs(sh, first, again, "--prices", prices)
    assert (found["total"]["recorded"]["calls"], found["total"]["recorded"]["output"]) == (2, 80)
    assert found["total"]["counts"]["repeated"] == 1


def test_a_branch_that_was_left_and_a_sub_agent_were_paid_for(sh: Shell, prices: str) -> None:
    used = {"input_tokens": 1_000, "output_tokens": 10}
    question = {"type": "user", "message": {"role": "user", "content": "And now?"}}
    path = session(
        sh,
        "a.jsonl",
        answer("msg_0", "first", used),
        {**question, "uuid": "q1"},
        answer("msg_1", "left", used),
        {**question, "uuid": "q2", "parentUuid": "u-msg_0-first"},
        answer("msg_2", "taken", used),
        answer("msg_3", "sub", used, isSidechain=True, parentUuid=None),
        {**question, "uuid": "q3", "parentUuid": "u-msg_2-taken"},
    )
    total = costs(sh, path, "--prices", prices)["total"]
    assert total["recorded"]["usd"] == pytest.approx(4 * (1_000 * 3 + 10 * 15) / 1e6)
    assert total["outside"]["calls"] == 2


def test_a_model_without_a_price_is_no_zero_and_fails_the_run(sh: Shell, prices: str) -> None:
    used = {"input_tokens": 5_000, "output_tokens": 700}
    path = session(
        sh, "a.jsonl", answer("m1", "a", used, "mystery-9"), answer("m2", "b", used, "free-1")
    )
    ran = sh("cost", path, "--prices", prices, "--ledger", "none")
    assert ran.status == 1
    assert "no price" in ran.text
    assert "1 of them without a price and left out" in ran.text
    assert "'mystery-9'" in ran.err
    assert "free-1" not in ran.err
    allowed = sh("cost", path, "--prices", prices, "--ledger", "none", "--allow-unpriced")
    assert allowed.status == 0
    assert allowed.text == ran.text
    assert "'mystery-9'" in allowed.err


def test_a_price_of_nothing_is_no_failure(sh: Shell, prices: str) -> None:
    used = {"input_tokens": 5_000, "output_tokens": 700}
    ran = sh(
        "cost", session(sh, "a.jsonl", answer("m1", "a", used, "free-1")),
        "--prices", prices, "--ledger", "none",
    )  # fmt: skip
    assert (ran.status, ran.err) == (0, "")


def test_writes_without_a_lifetime_are_said(sh: Shell, prices: str) -> None:
    split = {"ephemeral_5m_input_tokens": 20_000, "ephemeral_1h_input_tokens": 100_000}
    known = {"input_tokens": 0, "cache_creation_input_tokens": 120_000, "output_tokens": 0}
    path = session(
        sh, "a.jsonl", answer("m1", "a", {**known, "cache_creation": split}),
        answer("m2", "b", known),
    )  # fmt: skip
    ran = sh("cost", path, "--prices", prices, "--ledger", "none")
    assert "split not given: cache writes of 1 call " in ran.text
    recorded = costs(sh, path, "--prices", prices)["total"]["recorded"]
    assert recorded["usd"] == pytest.approx(0.675 + 0.45)


def test_a_model_that_is_named_prices_a_transcript_that_names_none(sh: Shell) -> None:
    path = sh.file("talk.jsonl", *TALK)
    assert sh("cost", path, "--ledger", "none").status == 1
    found = costs(sh, path, "--model", "gpt-4.1")["total"]["recorded"]
    assert found["usd"] == pytest.approx((found["input"] * 2 + found["output"] * 8) / 1e6)
    assert found["calls"] == 2


def test_a_price_file_that_says_something_else_is_a_usage_error(sh: Shell) -> None:
    (sh.folder / "bad.toml").write_text("[models.a]\ninput = 1\n", "utf-8")
    ran = sh("cost", sh.file("talk.jsonl", *TALK), "--prices", "bad.toml")
    assert ran.status == 2
    assert "has no output" in ran.err


def test_compaction_is_worked_out_and_every_report_adds_up_to_it(sh: Shell) -> None:
    ran = sh("cost", DEMO, "--window", "24k", "--model", "claude-sonnet-4-5", "--json")
    assert ran.status == 0, ran.err
    found = json.loads(ran.text)["total"]
    money = found["money"]
    assert found["counts"]["compactions"] > 0
    assert money["without"] - money["compacted"] == pytest.approx(
        money["saved"] - money["broken"] - money["summary"]
    )
    for name in ("cost_by_model", "cost_by_transcript", "cost_by_day"):
        rows = sh("report", name, "--json").rows()
        assert sum(float(str(row["usd"])) for row in rows) == pytest.approx(
            money["without"], abs=1e-3
        ), name
    layers = sh("report", "cost_by_layer", "--json").rows()
    assert sum(float(str(row["saved_usd"])) for row in layers) == pytest.approx(
        money["saved"], abs=1e-3
    )
    rebound = sh("report", "rebound", "--json").rows()
    assert len(rebound) == found["counts"]["compactions"]
    unpaid = sh("report", "compactions_not_paid", "--json").rows()
    assert len(unpaid) == found["counts"]["dearer"]
    dearest = [float(str(r["usd"])) for r in sh("report", "expensive_results", "--json").rows()]
    assert dearest == sorted(dearest, reverse=True)
    assert dearest


def test_what_costs_were_worked_out_for_is_no_compaction_in_the_reports(sh: Shell) -> None:
    sh("compact", DEMO, "--window", "8k", "-o", "out.jsonl")
    before = [sh("report", name).text for name in ("savings_by_transcript", "edits", "notes")]
    sh("cost", DEMO, "--model", "gpt-4.1")
    after = [sh("report", name).text for name in ("savings_by_transcript", "edits", "notes")]
    assert after == before


def test_every_call_can_be_listed_with_what_it_is_reckoned_from(sh: Shell, prices: str) -> None:
    path = session(sh, "a.jsonl", answer("m1", "a", {"input_tokens": 1_000, "output_tokens": 9}))
    calls = costs(sh, path, "--prices", prices, "--calls")["calls"]
    recorded = [call for call in calls if call["scenario"] == "recorded"]
    assert [call["tokens_from"] for call in recorded] == ["recorded"]
    assert recorded[0]["usd"] == pytest.approx((1_000 * 3 + 9 * 15) / 1e6)
    assert "prices.toml" in recorded[0]["price_source"]


def test_a_sweep_has_a_frontier_and_a_recommendation_with_reasons(sh: Shell) -> None:
    arguments = ("--sweep", "--windows", "16k,32k", "--model", "claude-sonnet-4-5")
    ran = sh("cost", DEMO, *arguments, "--json")
    assert ran.status == 0, ran.err
    found = json.loads(ran.text)
    best = [point for point in found["points"] if point["frontier"]]
    for one in best:
        for other in found["points"]:
            better = (
                other["usd"] <= one["usd"] and other["too_large"] <= one["too_large"]
                and other["decisions_kept"] >= one["decisions_kept"]
                and other["conclusions_kept"] >= one["conclusions_kept"]
            )  # fmt: skip
            same = all(
                other[key] == one[key]
                for key in ("usd", "decisions_kept", "conclusions_kept", "too_large")
            )
            assert same or not better
    assert found["reasons"]
    assert found["recommended"] is None or any(p["recommended"] for p in best)
    text = sh("cost", DEMO, *arguments, "--ledger", "none").text
    assert "recommended: " in text
    assert len(sh("report", "sweep", "limit=100", "--json").rows()) == len(found["points"])


def test_several_processes_come_to_the_same_sweep_and_the_same_costs(sh: Shell) -> None:
    for i in range(3):
        (sh.folder / f"{i}.jsonl").write_bytes(DEMO.read_bytes())
    for more in ((), ("--sweep", "--windows", "16k", "--summarizers", "extractive")):
        arguments = (".", "--model", "gpt-4.1", "--ledger", "none", "--json", *more)
        one, two = (sh("cost", *arguments, "-j", jobs) for jobs in ("1", "2"))
        assert one.text == two.text
        assert one.status == two.status == 0


@pytest.mark.parametrize(
    ("option", "value"),
    [("--windows", "many"), ("--triggers", "1.5"), ("--layer-sets", "9"), ("--targets", "")],
)
def test_an_axis_that_is_none_is_a_usage_error(sh: Shell, option: str, value: str) -> None:
    ran = sh("cost", sh.file("talk.jsonl", *TALK), "--sweep", option, value)
    assert ran.status == 2
    assert not ran.out
