# ruff: noqa: E501 - examples side by side are read best
"""Whether a summary still says what was decided: kept, weakened, turned into its opposite, gone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baodai.decisions import Decision
from baodai.decisions.detect import decision_of, detect_text
from baodai.decisions.presence import KEPT, Verdict, present


def decision(said: str) -> Decision:
    return decision_of(next(iter(detect_text(said))), turn=1)


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("Use Valkey for the queue.", "The queue is built on Valkey."),
        ("The budget is 12k.", "Spending is capped at $12,000."),
        ("Never write to archive.", "Direct writes to archive are forbidden."),
        ("Read from db_03, not the leader.", "Reads should go to db_03 rather than the leader."),
        ("Batch jobs are limited to 30 CPU hours.", "Batch jobs may use at most 30 CPU hours."),
        ("Uploads get at most 8% of the disk.", "No more than 8% of the disk goes to uploads."),
        ("Only modify files under lib/tax/.", "File edits are restricted to lib/tax/ only."),
        (
            "When you quote, use the original, not a translation.",
            "Quote only originals when you quote.",
        ),
        ("队列用 Valkey。", "队列已选定 Valkey。"),
        ("预算 2 万。", "花费上限为 20000 元。"),
        ("4 月 12 日前上线。", "上线截止日期：4 月 12 日。"),
    ],
)
def test_another_wording_keeps_it(said: str, summary: str) -> None:
    assert present(decision(said), f"Notes. {summary} The rest goes on.") in KEPT


@pytest.mark.parametrize(
    ("said", "summary", "verdict"),
    [
        ("Use Valkey for the queue.", "Use Redis for the queue.", Verdict.CONTRADICTED),
        ("Use Valkey for the queue.", "Valkey is not used for the queue.", Verdict.CONTRADICTED),
        ("Use Valkey for the queue.", "Valkey is one option for the queue.", Verdict.WEAKENED),
        ("Use Valkey for the queue.", "We may consider: Use Valkey for the queue.", Verdict.WEAKENED),
        ("Use Valkey for the queue.", "The assistant suggested: Use Valkey for the queue.", Verdict.WEAKENED),
        ("The budget is 12k.", "The budget is 120k.", Verdict.CONTRADICTED),
        ("The budget is 12k.", "The colours were chosen.", Verdict.ABSENT),
        ("Never write to archive.", "Never write to staging.", Verdict.CONTRADICTED),
        ("Never write to archive.", "Try not to write to archive.", Verdict.WEAKENED),
        ("Never write to archive.", "Writing to archive is fine.", Verdict.CONTRADICTED),
        ("Reports must stay in eu-north-2.", "Reports must stay in eu-north-3.", Verdict.CONTRADICTED),
        ("Reports must stay in eu-north-2.", "Reports can be kept outside eu-north-2.", Verdict.CONTRADICTED),
        ("Do not export salary columns from staff tables.", "Do not export salary columns from tables.", Verdict.WEAKENED),
        ("队列用 Valkey。", "队列不用 Valkey。", Verdict.CONTRADICTED),
        ("队列用 Valkey。", "队列可以考虑 Valkey。", Verdict.WEAKENED),
        ("队列用 Valkey。", "助手曾建议：队列用 Valkey。", Verdict.WEAKENED),
        ("预算 2 万。", "预算 20 万。", Verdict.CONTRADICTED),
        ("不要写 archive。", "可以写 archive。", Verdict.CONTRADICTED),
    ],
)  # fmt: skip
def test_what_says_less_or_the_opposite_keeps_nothing(
    said: str, summary: str, verdict: Verdict
) -> None:
    assert present(decision(said), f"Notes. {summary} The rest goes on.") is verdict


def test_a_clean_place_outweighs_a_laundered_one() -> None:
    text = "The assistant suggested: Use Valkey for the queue.\n- [t1, live] “Use Valkey for the queue.”"
    assert present(decision("Use Valkey for the queue."), text) is Verdict.VERBATIM


@given(st.integers(1, 999), st.integers(1, 999))
def test_a_number_is_kept_by_itself_alone(said: int, told: int) -> None:
    found = present(decision(f"The limit is {said} requests."), f"The limit is {told} requests.")
    assert (found in KEPT) is (said == told)
