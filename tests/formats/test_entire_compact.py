"""Entire's compact transcripts: a call and its result in one block, answers over several lines."""

from __future__ import annotations

import json

import pytest

from baodai.jsonl import open_records
from baodai.model import Role
from baodai.structure import pair
from formats.agents import again, codec_of, cut, first, folded, results, words, written
from shared import shared

NAME = "entire-compact/full.jsonl"


def test_a_call_and_its_result_in_one_block_are_two_messages_of_one_record() -> None:
    messages = first(NAME).messages
    place = next(i for i, m in enumerate(messages) if m.calls)
    answer, result = messages[place : place + 2]
    assert (answer.role, result.role) == (Role.ASSISTANT, Role.TOOL)
    assert answer.record == result.record
    assert [r.call_id for r in result.results] == [c.id for c in answer.calls]


def test_dropping_both_takes_the_line_out() -> None:
    conversation = first(NAME)
    place = next(i for i, m in enumerate(conversation.messages) if m.calls)
    record = conversation.messages[place].record
    kept = [m for m in conversation.messages if m.record != record]
    data = written(NAME, conversation.with_messages(kept))
    assert len(data.splitlines()) == len(conversation.origin.records) - 1


@pytest.mark.shared
def test_real_transcripts_pair_are_cut_and_fold() -> None:
    for path in sorted(shared("data", "entire_compact").rglob("*.jsonl")):
        (conversation,) = codec_of(NAME).decode(open_records(path), path.name)
        assert not pair(conversation.messages).orphans
        data = written(NAME, cut(conversation))
        assert all(json.loads(line)["v"] == 1 for line in data.splitlines())
        longest = [r.text for r in results(conversation) if len(r.text) > 300]
        assert not any(json.dumps(text)[1:-1].encode() in data for text in longest)
        read = again(NAME, written(NAME, folded(conversation)))
        assert words(read) == words(conversation)[-1:]
