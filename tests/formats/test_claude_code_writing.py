"""How edits of a Claude Code session are written."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import blake2b

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baodai.formats.claude_code import FORMAT
from baodai.jsonl import open_records
from baodai.model import Conversation, Message, Role, Text, Thinking, Voice
from formats.claude_sessions import (
    NAMES,
    again,
    decoded,
    encoded,
    fixture,
    folded,
    note,
    said,
    session,
    shortened,
    summary,
    values,
)
from shared import shared


def changed_lines(before: bytes, after: bytes) -> list[int]:
    pairs = zip(before.split(b"\n"), after.split(b"\n"), strict=True)
    return [i for i, (a, b) in enumerate(pairs, start=1) if a != b]


def rewritten(conversation: Conversation, *places: int, text: str = "cut") -> Conversation:
    messages = list(conversation.messages)
    for place in places:
        messages[place] = shortened(messages[place], text)
    return conversation.with_messages(messages)


def without(conversation: Conversation, *gone: Message) -> Conversation:
    ids = {m.id for m in gone}
    return conversation.with_messages([m for m in conversation.messages if m.id not in ids])


@pytest.mark.parametrize("name", NAMES)
def test_what_nobody_edited_keeps_its_bytes(name: str) -> None:
    conversation = session(name)
    assert encoded(conversation) == fixture(name)
    copied = conversation.with_messages([replace(m) for m in conversation.messages])
    assert encoded(copied) == fixture(name)


def test_a_shortened_result_changes_its_line_its_copy_and_its_progress_only() -> None:
    conversation = session("split-answers")
    place = next(i for i, m in enumerate(conversation.messages) if "1 failed" in str(m.blocks))
    data = encoded(rewritten(conversation, place, text="短"))
    line = conversation.messages[place].line
    lines = values(data)
    assert changed_lines(fixture("split-answers"), data) == [line - 2, line - 1, line]
    assert lines[line - 1]["toolUseResult"] == "短"
    assert lines[line - 2]["data"] == {"type": "bash_progress"}
    assert b"2.67" not in data


def test_shortened_arguments_do_not_live_on_in_the_copy_of_the_result() -> None:
    conversation = session("split-answers")
    place = next(
        i for i, m in enumerate(conversation.messages) for c in m.calls if c.name == "Write"
    )
    data = encoded(rewritten(conversation, place))
    assert b"rounded half up" not in data
    result = values(data)[conversation.messages[place + 1].line - 1]
    assert result["toolUseResult"].startswith("File created successfully")


def test_a_shortened_prompt_is_shortened_in_its_queue_record_too() -> None:
    lines = fixture("user-words").decode().splitlines()
    prompt = json.loads(lines[-3])
    prompt |= {"type": "user", "uuid": "late", "parentUuid": None, "isMeta": False}
    prompt["message"] = {"role": "user", "content": "顺便把日志前缀改成 [app]"}
    queue = {"type": "queue-operation", "operation": "dequeue", "sessionId": "s"}
    data = "\n".join([*lines, json.dumps(queue), json.dumps(prompt), ""]).encode()
    conversation = decoded(data)
    assert conversation.messages[-1].words == "顺便把日志前缀改成 [app]"
    out = encoded(rewritten(conversation, len(conversation.messages) - 1))
    assert "日志前缀" not in out.decode()


def test_a_dropped_record_leaves_its_children_to_its_parent() -> None:
    conversation = session("split-answers")
    thinking = conversation.messages[1]
    data = encoded(without(conversation, thinking))
    child = next(v for v in values(data) if v.get("uuid") == conversation.messages[2].id)
    assert child["parentUuid"] == conversation.messages[0].id
    assert len(values(data)) == len(values(fixture("split-answers"))) - 1
    again(without(conversation, thinking))


def test_a_dropped_answer_takes_its_growing_copy_along() -> None:
    conversation = session("rewound")
    data = encoded(without(conversation, conversation.messages[1]))
    assert b"Two choices" not in data
    assert b'"text":"Two"' not in data


def test_dropping_the_prompt_that_was_chosen_does_not_bring_the_other_one_back() -> None:
    conversation = session("rewound")
    again(without(conversation, conversation.messages[2]))


def test_a_fold_is_appended_as_the_program_itself_compacts() -> None:
    conversation = session("split-answers")
    data = encoded(folded(conversation, 4))
    assert data.startswith(fixture("split-answers"))
    *_, last, boundary, carrier = values(data)
    kept = [m.id for m in conversation.messages[4:]]
    assert boundary["subtype"] == "compact_boundary"
    assert boundary["parentUuid"] is None
    assert boundary["logicalParentUuid"] == last["uuid"]
    assert boundary["compactMetadata"] == {
        "trigger": "auto",
        "preTokens": 10213,
        "preservedSegment": {
            "headUuid": kept[0],
            "anchorUuid": carrier["uuid"],
            "tailUuid": kept[-1],
        },
        "preservedMessages": {
            "anchorUuid": carrier["uuid"],
            "uuids": kept,
            "allUuids": kept,
        },
    }
    assert carrier["parentUuid"] == boundary["uuid"]
    assert carrier["isCompactSummary"] is True
    assert carrier["isVisibleInTranscriptOnly"] is True
    for key in ("sessionId", "cwd", "version", "gitBranch", "userType", "slug", "timestamp"):
        assert carrier[key] == boundary[key] == last[key]
    again(folded(conversation, 4))


def test_the_kept_stretch_is_a_chain_from_its_tail_to_its_head_for_versions_that_walk_it() -> None:
    data = encoded(folded(session("split-answers"), 4))
    *_, boundary, _ = values(data)
    segment = boundary["compactMetadata"]["preservedSegment"]
    parents = {v["uuid"]: v["parentUuid"] for v in values(data) if "uuid" in v}
    at = segment["tailUuid"]
    while at not in (segment["headUuid"], None):
        at = parents[at]
    assert at == segment["headUuid"]


def test_a_fold_is_the_same_each_time() -> None:
    conversation = session("compacted")
    assert encoded(folded(conversation, 3)) == encoded(folded(conversation, 3))


@pytest.mark.parametrize("name", [n for n in NAMES if n != "stream-json"])
def test_a_second_and_a_third_fold_append_again(name: str) -> None:
    once = again(folded(session(name), 2, "first"))
    assert encoded(once) == encoded(folded(session(name), 2, "first"))
    twice = again(folded(once, 2, "second"))
    assert [m.text for m in twice.messages if m.is_summary] == ["second"]
    again(folded(twice, 3, "third"))


def test_our_own_summary_says_where_the_turns_go_on() -> None:
    body = "(nothing)\n"
    check = blake2b(body.encode(), digest_size=4).hexdigest()
    head = f"<!-- baodai:summary v1 turns=1-7 lang=zh ref=bd:00000000 sum={check} -->\n"
    read = again(folded(session("compacted"), 7, head + body))
    assert read.first_turn == 8


def test_kept_messages_are_rewritten_in_place_in_a_run_that_folds() -> None:
    conversation = session("split-answers")
    messages = [summary(), *conversation.messages[4:6], shortened(conversation.messages[6], "短")]
    data = encoded(conversation.with_messages(messages))
    line = conversation.messages[6].line
    assert values(data)[line - 1]["toolUseResult"] == "短"
    again(conversation.with_messages(messages))


def test_a_mark_between_kept_prompts_is_a_record_and_named_by_the_boundary() -> None:
    conversation = session("split-answers")
    kept = (conversation.messages[0], conversation.messages[13])
    mark = note("mark")
    data = encoded(conversation.with_messages([summary(), kept[0], mark, kept[1]]))
    *_, boundary, _, record = values(data)
    uuids = boundary["compactMetadata"]["preservedMessages"]["uuids"]
    assert uuids == [kept[0].id, record["uuid"], kept[1].id]
    assert record["type"] == "assistant"
    assert record["parentUuid"] == kept[0].id
    again(conversation.with_messages([summary(), kept[0], mark, kept[1]]))


def test_a_message_that_stands_only_in_the_queue_survives_a_fold_as_a_record() -> None:
    conversation = session("compacted")
    read = again(folded(conversation, 8))
    assert "搜索框放在右上角" in [m.words for m in read.messages]


def test_notes_without_a_summary_stand_in_the_chain() -> None:
    conversation = session("split-answers")
    memory = note("memory", "Remembered: no commits.", Role.USER)
    edited = conversation.with_messages([memory, *conversation.messages, note("end")])
    read = again(edited)
    assert not read.messages[0].starts_turn
    first, *_ = (v for v in values(encoded(edited)) if v["type"] == "user")
    assert first["isMeta"] is True
    prompt = next(
        v for v in values(encoded(edited)) if v.get("uuid") == conversation.messages[0].id
    )
    assert prompt["parentUuid"] == first["uuid"]


def test_a_kept_record_that_goes_is_taken_off_the_boundarys_list() -> None:
    conversation = session("compacted")
    data = encoded(without(conversation, conversation.messages[4]))
    boundary = next(v for v in values(data) if v.get("subtype") == "compact_boundary")
    kept = [m.id for m in conversation.messages[1:4]]
    assert boundary["compactMetadata"]["preservedMessages"]["uuids"] == kept
    assert boundary["compactMetadata"]["preservedSegment"]["tailUuid"] == kept[-1]


def test_the_lines_of_a_stream_come_and_go_in_place() -> None:
    conversation = session("stream-json")
    read = again(folded(conversation, 4))
    assert read.messages[0].is_summary
    assert len(values(encoded(folded(conversation, 4)))) == 11 - 4 + 1
    data = encoded(rewritten(conversation, 3))
    assert values(data)[4]["tool_use_result"] == "cut"


def test_the_result_line_of_a_stream_does_not_repeat_what_was_cut() -> None:
    conversation = session("stream-json")
    data = encoded(rewritten(conversation, len(conversation.messages) - 1, text="Seven."))
    assert values(data)[-1]["result"] == "Seven."


def test_windows_line_ends_and_a_missing_last_one_stay() -> None:
    data = fixture("split-answers").rstrip(b"\n").replace(b"\n", b"\r\n")
    conversation = decoded(data)
    out = encoded(folded(conversation, 4))
    assert out.startswith(data + b"\r\n")
    assert encoded(conversation) == data


@st.composite
def edits(draw: st.DrawFn) -> Conversation:
    """A session with random rewrites, drops, insertions and, half of the time, a fold."""
    conversation = session(draw(st.sampled_from(NAMES)))
    if draw(st.booleans()):
        conversation = again(folded(conversation, draw(st.integers(0, 4)), "earlier"))
    messages: list[Message] = []
    for i, message in enumerate(conversation.messages):
        what = draw(st.sampled_from(["keep", "keep", "cut", "drop", "insert"]))
        if what == "insert":
            role = draw(st.sampled_from([Role.ASSISTANT, Role.USER]))
            messages.append(note(f"new {i}", draw(st.text(min_size=1, max_size=9)), role))
        if what == "cut" and not message.is_summary:
            text = draw(st.sampled_from(["cut", "短", "\u2028\\n"]))
            messages.append(shortened(message, f"{text} {i}"))
        elif what != "drop":
            messages.append(message)
    if draw(st.booleans()):
        messages.insert(0, summary(draw(st.text(min_size=1, max_size=20))))
    return conversation.with_messages(messages)


@settings(max_examples=120, deadline=None)
@given(edits())
def test_any_edit_reads_back_as_it_was_meant(edited: Conversation) -> None:
    again(edited)


@pytest.mark.shared
def test_real_sessions_round_trip_folded_once_and_twice_and_without_thinking() -> None:
    files = sorted(shared("data", "claude_code").glob("*/*.jsonl"))
    assert len(files) == 14
    for file in files:
        (conversation,) = FORMAT.decode(open_records(file), file.name)
        assert encoded(conversation) == file.read_bytes()
        half = len(conversation.messages) // 2
        once = again(folded(conversation, half))
        again(folded(once, len(once.messages) // 2, "second"))
        thinking = [m for m in conversation.messages if all_thinking(m)]
        if thinking:
            again(without(conversation, *thinking))


def all_thinking(message: Message) -> bool:
    return all(isinstance(block, Thinking) for block in message.blocks)


def test_a_session_made_of_nothing_but_new_messages_is_whole() -> None:
    human = Message("h", Role.USER, (Text("你好", Voice.HUMAN),))
    empty = session("split-answers")
    origin = replace(empty.origin, records=(), messages=())
    made = replace(empty, messages=(human, note("n", "Hello.")), origin=origin)
    read = decoded(encoded(made))
    assert said(read.messages) == said(made.messages)
    assert read.messages[0].starts_turn
