"""DeepSeek Harness logs: the surface that its events make, and what edits and folds append."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from baodai.jsonl import open_records
from baodai.model import Conversation, Message, Role, Text, ToolResult, Voice
from baodai.structure import pair
from formats.agents import ROOT, again, codec_of, cut, first, folded, written
from shared import shared

NAME = "dsh/session.jsonl"
COMPACTED = "dsh/compacted.jsonl"


def lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.decode().splitlines()]


def note(text: str = "[steps are folded]") -> Message:
    return Message("note", Role.ASSISTANT, (Text(text, Voice.HARNESS),))


def texts(conversation: Conversation) -> list[str]:
    return [m.text for m in conversation.messages if m.role is not Role.SYSTEM]


def test_a_message_that_replaces_others_stands_in_their_place() -> None:
    conversation = first(COMPACTED)
    spoken = [m for m in conversation.messages if m.role is not Role.SYSTEM]
    assert spoken[0].is_summary
    assert "humidity" in spoken[0].text
    assert texts(conversation)[2:4] == ["Lower it to forty.", "Set to forty."]
    assert [m.usage is not None for m in conversation.origin.aside] == [True]


def test_a_summary_that_was_not_put_on_the_surface_folds_nothing() -> None:
    events = lines((ROOT / COMPACTED).read_bytes())
    torn = [e for e in events if "sourceEventSeqs" not in e or e["type"] != "user/message"]
    data = "".join(json.dumps(e, ensure_ascii=False) + "\n" for e in torn).encode()
    assert texts(again(COMPACTED, data))[0] == "墨水为什么不干？不要换纸。"


@pytest.mark.parametrize("ends", [("start", "end"), ("startSeq", "endSeq")])
def test_both_names_of_a_spans_ends_are_read(ends: tuple[str, str]) -> None:
    data = (ROOT / COMPACTED).read_bytes()
    op = f'"{ends[0]}":1,"{ends[1]}":9}}'.encode()
    assert data.count(b'"start":1,"end":9}') == 2
    renamed = data.replace(b'"op":"replace","start":1,"end":9}', b'"op":"replace",' + op)
    assert texts(again(COMPACTED, renamed)) == texts(first(COMPACTED))


def test_newer_logs_keep_the_system_prompt_on_the_surface() -> None:
    content = [{"type": "text", "text": "Be brief."}]
    data = {"turn": 1, "step": 1, "message": {"role": "system", "content": content, "id": "s"}}
    event = {"type": "system/message", "seq": 0, "time": 1, "data": data, "surfaceOp": "append"}
    raw = json.dumps(event).encode() + b"\n" + (ROOT / COMPACTED).read_bytes()
    found = [m.text for m in again(COMPACTED, raw).messages if m.role is Role.SYSTEM]
    assert "Be brief." in found


def test_schemas_and_times_are_told() -> None:
    conversation = first(NAME)
    assert json.loads(conversation.tools) == [{"name": "bash"}]
    assert conversation.messages[1].timestamp == "2026-07-30T14:20:30.001+00:00"


def test_a_fold_is_appended_between_the_harness_own_events_and_takes_effect_by_a_replacement() -> (
    None
):
    conversation = first(NAME)
    data = written(NAME, folded(conversation))
    before = (ROOT / NAME).read_bytes()
    assert data.startswith(before)
    start, summary, carrier, end = lines(data[len(before) :])
    assert [e["type"] for e in (start, summary, carrier, end)] == [
        "compaction/start",
        "compaction/summary",
        "user/message",
        "compaction/end",
    ]
    last = max(e.get("seq", 0) for e in lines(before))
    assert [e["seq"] for e in (start, summary, carrier, end)] == [last + n for n in range(1, 5)]
    shadowed = summary["data"]["shadowedSeqs"]
    ids = {e["data"]["compactionId"] for e in (start, summary, end)}
    assert ids == {carrier["data"]["source"]["compactionId"]}
    assert carrier["surfaceOp"] == {"op": "replace", "start": shadowed[0], "end": shadowed[-1]}
    assert carrier["sourceEventSeqs"] == [start["seq"], summary["seq"], *shadowed]
    assert carrier["data"]["content"] == summary["data"]["summary"]


def test_a_second_fold_replaces_the_first() -> None:
    once = again(NAME, written(NAME, folded(first(NAME))))
    system, old, *rest = once.messages
    new = Message("new", Role.SYSTEM, (Text("Second.", Voice.HARNESS),), is_summary=True)
    twice = again(NAME, written(NAME, once.with_messages([system, new, *rest[1:]])))
    assert texts(twice) == ["Second.", *(m.text for m in rest[1:])]
    assert old.text not in texts(twice)


def test_no_line_comes_or_goes_but_at_the_end() -> None:
    conversation = first(NAME)
    before = (ROOT / NAME).read_bytes().splitlines()
    messages = conversation.messages
    gone = next(i for i, m in enumerate(messages) if m.calls)
    wanted = [*messages[:gone], note(), *messages[gone + 1 + len(messages[gone].calls) :]]
    data = written(NAME, cut(conversation.with_messages(wanted)))
    after = data.splitlines()
    assert after[: len(before)] == before
    assert [m.text for m in again(NAME, data).messages] == [m.text for m in wanted]


def test_a_message_that_goes_leaves_the_surface_and_stays_in_the_log() -> None:
    conversation = first(NAME)
    last = conversation.messages[-1]
    wanted = [m for m in conversation.messages if m.id != last.id]
    data = written(NAME, conversation.with_messages(wanted))
    assert "surfaceOp" not in lines(data)[last.line - 1]
    assert [m.text for m in again(NAME, data).messages] == [m.text for m in wanted]


def test_chunks_of_an_edited_answer_lose_their_words_and_keep_their_numbers() -> None:
    conversation = first(NAME)
    place = next(i for i, m in enumerate(conversation.messages) if m.text == "先看日志。")
    blocks = tuple(
        replace(b, text="短") if isinstance(b, Text) else b
        for b in conversation.messages[place].blocks
    )
    messages = list(conversation.messages)
    messages[place] = replace(messages[place], blocks=blocks)
    data = written(NAME, conversation.with_messages(messages))
    assert "先看" not in data.decode()
    numbers = [(e.get("seq"), e.get("seq0")) for e in lines(data)]
    assert numbers == [(e.get("seq"), e.get("seq0")) for e in lines((ROOT / NAME).read_bytes())]


def test_a_shortened_result_is_not_written_over_the_arguments_of_its_call() -> None:
    data = written(NAME, cut(first(NAME)))
    calls = [e["data"]["arguments"] for e in lines(data) if e["type"] == "tool/call"]
    assert calls[0] == '{"command": "cat ink.log"}'


@pytest.mark.shared
def test_real_logs_fold_and_read_back() -> None:
    for path in sorted(shared("data", "deepseek_harness").rglob("*.jsonl")):
        (conversation,) = codec_of(NAME).decode(open_records(path), path.name)
        assert not pair(conversation.messages).orphans
        data = written(NAME, folded(conversation))
        found = again(NAME, data)
        kept = folded(conversation).messages
        assert [m.text for m in found.messages] == [m.text for m in kept], path
        assert all(
            isinstance(b, ToolResult)
            for m in found.messages
            if m.role is Role.TOOL
            for b in m.blocks
        )
