"""Factory Droid sessions: Anthropic's blocks and usage in an envelope of its own."""

from __future__ import annotations

import json

import pytest

from baodai.jsonl import open_records
from baodai.model import Usage
from baodai.structure import pair
from formats.agents import ROOT, again, codec_of, first, folded, results, words, written
from shared import shared

NAME = "factory-droid/session.jsonl"


def test_usage_and_stop_reason_are_those_of_the_message() -> None:
    lines = (ROOT / NAME).read_text("utf-8").splitlines()
    record = json.loads(lines[2])
    usage = {"input_tokens": 5, "cache_read_input_tokens": 90, "output_tokens": 7}
    record["message"] |= {"usage": usage, "stop_reason": "tool_use", "model": "claude-x"}
    lines[2] = json.dumps(record)
    answer = again(NAME, "\n".join(lines).encode()).messages[1]
    assert answer.usage == Usage(95, 7, 90)
    assert (answer.stop_reason, answer.model) == ("tool_use", "claude-x")
    assert first(NAME).messages[1].timestamp == "2026-03-30T18:50:02.000Z"


@pytest.mark.shared
def test_a_real_session_pairs_tells_its_usage_and_folds() -> None:
    (path,) = shared("data", "factory_droid").rglob("*.jsonl")
    (conversation,) = codec_of(NAME).decode(open_records(path), path.name)
    assert not pair(conversation.messages).orphans
    assert len(list(results(conversation))) == 3
    told = [m.usage for m in conversation.messages if m.usage is not None]
    assert told[0] == Usage(500, 80)
    read = again(NAME, written(NAME, folded(conversation)))
    assert words(read) == words(conversation)[-1:]
