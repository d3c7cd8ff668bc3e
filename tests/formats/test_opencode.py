"""opencode exports: what a compaction leaves in the context, how edits and folds are written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from baodai.jsonl import open_records
from baodai.model import Conversation, Message, Opaque, Role, Text, ToolCall, Usage, Voice
from formats.agents import ROOT, again, codec_of, cut, first, folded, results, written
from shared import shared

NAME = "opencode/session.json"
COMPACTED = "opencode/compacted.json"
PICTURE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAUCAYAAAA="

Session = dict[str, Any]


def value(name: str) -> Session:
    found: Session = json.loads((ROOT / name).read_bytes())
    return found


def read(value: object) -> Conversation:
    return again(NAME, json.dumps(value, indent=2).encode())


def written_value(conversation: Conversation, messages: Sequence[Message]) -> Session:
    found: Session = json.loads(written(NAME, conversation.with_messages(messages)))
    return found


def texts(conversation: Conversation) -> list[str]:
    return [m.text for m in conversation.messages]


def note() -> Message:
    return Message("note", Role.ASSISTANT, (Text("[steps are folded]", Voice.HARNESS),))


def compaction(session: Session) -> tuple[Session, Session]:
    """The request for a compaction and its summary."""
    asked = [i for i, m in enumerate(session["messages"]) if m["parts"][0]["type"] == "compaction"]
    request, summary = session["messages"][asked[-1] : asked[-1] + 2]
    return request, summary


def test_what_a_compaction_kept_stands_behind_its_summary() -> None:
    conversation = first(COMPACTED)
    assert [m.is_summary for m in conversation.messages].index(True) == 0
    assert conversation.messages[1].words == "换一个密封圈，写进日志。"
    assert conversation.origin.aside


@pytest.mark.parametrize("broken", [{"error": {"name": "APIError"}}, {"finish": None}])
def test_a_compaction_that_was_never_finished_folds_nothing(broken: dict[str, Any]) -> None:
    session = value(COMPACTED)
    _, summary = compaction(session)
    summary["info"] |= broken
    summary["info"] = {k: v for k, v in summary["info"].items() if v is not None}
    summary["info"]["time"].pop("completed", None)
    assert texts(read(session))[0].startswith("Find the leak")


def test_a_fold_is_a_finished_compaction_before_the_first_message_that_stays() -> None:
    conversation = first(NAME)
    fold = folded(conversation)
    session = written_value(conversation, fold.messages)
    asked, summary = compaction(session)
    assert summary["info"]["parentID"] == asked["info"]["id"]
    assert summary["info"]["summary"] is True
    assert summary["info"]["finish"] == "stop"
    assert summary["parts"][0]["text"] == fold.messages[0].text
    ids = [m["info"]["id"] for m in session["messages"]]
    assert ids == sorted(ids)
    before = value(NAME)["messages"]
    assert [m for m in session["messages"] if m not in (asked, summary)] == before
    for message in (asked, summary):
        assert all(p["messageID"] == message["info"]["id"] for p in message["parts"])


def test_a_second_fold_takes_the_place_of_the_first() -> None:
    once = again(NAME, written(NAME, folded(first(NAME))))
    new = Message("new", Role.SYSTEM, (Text("Second.", Voice.HARNESS),), is_summary=True)
    twice = again(NAME, written(NAME, once.with_messages([new, note(), *once.messages[2:]])))
    assert texts(twice) == ["Second.", "[steps are folded]", *texts(once)[2:]]


def test_a_kept_tail_goes_on_with_the_next_message_where_its_first_one_goes() -> None:
    conversation = first(COMPACTED)
    wanted = [conversation.messages[0], *conversation.messages[2:]]
    assert texts(again(NAME, written(NAME, conversation.with_messages(wanted)))) == [
        m.text for m in wanted
    ]


def test_answers_to_a_prompt_that_went_answer_the_one_before() -> None:
    session = value(NAME)
    first_id, gone = (session["messages"][i]["info"]["id"] for i in (0, 3))
    session["messages"][4]["info"]["parentID"] = gone
    conversation = read(session)
    kept = [m for m in conversation.messages if m.id != gone]
    assert len(kept) == len(conversation.messages) - 1
    moved = written_value(conversation, kept)
    assert moved["messages"][3]["info"]["parentID"] == first_id


def test_copies_of_arguments_leak_from_neither_the_screen_nor_the_changes_of_files() -> None:
    session = value(NAME)
    session["messages"][0]["info"]["summary"] = {"diffs": [{"file": "a", "after": "SECRET"}]}
    tool = next(p for p in session["messages"][1]["parts"] if p["type"] == "tool")
    tool["state"] |= {"input": {"text": "SECRET"}, "metadata": {"diff": "SECRET"}}
    conversation = read(session)
    place = next(i for i, m in enumerate(conversation.messages) if m.calls)
    blocks = tuple(
        replace(b, arguments=b.arguments.replace("SECRET", "x")) if isinstance(b, ToolCall) else b
        for b in conversation.messages[place].blocks
    )
    messages = list(conversation.messages)
    messages[place] = replace(messages[place], blocks=blocks)
    assert b"SECRET" not in written(NAME, conversation.with_messages(messages))


def test_a_pruned_output_is_a_stub_and_one_that_is_written_anew_is_none() -> None:
    session = value(NAME)
    tool = next(p for p in session["messages"][1]["parts"] if p["type"] == "tool")
    tool["state"]["time"]["compacted"] = 3
    conversation = read(session)
    assert next(results(conversation)).text == "[Old tool result content cleared]"
    assert "row 1" in tool["state"]["output"]
    edited = again(NAME, written(NAME, cut(conversation, longer=10)))
    assert next(results(edited)).text == "cut"


def test_pictures_have_a_size_and_files_whose_text_stands_beside_them_are_not_read_twice() -> None:
    session = value(NAME)
    file = {"type": "file", "mime": "image/png", "filename": "a.png", "url": PICTURE}
    session["messages"][0]["parts"] += [file, file | {"mime": "text/plain"}]
    tool = next(p for p in session["messages"][1]["parts"] if p["type"] == "tool")
    tool["state"]["attachments"] = [file]
    conversation = read(session)
    shown = [b for b in conversation.messages[0].blocks if isinstance(b, Opaque)]
    assert [b.pixels for b in shown if b.kind == "image"] == [(10, 20)]
    parts = next(results(conversation)).parts
    assert [p.pixels for p in parts if isinstance(p, Opaque)] == [(10, 20)]


def test_an_answer_that_failed_is_left_out_unless_the_user_stopped_it() -> None:
    session = value(NAME)
    session["messages"][2]["info"]["error"] = {"name": "APIError"}
    failed = texts(read(session))
    session["messages"][2]["info"]["error"] = {"name": "MessageAbortedError"}
    assert len(texts(read(session))) == len(failed) + 1


def test_many_answers_in_one_message_are_many_messages() -> None:
    session = value(NAME)
    one, two = session["messages"][1], session["messages"][2]
    one["parts"] += [{"type": "step-start"}, *two["parts"]]
    del session["messages"][2]
    roles = [m.role for m in read(session).messages]
    assert roles[1:4] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]


def test_usage_counts_reasoning_once_whether_a_total_is_told_or_not() -> None:
    session = value(NAME)
    cache = {"read": 5, "write": 0}
    told = {"input": 10, "output": 4, "reasoning": 3, "cache": cache}
    last = session["messages"][-1]["info"]
    last["tokens"] = told | {"total": 22}
    assert read(session).messages[-1].usage == Usage(15, 7, 5, 0, 3)
    last["tokens"] = told | {"total": 19}
    assert read(session).messages[-1].usage == Usage(15, 4, 5, 0, 3)


@pytest.mark.shared
def test_real_sessions_fold_and_their_ids_still_sort_in_time() -> None:
    for path in sorted(shared("data", "opencode").rglob("*.json")):
        (conversation,) = codec_of(NAME).decode(open_records(path), path.name)
        middle = len(conversation.messages) // 2
        while conversation.messages[middle].role is Role.TOOL:
            middle += 1
        summary = Message("sum", Role.SYSTEM, (Text("Was.", Voice.HARNESS),), is_summary=True)
        kept = conversation.messages[middle:]
        data = written(NAME, conversation.with_messages([summary, note(), *kept]))
        assert texts(again(NAME, data)) == ["Was.", note().text, *(m.text for m in kept)], path
        ids = [m["info"]["id"] for m in json.loads(data)["messages"]]
        assert ids == sorted(ids), path
