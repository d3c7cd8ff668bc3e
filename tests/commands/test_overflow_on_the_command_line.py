"""`compact --overflow`: a recorded refusal is answered by a harder compaction, or by its class."""

from __future__ import annotations

import pytest
from process import DEMO, Shell


def test_a_recorded_refusal_is_answered_on_the_command_line(sh: Shell) -> None:
    refused = '{"status": 400, "error": {"code": "context_length_exceeded"}}'
    (sh.folder / "refused.json").write_text(refused, "utf-8")
    ran = sh("compact", DEMO, "--overflow", "refused.json", "-o", "out.jsonl")
    assert ran.status == 0
    assert "rung" in ran.err
    again = sh("compact", "out.jsonl", "--overflow", "上下文过长", "-o", "less.jsonl")
    assert again.status == 0
    sizes = [(sh.folder / name).stat().st_size for name in ("out.jsonl", "less.jsonl")]
    assert sizes[1] < sizes[0]


@pytest.mark.parametrize(
    "said", ["Rate limit reached", "insufficient credits", "the colour is wrong"]
)
def test_what_is_no_overflow_compacts_nothing(sh: Shell, said: str) -> None:
    ran = sh("compact", DEMO, "--overflow", said, "-o", "out.jsonl")
    assert ran.status == 2
    assert "BD403" in ran.err
    assert not (sh.folder / "out.jsonl").exists()


def test_the_floor_is_said_and_written_where_asked_for(sh: Shell) -> None:
    said = "prompt is too long: 42000 tokens > 900 maximum"
    ran = sh("compact", DEMO, "--overflow", said, "-o", "out.jsonl")
    assert ran.status == 1
    assert "BD404" in ran.err
    assert not (sh.folder / "out.jsonl").exists()
    assert sh("compact", DEMO, "--overflow", said, "--smallest", "-o", "out.jsonl").status == 1
    assert (sh.folder / "out.jsonl").exists()
