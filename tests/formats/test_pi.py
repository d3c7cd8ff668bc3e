"""pi sessions: what pi sends of them, and the links of its tree when entries come and go."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from baodai.jsonl import open_records
from baodai.model import Conversation, Message, Opaque, Role, Text, ToolCall, Voice
from baodai.structure import pair
from formats.agents import again, codec_of, cut, first, written
from shared import shared

TREE = "pi/tree.jsonl"
LINEAR = "pi/linear.jsonl"
Entry = dict[str, Any]
NO_USAGE = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "totalTokens"), 0)


def said(role: str, text: str, **more: object) -> Entry:
    message = {"role": role, "content": [{"type": "text", "text": text}], **more}
    if role == "assistant":
        message = {"api": "a", "provider": "p", "model": "m", "usage": NO_USAGE} | message
        message = {"stopReason": "stop"} | message
    return {"type": "message", "timestamp": "2026-04-23T11:00:00.000Z", "message": message}


def chained(*entries: Entry) -> list[Entry]:
    """The entries as a branch of a tree."""
    ids = [f"e{n:07d}" for n in range(len(entries))]
    links = zip(ids, [None, *ids], entries, strict=False)
    return [{**e, "id": ident, "parentId": parent} for ident, parent, e in links]


def session(entries: Sequence[Entry], version: int | None = 3) -> bytes:
    header: Entry = {"type": "session", "id": "s", "timestamp": "t", "cwd": "/srv/kite"}
    header |= {} if version is None else {"version": version}
    return "".join(json.dumps(e) + "\n" for e in (header, *entries)).encode()


TALK = (
    said("user", "one"),
    said("assistant", "first"),
    said("user", "two"),
    said("assistant", "second"),
)
LATER = said("user", "three")


def compaction(**kept: object) -> Entry:
    return {"type": "compaction", "timestamp": "t", "summary": "Was.", "tokensBefore": 9, **kept}


FORMS = {
    "tree": session(chained(*TALK, compaction(firstKeptEntryId="e0000002"), LATER)),
    "linear": session([*TALK, compaction(firstKeptEntryIndex=3), LATER], None),
}
each = pytest.mark.parametrize("form", FORMS)


def texts(conversation: Conversation) -> list[str]:
    return [m.text for m in conversation.messages]


def summary(text: str = "What was done.") -> Message:
    return Message("sum", Role.SYSTEM, (Text(text, Voice.HARNESS),), is_summary=True)


def note() -> Message:
    return Message("note", Role.ASSISTANT, (Text("[steps are folded]", Voice.HARNESS),))


def kept(conversation: Conversation, messages: Sequence[Message]) -> bytes:
    """The messages written; read again they say the same."""
    data = written(TREE, conversation.with_messages(messages))
    assert texts(again(TREE, data)) == [m.text for m in messages]
    return data


def entries(data: bytes) -> list[Entry]:
    return [json.loads(line) for line in data.decode().splitlines()]


@each
def test_the_context_is_the_summary_and_what_it_kept(form: str) -> None:
    found = again(TREE, FORMS[form])
    assert texts(found) == ["Was.", "two", "second", "three"]
    assert found.messages[0].is_summary


@each
def test_a_compaction_names_the_next_entry_where_the_first_it_kept_goes(form: str) -> None:
    conversation = again(TREE, FORMS[form])
    kept(conversation, [m for m in conversation.messages if m.text != "two"])


@each
def test_a_note_before_the_first_kept_entry_is_kept_too(form: str) -> None:
    conversation = again(TREE, FORMS[form])
    first_one, *rest = conversation.messages
    kept(conversation, [first_one, note(), *rest])
    kept(conversation, [summary(), note(), *rest[2:]])


@each
def test_a_fold_is_appended_and_may_keep_nothing(form: str) -> None:
    conversation = again(TREE, FORMS[form])
    data = kept(conversation, [summary()])
    assert data.startswith(FORMS[form])
    assert kept(conversation, [summary(), *conversation.messages[2:]]).startswith(FORMS[form])


def test_a_fold_hangs_on_the_newest_entry_that_stays() -> None:
    conversation = again(TREE, FORMS["tree"])
    data = kept(conversation, [summary(), *conversation.messages[1:-1]])
    found = entries(data)
    ids = {e["id"] for e in found}
    assert all(e.get("parentId") in {None, *ids} for e in found)


def test_a_line_that_pi_cannot_read_does_not_count_among_its_entries() -> None:
    torn = FORMS["linear"].replace(b"\n", b'\n{"type": "mess\n', 1)
    assert texts(again(LINEAR, torn)) == ["Was.", "two", "second", "three"]
    conversation = again(LINEAR, torn)
    data = written(LINEAR, conversation.with_messages([summary(), *conversation.messages[2:]]))
    assert texts(again(LINEAR, data)) == ["What was done.", "second", "three"]


@pytest.mark.parametrize("reason", ["aborted", "error"])
def test_an_answer_that_broke_off_is_not_sent_but_paid(reason: str) -> None:
    usage = NO_USAGE | {"input": 7, "output": 1}
    broken = said("assistant", "half", stopReason=reason, usage=usage)
    found = again(TREE, session(chained(*TALK, broken, LATER)))
    assert "half" not in texts(found)
    assert [m.usage.input for m in found.origin.aside if m.usage] == [7]


def test_an_answer_that_broke_off_after_its_call_was_made_is_sent() -> None:
    broken = said("assistant", "half", stopReason="aborted")
    call = {"type": "toolCall", "id": "c1", "name": "ls", "arguments": {}}
    broken["message"]["content"].append(call)
    result = said("toolResult", "a.txt", toolCallId="c1", toolName="ls", isError=False)
    found = again(TREE, session(chained(*TALK, broken, result)))
    assert not pair(found.messages).orphans
    assert any(isinstance(b, ToolCall) for m in found.messages for b in m.blocks)


def test_a_command_of_the_users_is_read_with_its_output_unless_it_was_kept_from_the_model() -> None:
    ran = {"role": "bashExecution", "command": "ls kites", "output": "red\nblue", "exitCode": 0}
    hidden = ran | {"command": "pwd", "output": "/srv", "excludeFromContext": True}
    bash = [{"type": "message", "timestamp": "t", "message": m} for m in (ran, hidden)]
    last = again(TREE, session(chained(*TALK, *bash))).messages[-1]
    assert last.text == "red\nblue"
    assert [b.visible for b in last.blocks if isinstance(b, Opaque)] == ["Ran `ls kites`"]
    assert not last.starts_turn


def test_a_note_is_an_answer_whose_cost_pi_can_add_up() -> None:
    conversation = again(TREE, FORMS["tree"])
    first_one, *rest = conversation.messages
    data = kept(conversation, [first_one, note(), *rest])
    made = next(e for e in entries(data) if "steps are folded" in json.dumps(e))
    assert made["message"]["usage"]["cost"]["total"] == 0


def test_the_details_of_a_shortened_result_go() -> None:
    data = written(TREE, cut(first(TREE)))
    assert b"row 17: kiln" not in data


@pytest.mark.shared
def test_real_sessions_fold_anywhere_and_all_their_links_hold() -> None:
    for path in sorted(shared("data", "pi").rglob("*.jsonl")):
        (conversation,) = codec_of(TREE).decode(open_records(path), path.name)
        messages = conversation.messages
        middle = len(messages) // 2
        while messages[middle].role is Role.TOOL:
            middle += 1
        data = kept(conversation, [summary(), note(), *messages[middle:]])
        assert data.startswith(path.read_bytes()[:2000])
        found = entries(data)
        ids = {e.get("id") for e in found}
        assert all(e.get("parentId") in {None, *ids} for e in found), path
