"""Copilot CLI events: what of them the model reads, and where else they say it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from baodai.jsonl import open_records
from baodai.model import Conversation, Message, Role, Text, ToolCall, Voice
from baodai.structure import pair
from formats.agents import ROOT, again, codec_of, first, folded, words, written
from shared import shared

NAME = "copilot-cli/events.jsonl"
Event = dict[str, Any]


def events() -> list[Event]:
    return [json.loads(line) for line in (ROOT / NAME).read_text("utf-8").splitlines()]


def packed(found: list[Event]) -> bytes:
    return "".join(json.dumps(e, ensure_ascii=False) + "\n" for e in found).encode()


def systems(conversation: Conversation) -> list[str]:
    return [m.text for m in conversation.messages if m.role is Role.SYSTEM]


def with_second_prompt(text: str) -> bytes:
    """The session where the second prompt comes with the system prompt, as it really does."""
    found = events()
    place = next(i for i, e in enumerate(found) if e["id"] == "e-13")
    data = {"role": "system", "content": text}
    found.insert(place, {**found[2], "data": data, "id": "again", "parentId": "e-12"})
    found[place + 1]["parentId"] = "again"
    return packed(found)


def test_the_system_prompt_counts_once_though_every_prompt_repeats_it() -> None:
    repeated = again(NAME, with_second_prompt("You are a terminal assistant."))
    assert [m.text for m in repeated.messages] == [m.text for m in first(NAME).messages]


def test_a_system_prompt_that_changed_is_the_one_that_is_read() -> None:
    changed = again(NAME, with_second_prompt("You are another one."))
    assert systems(changed) == ["You are another one."]
    assert changed.messages[0].role is Role.SYSTEM


def test_a_fold_is_no_system_prompt_that_a_later_one_replaces() -> None:
    conversation = again(NAME, with_second_prompt("You are another one."))
    read = again(NAME, written(NAME, folded(conversation)))
    assert [m.is_summary for m in read.messages].count(True) == 1
    assert systems(read)[0] == "You are another one."
    assert words(read) == words(conversation)[-1:]


def test_a_notification_is_read_and_nobodys_words() -> None:
    found = events()
    text = "<system_notification>\nShell 30 has completed\n</system_notification>"
    data = {"content": text, "kind": {"type": "shell_completed"}}
    event = {**found[-3], "type": "system.notification", "data": data, "id": "n"}
    conversation = again(NAME, packed([*found, event]))
    assert conversation.messages[-1].text == text
    assert not conversation.messages[-1].starts_turn
    assert not conversation.origin.unknown


def test_a_prompt_is_read_as_it_was_sent_and_the_user_said_what_was_typed() -> None:
    prompt = next(m for m in first(NAME).messages if m.role is Role.USER)
    assert prompt.text.startswith("<current_datetime>")
    assert prompt.words == "Why does the mill stop? Never oil the belt."


def test_arguments_that_went_stand_in_no_other_event() -> None:
    found = events()
    long = "sed -n 1,400p very-secret.log"
    for event in found:
        for call in event["data"].get("toolRequests", []):
            if call["toolCallId"] == "tb_1":
                call["arguments"] = {"command": long}
        if event["data"].get("toolCallId") == "tb_1" and "arguments" in event["data"]:
            event["data"]["arguments"] = {"command": long}
    asked: Event = {"toolCallId": "tb_1", "fullCommandText": long}
    given = {"toolArgs": json.dumps({"command": long})}
    hook = {"type": "hook.start", "data": {"hookType": "preToolUse", "input": given}}
    permission = {"permissionRequest": asked, "promptRequest": dict(asked)}
    found += [hook, {"type": "permission.requested", "data": permission}]
    conversation = again(NAME, packed(found))
    messages = list(conversation.messages)
    place = next(i for i, m in enumerate(messages) if m.calls)
    blocks = tuple(
        replace(b, arguments=b.arguments.replace(long, "short")) if isinstance(b, ToolCall) else b
        for b in messages[place].blocks
    )
    messages[place] = replace(messages[place], blocks=blocks)
    assert b"very-secret" not in written(NAME, conversation.with_messages(messages))


def test_a_prompt_that_went_stands_in_no_hook() -> None:
    found = events()
    typed = next(e for e in found if e["type"] == "user.message")["data"]["content"]
    found[1]["data"]["input"]["prompt"] = typed
    data = written(NAME, folded(again(NAME, packed(found))))
    assert b"Why does the mill stop" not in data


def test_a_shortened_result_leaves_the_arguments_of_its_call() -> None:
    conversation = first(NAME)
    messages = [
        replace(m, blocks=tuple(r.with_text("cut") for r in m.results)) if m.results else m
        for m in conversation.messages
    ]
    data = written(NAME, conversation.with_messages(messages))
    started = [json.loads(x) for x in data.splitlines() if b"tool.execution_start" in x]
    assert started[0]["data"]["arguments"] == {"command": "cat mill.log"}


def test_records_that_come_and_go_leave_a_chain() -> None:
    conversation = first(NAME)
    note = Message("note", Role.ASSISTANT, (Text("[steps are folded]", Voice.HARNESS),))
    kept = [m for m in conversation.messages if not (m.calls or m.results)]
    found = [
        json.loads(x)
        for x in written(
            NAME, conversation.with_messages([*kept[:2], note, *kept[2:]])
        ).splitlines()
    ]
    ids = {e["id"] for e in found}
    assert len(ids) == len(found)
    assert all(e["parentId"] in {None, *ids} for e in found)


@pytest.mark.shared
def test_real_sessions_pair_and_have_one_system_prompt() -> None:
    for path in sorted(shared("data", "copilot_cli").rglob("*.jsonl")):
        (conversation,) = codec_of(NAME).decode(open_records(path), path.name)
        assert not pair(conversation.messages).orphans
        assert len(systems(conversation)) <= 1
        assert not conversation.origin.unknown
        read = again(NAME, written(NAME, folded(conversation)))
        assert words(read) == words(conversation)[-1:]
