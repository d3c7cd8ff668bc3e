"""`compact --summarizer openai` as a process, against an endpoint on loopback."""

from __future__ import annotations

import json
import os

import pytest
from endpoint import Asked, Refuses, Reply, Says, endpoint
from process import DEMO, Shell

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

SUMMARY = {
    "results": [{"turn": 1, "text": "the importer was read"}],
    "state": [{"turn": 1, "text": "the work goes on"}],
}
USAGE = {"prompt_tokens": 4_000, "completion_tokens": 200, "total_tokens": 4_200}


def answers(asked: Asked) -> Reply:
    """A record with every decision that is asked for, word for word."""
    messages = asked["messages"]
    assert isinstance(messages, list)
    _, _, must = str(messages[1]["content"]).rpartition("</transcript>")
    quotes = [line.partition("] ")[2] for line in must.splitlines() if line.startswith("[turn ")]
    decisions = [{"turn": 1, "text": quote} for quote in quotes]
    return Says(json.dumps({**SUMMARY, "decisions": decisions}, ensure_ascii=False), usage=USAGE)


def compacted(sh: Shell, url: str, *more: str) -> tuple[bytes, str]:
    ran = sh(
        "compact", DEMO, "--window", "8k", "--summarizer", "openai", "--summarizer-model",
        "test-model", "--base-url", url, *more, env={**os.environ, "OPENAI_API_KEY": "k-secret"},
    )  # fmt: skip
    assert ran.status == 0, ran.err
    return ran.out, ran.err


def test_a_model_writes_the_summary_and_the_ledger_says_what_it_was_asked(sh: Shell) -> None:
    with endpoint(answers) as there:
        out, err = compacted(sh, there.url)
        assert len(there.asked) == 1
        again, _ = compacted(sh, there.url)
        assert len(there.asked) == 1, "a rerun is free"
    assert b"the importer was read" in out
    assert again == out
    assert "warning" not in err
    (row,) = sh("report", "model_calls", "--json").rows()
    assert row["outcome"] == "cached"
    assert (sh.folder / "baodai-summaries").is_dir()
    for path in sh.folder.rglob("*"):
        assert not path.is_file() or b"k-secret" not in path.read_bytes()


def test_an_endpoint_that_fails_costs_a_warning_and_no_transcript(sh: Shell) -> None:
    plain = sh("compact", DEMO, "--window", "8k", "--ledger", "none", "--memory", "none").out
    with endpoint([Refuses(401, '{"error": "no such key"}')]) as there:
        out, err = compacted(sh, there.url)
    assert out == plain
    assert "warning[BD402]" in err
    assert "no such key" in err
    (row,) = sh("report", "model_calls", "--json").rows()
    assert row["outcome"] == "failed"
    with endpoint([Refuses(401, "no")]) as there:
        failed = sh(
            "compact", DEMO, "--window", "8k", "--summarizer", "openai", "--summarizer-model",
            "m", "--base-url", there.url, "--fail-on", "warn",
        )  # fmt: skip
    assert failed.status == 1


def test_transcripts_are_summarised_at_once_by_several_processes(sh: Shell) -> None:
    names = []
    for i in range(4):
        names.append(str(sh.folder / f"{i}.jsonl"))
        (sh.folder / f"{i}.jsonl").write_bytes(DEMO.read_bytes())
    with endpoint(answers) as there:
        ran = sh(
            "compact", *names, "--window", "8k", "--out-dir", "out", "--jobs", "2", "--summarizer",
            "openai", "--summarizer-model", "m", "--base-url", there.url,
        )  # fmt: skip
    assert ran.status == 0
    outs = {path.read_bytes() for path in (sh.folder / "out").iterdir()}
    assert len(outs) == 1
    assert b"the importer was read" in outs.pop()


def test_a_model_must_be_named(sh: Shell) -> None:
    ran = sh("compact", DEMO, "--window", "8k", "--summarizer", "openai")
    assert ran.status == 2
    assert "--summarizer-model" in ran.err
