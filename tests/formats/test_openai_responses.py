"""What is read from the Responses API's items, wherever they stand, and how edits are written."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from baodai.formats.recognise import recognise
from baodai.heading import Heading, headed
from baodai.jsonl import open_records, read_records
from baodai.model import Conversation, Opaque, Role, Text, ToolResult, Usage
from baodai.structure import pair
from formats.item_sessions import (
    as_lines,
    codec,
    edited,
    fixture,
    lines,
    one,
    read,
    said,
    saying,
    squeezed,
    summary,
    thoughts,
    without,
    written,
)
from shared import shared

ITEMS = "openai-responses/items.jsonl"
EXCHANGES = "openai-responses/exchanges.jsonl"
RESPONSE = "openai-responses/response.json"
HEADED = headed(Heading(1, 1, "en", "bd:00000001"), "What was done.")


def easy(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def request(*items: dict[str, Any], **more: object) -> dict[str, Any]:
    return {"model": "gpt-5.2", "input": list(items), **more}


def response(ident: str, text: str, spent: int, **more: object) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    answer = {"type": "message", "id": f"m{ident}", "role": "assistant", "content": [part]}
    usage = {"input_tokens": spent, "output_tokens": 1}
    return {"object": "response", "id": ident, "output": [answer], "usage": usage, **more}


def folded(conversation: Conversation, kept: int) -> Conversation:
    """The conversation with all but system text and the last messages told in a summary."""
    system = [m for m in conversation.messages[:-kept] if m.role is Role.SYSTEM]
    return conversation.with_messages([*system, summary(HEADED), *conversation.messages[-kept:]])


# Reading.


def test_items_that_are_lines_are_one_conversation_with_its_calls_paired() -> None:
    conversation = one(ITEMS)
    pairing = pair(conversation.messages)
    assert not pairing.orphans
    assert not pairing.unanswered
    names = [c.name for m in conversation.messages for c in m.calls]
    assert names == [
        "query",
        "query",
        "code_interpreter",
        "shell",
        "apply_patch",
        "note",
        "file_search",
    ]
    assert [c.freeform for m in conversation.messages for c in m.calls].count(True) == 2
    assert dict(conversation.origin.unknown) == {"item/mood_ring_call": 1}


def test_an_output_that_came_first_answers_its_own_call() -> None:
    answered = [(r.call_id, r.name, r.is_error) for m in one(ITEMS).messages for r in m.results]
    assert answered[:2] == [("call_2", "query", True), ("call_1", "query", False)]


def test_an_output_failed_where_a_member_says_so() -> None:
    failed = [r.call_id for m in one(ITEMS).messages for r in m.results if r.is_error]
    assert failed == ["call_2", "call_3", "call_4"]


def test_call_and_output_of_a_server_tool_are_two_messages_of_one_item() -> None:
    (conversation,) = read(RESPONSE)
    call, result = (
        m
        for m in conversation.messages
        if "quota exceeded" in repr(m.blocks) or (m.calls and "bread" in m.calls[0].arguments)
    )
    assert (call.role, result.role) == (Role.ASSISTANT, Role.TOOL)
    assert call.path == result.path
    assert result.results[0].is_error
    again = without(conversation, call, result)
    assert [i["id"] for i in json.loads(written(RESPONSE, again))["output"]] == [
        "mcpl_1",
        "rs_31",
        "mcp_1",
        "ig_1",
        "msg_31",
    ]


def test_a_response_tells_its_usage_why_it_ended_and_its_instructions() -> None:
    (conversation,) = read(RESPONSE)
    assert conversation.messages[0].text == "Be brief."
    last = conversation.messages[-1]
    assert last.usage == Usage(900, 80, cache_read=0, reasoning=20)
    assert last.stop_reason == "max_output_tokens"
    assert last.model == "gpt-5.2-2026-01-15"


def test_what_the_model_thought_is_thinking_with_its_seal() -> None:
    first, second = (m.blocks[0] for m in thoughts(one(ITEMS)))
    assert (first.text, second.text) == ("Query the stock.", "")  # type: ignore[union-attr]
    assert second.signature  # type: ignore[union-attr]


def test_the_live_request_of_a_recording_is_the_last_and_its_answer_is_read_from_a_stream() -> None:
    weather, _ = read(EXCHANGES)
    assert [m.role.value for m in weather.messages] == [
        "system",
        "user",
        "assistant",
        "assistant",
        "tool",
        "assistant",
        "assistant",
    ]
    assert [m.text for m in weather.messages[-2:]] == ["22 度，多云。", "要带伞吗？看下午。"]
    assert json.loads(weather.tools)[0]["name"] == "weather"


def test_an_earlier_call_of_a_recording_tells_its_usage_upon_what_it_made() -> None:
    weather, _ = read(EXCHANGES)
    used = [m.usage for m in weather.messages if m.usage is not None]
    assert used == [Usage(420, 60, reasoning=40), Usage(510, 12, cache_read=400)]
    assert weather.messages[3].usage == used[0]
    assert not weather.origin.aside


def test_a_request_that_names_a_response_goes_on_from_what_that_rested_on() -> None:
    _, stateful = read(EXCHANGES)
    texts = [m.text or [b.text for b in m.results] or m.calls[0].name for m in stateful.messages]
    assert texts[:5] == [
        "Be brief.",
        "Name a prime.",
        "Seven.",
        "And the weather in Oslo?",
        "weather",
    ]
    assert texts[-1] == "Rain."
    assert sum(m.usage.input for m in stateful.messages if m.usage) == 400 + 440 + 700


def test_requests_of_a_log_that_repeat_each_other_are_one_conversation() -> None:
    hi, hello, more = easy("user", "Hi."), easy("assistant", "Hello."), easy("user", "More.")
    log = [
        {"request": request(hi), "response": response("r1", "Hello.", 10)},
        {"request": request(hi, hello, more), "response": response("r2", "Sure.", 20)},
        {"request": request(easy("user", "Other.")), "response": response("r3", "Yes.", 30)},
    ]
    first, second = read(ITEMS, as_lines(log))
    assert [m.text for m in first.messages] == ["Hi.", "Hello.", "More.", "Sure."]
    assert [m.usage.input for m in first.messages if m.usage] == [10, 20]
    assert [m.text for m in second.messages] == ["Other.", "Yes."]
    assert b"".join(written(ITEMS, c) for c in (first, second)) == as_lines(log)


def test_an_answer_that_the_live_request_does_not_repeat_was_paid_for_beside_it() -> None:
    exchanges = [
        {"request": request(easy("user", "One.")), "response": response("r1", "1", 10)},
        {"request": request(easy("user", "Two.")), "response": response("r2", "2", 20)},
    ]
    conversation = one(ITEMS, as_lines([{"exchanges": exchanges}]))
    assert [m.text for m in conversation.messages] == ["Two.", "2"]
    assert [m.usage.input for m in conversation.origin.aside if m.usage] == [10]
    assert not any(m.blocks for m in conversation.origin.aside)


def test_an_answer_that_was_fetched_later_answers_the_request_that_asked_for_it() -> None:
    waiting = {**response("r1", "", 0), "status": "queued", "output": [], "usage": None}
    exchanges = [
        {"request": request(easy("user", "One.")), "response": waiting},
        {"request": "", "response": response("r1", "Done.", 10)},
    ]
    conversation = one(ITEMS, as_lines([{"exchanges": exchanges}]))
    assert [m.text for m in conversation.messages] == ["One.", "Done."]


def test_all_before_a_compaction_item_is_folded_but_for_system_text() -> None:
    sealed = {"type": "compaction", "id": "cmp_1", "encrypted_content": "c" * 400}
    rows = [
        {"type": "message", "role": "developer", "content": "Rules."},
        easy("user", "Old."),
        {"type": "reasoning", "id": "rs_0", "summary": []},
        easy("assistant", "Old answer."),
        sealed,
        easy("user", "New."),
    ]
    conversation = one(ITEMS, as_lines(rows))
    assert [m.text for m in conversation.messages] == ["Rules.", "", "New."]
    state = conversation.messages[1].blocks[0]
    assert isinstance(state, Opaque)
    assert len(state.visible) == 100
    data = written(ITEMS, folded(conversation, 1))
    assert said(one(ITEMS, data)) == said(folded(conversation, 1))
    assert json.dumps(sealed) in data.decode()


def test_a_bare_text_as_input_is_a_prompt() -> None:
    value = {"model": "gpt-5.2", "instructions": "Be brief.", "input": "你好"}
    conversation = one(ITEMS, as_lines([value]))
    assert [(m.role, m.text) for m in conversation.messages] == [
        (Role.SYSTEM, "Be brief."),
        (Role.USER, "你好"),
    ]


def test_one_list_of_items_is_a_conversation() -> None:
    rows = lines(fixture(ITEMS))
    data = json.dumps(rows, ensure_ascii=False, indent=1).encode()
    conversation = one(ITEMS, data)
    assert said(conversation) == said(one(ITEMS))
    out = json.loads(written(ITEMS, folded(conversation, 3)))
    assert [item.get("role") for item in out[:2]] == ["developer", "developer"]
    assert out[1]["content"][0]["text"] == HEADED


# Writing.


@pytest.mark.parametrize("name", [ITEMS, EXCHANGES])
def test_a_compaction_reads_back_as_it_was_planned_and_again_changes_nothing(name: str) -> None:
    changed = 0
    for conversation in read(name):
        for window in range(60, 2_000, 100):
            made = squeezed(name, conversation, window)
            again = one(name, made.data)
            assert said(again) == said(made.after)
            if made.account.fits:
                assert squeezed(name, again, window).data == made.data
            changed += made.data != b"".join(conversation.origin.records)
    assert changed


def test_a_summary_stands_before_what_is_left_of_the_request() -> None:
    weather, stateful = read(EXCHANGES)
    for conversation, kept in ((weather, 2), (weather, 1), (stateful, 4), (stateful, 1)):
        after = folded(conversation, kept)
        again = one(EXCHANGES, written(EXCHANGES, after))
        assert said(again) == said(after)
        assert again.first_turn == 2


def test_an_edited_answer_of_a_stream_is_edited_in_all_its_pieces() -> None:
    weather, _ = read(EXCHANGES)
    data = written(EXCHANGES, edited(weather, saying(weather, "要带伞"), "短"))
    stream = json.loads(data)["exchanges"][1]["response"]
    assert "要带伞" not in stream
    assert "看下午" not in stream
    assert stream.count("22 度，多云。") == fixture(EXCHANGES).decode().count("22 度，多云。")
    assert "response.completed" in stream


def test_an_item_of_a_stream_that_is_dropped_goes_with_its_pieces() -> None:
    weather, _ = read(EXCHANGES)
    after = without(weather, saying(weather, "22 度"))
    data = written(EXCHANGES, after)
    assert "22 度，多云" not in json.loads(data)["exchanges"][1]["response"]
    assert said(one(EXCHANGES, data)) == said(after)


def test_items_lose_their_ids_with_the_reasoning_they_came_from_and_no_others_do() -> None:
    conversation = one(ITEMS)
    data = written(ITEMS, without(conversation, next(thoughts(conversation))))
    ids = {item.get("id") for item in lines(data)}
    assert not {"rs_1", "fc_1", "fc_2"} & ids
    assert {"rs_2", "msg_2", "ci_1", "sh_1"} <= ids


def test_outputs_of_every_shape_are_shortened_where_they_stand() -> None:
    conversation = one(ITEMS)
    for message in conversation.messages:
        for result in message.results:
            if not result.text:
                continue
            after = edited(conversation, message, "短")
            data = written(ITEMS, after)
            assert said(one(ITEMS, data)) == said(after)
            kept = [a == b for a, b in zip(lines(fixture(ITEMS)), lines(data), strict=True)]
            assert kept.count(False) == 1


def test_arguments_stay_of_the_kind_they_were() -> None:
    conversation = one(ITEMS)
    for message in conversation.messages:
        for call in message.calls:
            new = "短" if call.freeform else '{"sql":"短"}'
            if call.name in {"file_search", "shell", "apply_patch"}:
                continue
            blocks = (replace(call, arguments=new),)
            after = [
                replace(m, blocks=blocks) if m is message else m for m in conversation.messages
            ]
            data = written(ITEMS, conversation.with_messages(after))
            again = one(ITEMS, data)
            assert (
                next(c for m in again.messages for c in m.calls if c.id == call.id).arguments == new
            )


def test_arguments_that_would_be_no_json_are_not_written() -> None:
    conversation = one(ITEMS)
    message = saying(conversation, "n < 5")
    (call,) = message.calls
    blocks = (replace(call, arguments="{cut"),)
    after = [replace(m, blocks=blocks) if m is message else m for m in conversation.messages]
    assert written(ITEMS, conversation.with_messages(after)) == fixture(ITEMS)


def test_the_text_that_a_client_joined_beside_the_items_follows_them() -> None:
    value = response("r1", "A long answer.", 10, output_text="A long answer.")
    conversation = one(ITEMS, as_lines([value]))
    data = written(ITEMS, edited(conversation, conversation.messages[0], "短"))
    assert json.loads(data)["output_text"] == "短"


def test_a_question_under_the_name_of_an_input_is_no_request() -> None:
    data = as_lines([{"input": "a question", "output": "an answer"}, easy("user", "Hi.")])
    assert codec(ITEMS).sniff(list(read_records([data]))) == 0.0


def test_a_file_of_parts_has_texts_that_are_the_tools() -> None:
    voices = {
        part.voice.value
        for m in one(ITEMS).messages
        for r in m.results
        if isinstance(r, ToolResult)
        for part in r.parts
        if isinstance(part, Text)
    }
    assert voices == {"tool"}


@pytest.mark.shared
def test_real_files_come_out_as_they_went_in_and_compactions_read_back() -> None:
    files = sorted(p for p in shared("data", "openai_responses").glob("*/*") if p.is_file())
    assert files
    for path in files:
        assert recognise(list(open_records(path))[:40], path.name).name == "openai-responses"
        found = read(ITEMS, path.read_bytes())
        assert b"".join(written(ITEMS, c) for c in found) == path.read_bytes()
        for conversation in found:
            made = squeezed(ITEMS, conversation, 6_000)
            assert said(one(ITEMS, made.data)) == said(made.after)


@pytest.mark.shared
def test_real_streams_are_read() -> None:
    path = shared("data", "openai_responses", "vercel__ai")
    (found,) = read(RESPONSE, next(path.glob("*stream-tool.json")).read_bytes())
    assert found.messages[-1].role is Role.ASSISTANT
    assert [m.usage is not None for m in found.messages if m.calls or m is found.messages[-1]] == [
        True,
        True,
    ]
