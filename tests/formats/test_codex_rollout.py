"""What is read from Codex's sessions, and what is written so that Codex can go on with them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from baodai.errors import NoConversationError
from baodai.formats.recognise import recognise
from baodai.heading import Heading, headed
from baodai.jsonl import open_records, read_records
from baodai.model import Opaque, Role, Text, Thinking, ToolResult, Usage
from baodai.structure import pair
from formats.item_sessions import (
    as_lines,
    edited,
    fixture,
    lines,
    one,
    said,
    saying,
    squeezed,
    summary,
    thoughts,
    without,
    written,
)
from shared import shared

SESSION = "codex-rollout/session.jsonl"
COMPACTED = "codex-rollout/compacted.jsonl"
LEGACY = "codex-rollout/legacy.jsonl"
ALL = (SESSION, COMPACTED, LEGACY)


def event(kind: str, **more: object) -> dict[str, Any]:
    return {"timestamp": "t", "type": "event_msg", "payload": {"type": kind, **more}}


def item(**payload: object) -> dict[str, Any]:
    return {"timestamp": "t", "type": "response_item", "payload": payload}


def spoken(role: str, text: str, **more: object) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(type="message", role=role, content=[{"type": kind, "text": text}], **more)


def counted(total: int, last: int) -> dict[str, Any]:
    def usage(tokens: int) -> dict[str, int]:
        return {"input_tokens": tokens, "output_tokens": 1, "total_tokens": tokens + 1}

    info = {"total_token_usage": usage(total), "last_token_usage": usage(last)}
    return event("token_count", info=info)


def texts(data: bytes) -> list[str]:
    return [m.text for m in one(SESSION, data).messages]


# Reading.


def test_instructions_context_and_rules_are_system_text_and_prompts_are_turns() -> None:
    conversation = one(SESSION)
    system = [m.text.partition("\n")[0] for m in conversation.messages if m.role is Role.SYSTEM]
    assert system == [
        "You are a coding agent in a terminal. Work until the task is done.",
        "<permissions instructions>",
        "# AGENTS.md instructions for /srv/ledger",
    ]
    assert [m.text[:5] for m in conversation.messages if m.starts_turn] == ["金额四舍五", "Which"]
    assert conversation.project == "/srv/ledger"
    assert conversation.model == "gpt-5.3-codex"
    assert conversation.id == "019e1a2b-0001-7000-8000-00000000c0de"


def test_a_turn_that_was_rolled_back_is_not_in_the_context_but_was_paid() -> None:
    conversation = one(SESSION)
    assert not any("Rename" in m.text or "interrupted" in m.text for m in conversation.messages)
    assert [m.usage.input for m in conversation.origin.aside if m.usage] == [12_000]


def test_each_call_has_its_usage_once_however_often_it_is_counted() -> None:
    conversation = one(SESSION)
    used = [m.usage for m in conversation.messages if m.usage is not None]
    assert used[0] == Usage(9_000, 400, cache_read=4_000, reasoning=120)
    assert [u.input for u in used] == [9_000, 10_500, 11_500, 12_500]
    assert {m.model for m in conversation.messages if m.usage} == {"gpt-5.3-codex"}


def test_a_counter_sent_again_is_no_request_even_where_its_last_call_differs() -> None:
    path = shared("cases", "35-codex-token-reemit", "input.jsonl")
    conversation = one(SESSION, path.read_bytes())
    used = [m.usage for m in conversation.origin.aside if m.usage is not None]
    assert len(used) == 2
    assert (sum(u.input for u in used), sum(u.output for u in used)) == (1_000, 300)
    assert (sum(u.cache_read for u in used), sum(u.reasoning for u in used)) == (700, 90)


def test_what_one_call_made_is_one_group_and_another_call_begins_another() -> None:
    data = as_lines(
        [
            spoken("user", "Go."),
            spoken("assistant", "One."),
            counted(10, 10),
            spoken("assistant", "Two."),
            item(type="function_call", name="f", arguments="{}", call_id="c"),
            item(type="function_call_output", call_id="c", output="ok"),
        ]
    )
    groups = [m.group for m in one(SESSION, data).messages if m.role is Role.ASSISTANT]
    assert groups[0] != groups[1] == groups[2]


def test_calls_of_all_kinds_are_paired_with_their_outputs() -> None:
    for name in ALL:
        conversation = one(name)
        pairing = pair(conversation.messages)
        assert not pairing.orphans
        assert not pairing.unanswered
    names = [c.name for m in one(SESSION).messages for c in m.calls]
    assert names == ["exec_command", "exec_command", "apply_patch", "tool_search", "read_issue"]


def test_an_output_failed_where_the_event_beside_it_says_so() -> None:
    failed = {r.call_id for m in one(SESSION).messages for r in m.results if r.is_error}
    assert failed == {"call_a2"}
    assert [r.is_error for m in one(COMPACTED).messages for r in m.results] == [True, False]


def test_a_compaction_puts_its_history_in_the_place_of_all_before() -> None:
    conversation = one(COMPACTED)
    kinds = [m.role.value for m in conversation.messages[:7]]
    assert kinds == ["system", "user", "user", "system", "system", "user", "system"]
    assert {m.line for m in conversation.messages[1:7]} == {14}
    state = conversation.messages[6].blocks[0]
    assert isinstance(state, Opaque)
    assert state.kind == "compaction"
    assert not any("utf-8-sig" in m.text for m in conversation.messages)
    assert [m.usage.input for m in conversation.origin.aside if m.usage] == [8_000, 9_000]


def test_a_compaction_without_a_history_keeps_the_prompts_and_its_summary() -> None:
    data = as_lines(
        [
            spoken("developer", "Rules."),
            spoken("user", "First."),
            spoken("assistant", "Done."),
            {"timestamp": "t", "type": "compacted", "payload": {"message": "It was done."}},
            spoken("user", "Second."),
        ]
    )
    conversation = one(SESSION, data)
    assert [m.text for m in conversation.messages] == [
        "Rules.",
        "First.",
        "It was done.",
        "Second.",
    ]
    assert [m.is_summary for m in conversation.messages] == [False, False, True, False]
    assert written(SESSION, conversation) == data


def test_a_rollback_past_a_compaction_brings_back_what_was_before_both() -> None:
    history = {"message": "", "replacement_history": [spoken("user", "First.")["payload"]]}
    data = as_lines(
        [
            spoken("user", "First."),
            spoken("assistant", "Done."),
            spoken("user", "Second."),
            {"timestamp": "t", "type": "compacted", "payload": history},
            spoken("assistant", "Lost."),
            event("thread_rolled_back", num_turns=1),
            spoken("user", "Third."),
        ]
    )
    assert texts(data) == ["First.", "Done.", "Third."]


def test_reasoning_that_nothing_follows_is_no_message() -> None:
    path = shared("cases", "11-codex-reasoning-follower", "input.jsonl")
    conversation = one(SESSION, path.read_bytes())
    assert len(list(thoughts(conversation))) == 2
    assert ("reasoning that nothing follows", "line 8") in conversation.origin.hints
    assert len(list(thoughts(one(COMPACTED)))) == 1


def test_only_the_newest_of_what_is_injected_again_is_system_text() -> None:
    old, new = (f"<environment_context>\n<cwd>/{n}</cwd>\n</environment_context>" for n in "ab")
    data = as_lines([spoken("user", old), spoken("user", "Go."), spoken("user", new)])
    roles = [(m.role, m.starts_turn) for m in one(SESSION, data).messages]
    assert roles == [(Role.USER, False), (Role.USER, True), (Role.SYSTEM, False)]


def test_of_what_an_editor_sends_only_the_request_is_the_users() -> None:
    text = "# Context from my IDE setup:\n\n- a.py\n\n## My request for Codex:\n改掉它\n"
    (message,) = one(SESSION, as_lines([spoken("user", text)])).messages
    assert message.words == "改掉它"


def test_unknown_lines_and_items_are_counted() -> None:
    assert dict(one(SESSION).origin.unknown) == {"mood": 1}
    strange = as_lines([spoken("user", "Hi."), item(type="dream_call", id="d1", depth=2)])
    assert dict(one(SESSION, strange).origin.unknown) == {"response_item/dream_call": 1}


def test_bare_items_of_the_first_versions_are_read() -> None:
    conversation = one(LEGACY)
    assert conversation.messages[0].text == "Answer in the language of the question."
    (result,) = (r for m in conversation.messages for r in m.results)
    assert (result.call_id, result.name) == ("call_c1", "local_shell")
    assert not conversation.origin.unknown


def test_the_log_of_the_screen_is_refused() -> None:
    log = as_lines([{"ts": "t", "dir": "to_tui", "kind": "key_event", "event": "x"}] * 3)
    with pytest.raises(NoConversationError):
        recognise(list(read_records([log])), "codex-tui.log")


# Writing.


def test_a_fold_is_appended_with_the_whole_new_history() -> None:
    conversation = one(SESSION)
    made = squeezed(SESSION, conversation, 900)
    assert made.data is not None
    assert made.data.startswith(fixture(SESSION))
    compacted, turn, told = lines(made.data)[-3:]
    assert compacted["type"] == "compacted"
    assert compacted["timestamp"] == lines(fixture(SESSION))[-1]["timestamp"]
    history = compacted["payload"]["replacement_history"]
    assert [h.get("role", h["type"]) for h in history][:3] == ["developer", "user", "user"]
    assert history[2]["content"][0]["text"].startswith("<!-- baodai:summary ")
    assert not any("You are a coding agent" in json.dumps(h) for h in history)
    assert turn["type"] == "turn_context"
    assert told["payload"] == {"type": "context_compacted"}


@pytest.mark.parametrize("name", [SESSION, COMPACTED])
def test_a_fold_reads_back_as_it_was_planned_and_compacting_again_changes_nothing(
    name: str,
) -> None:
    folds = 0
    for window in range(200, 3_000, 200):
        made = squeezed(name, one(name), window)
        again = one(name, made.data)
        assert said(again) == said(made.after)
        folds += any(m.is_summary for m in again.messages)
        assert squeezed(name, again, window).data == made.data
    assert folds


def test_a_new_window_is_counted_on_from_the_one_before() -> None:
    made = squeezed(COMPACTED, one(COMPACTED), 400)
    payload = next(v for v in reversed(lines(made.data or b"")) if v["type"] == "compacted")[
        "payload"
    ]
    assert payload["window_number"] == 2
    assert payload["first_window_id"] == "019e1a2b-f001"
    assert payload["previous_window_id"] == "019e1a2b-f002"
    assert payload["window_id"] not in {"019e1a2b-f001", "019e1a2b-f002"}


def test_what_is_edited_after_a_fold_changes_in_the_line_of_the_fold() -> None:
    text = headed(Heading(1, 1, "en", "bd:00000001"), "Done.")
    conversation = one(SESSION)
    folded = conversation.with_messages(
        [*conversation.messages[:3], summary(text), *conversation.messages[4:]]
    )
    data = written(SESSION, folded)
    again = one(SESSION, data)
    assert again.messages[3].is_summary
    out = written(SESSION, edited(again, saying(again, "src/post_07"), "短"))
    changed = [i for i, (a, b) in enumerate(zip(lines(data), lines(out), strict=True)) if a != b]
    assert [lines(data)[i]["type"] for i in changed] == ["compacted"]


def test_a_shortened_result_does_not_live_on_in_the_events() -> None:
    conversation = one(SESSION)
    data = written(SESSION, edited(conversation, saying(conversation, "test_half_even - "), "短"))
    assert "test_case_7" not in data.decode()
    data = written(SESSION, edited(conversation, saying(conversation, "cents are off"), "短"))
    assert "cents are off" not in data.decode()


def test_a_shortened_text_does_not_live_on_in_the_events() -> None:
    conversation = one(SESSION)
    data = written(SESSION, edited(conversation, saying(conversation, "测试还有一处要看"), "短"))
    assert "测试还有一处要看" not in data.decode()
    kinds = [v["payload"].get("last_agent_message", "") for v in lines(data)]
    assert "短" in kinds


def test_shortened_arguments_do_not_live_on_in_the_events() -> None:
    conversation = one(SESSION)
    message = saying(conversation, "Begin Patch")
    (call,) = message.calls
    new = replace(message, blocks=(replace(call, arguments="短"),))
    messages = [new if m is message else m for m in conversation.messages]
    data = written(SESSION, conversation.with_messages(messages)).decode()
    assert "quantize(CENT" not in data
    assert "unified_diff" not in data


def test_items_lose_their_ids_with_the_reasoning_they_came_from_and_no_others_do() -> None:
    conversation = one(SESSION)
    first = next(thoughts(conversation))
    data = written(SESSION, without(conversation, first))
    ids = [v["payload"].get("id") for v in lines(data) if v["type"] == "response_item"]
    assert {"msg_01", "fc_01", "fc_02", "rs_01"} & set(ids) == set()
    assert {"ctc_01", "msg_02", "rs_02", "msg_04"} <= set(ids)
    assert "Finding the calls" not in data.decode()


def test_reasoning_never_stays_without_its_item_at_any_window() -> None:
    path = shared("cases", "11-codex-reasoning-follower", "input.jsonl")
    conversation = one(SESSION, path.read_bytes())
    sealed = {
        b.signature for m in thoughts(conversation) for b in m.blocks if isinstance(b, Thinking)
    }
    for window in range(100, 4_000, 100):
        made = squeezed(SESSION, conversation, window)
        after = one(SESSION, made.data)
        assert not any(key.startswith("reasoning") and "9" in key for key, _ in after.origin.hints)
        for place, message in enumerate(after.messages):
            for block in message.blocks:
                if isinstance(block, Thinking):
                    assert block.signature in sealed
                    assert after.messages[place + 1].role is Role.ASSISTANT


def test_a_history_keeps_the_members_of_its_items_and_shortened_outputs_only_shortened() -> None:
    made = squeezed(COMPACTED, one(COMPACTED), 400)
    payload = next(v for v in reversed(lines(made.data or b"")) if v["type"] == "compacted")[
        "payload"
    ]
    state = next(h for h in payload["replacement_history"] if h["type"] == "compaction")
    before = next(v for v in lines(fixture(COMPACTED)) if v["type"] == "compacted")["payload"]
    assert state == before["replacement_history"][-1]


def test_an_image_among_the_parts_of_an_output_stays_where_its_text_is_shortened() -> None:
    conversation = one(SESSION)
    data = written(SESSION, edited(conversation, saying(conversation, "cents are off"), "短"))
    output = next(
        v["payload"]["output"] for v in lines(data) if isinstance(v["payload"].get("output"), list)
    )
    assert [part["type"] for part in output] == ["input_text", "input_image"]
    assert output[0]["text"] == "短"


def test_a_fold_of_bare_items_is_a_line_with_the_whole_history_too() -> None:
    conversation = one(LEGACY)
    text = headed(Heading(1, 1, "en", "bd:00000001"), "Done.")
    kept = [m for m in conversation.messages if m.role is Role.SYSTEM]
    folded = conversation.with_messages([*kept, summary(text), *conversation.messages[-2:]])
    data = written(LEGACY, folded)
    assert data.startswith(fixture(LEGACY))
    assert said(one(LEGACY, data)) == said(folded)


@pytest.mark.parametrize("window", [900, 1_800])
def test_the_measure_of_a_compaction_is_kept_with_it(window: int) -> None:
    made = squeezed(SESSION, one(SESSION), window)
    assert made.after.measure is not None
    assert one(SESSION, made.data).measure == made.after.measure


@pytest.mark.shared
def test_real_sessions_come_out_as_they_went_in_and_folds_read_back() -> None:
    files = sorted(shared("data", "codex_rollout").glob("*/*.jsonl"))
    assert files
    for path in files:
        data = path.read_bytes()
        conversation = one(SESSION, data)
        assert recognise(list(open_records(path))[:40], path.name).name == "codex-rollout"
        assert written(SESSION, conversation) == data
        assert not conversation.origin.unknown
        made = squeezed(SESSION, conversation, 32_000)
        assert said(one(SESSION, made.data)) == said(made.after)


@pytest.mark.shared
def test_every_counted_request_of_a_real_session_is_told_once() -> None:
    path = next(shared("data", "codex_rollout", "EntityProcess__agentv").glob("0b*"))
    conversation = one(SESSION, path.read_bytes())
    counts = [
        v["payload"]["info"]["total_token_usage"]
        for v in lines(path.read_bytes())
        if v["payload"].get("type") == "token_count" and v["payload"].get("info")
    ]
    told = [m.usage for m in (*conversation.messages, *conversation.origin.aside) if m.usage]
    assert sum(u.output for u in told) == counts[-1]["output_tokens"]
    assert sum(u.input for u in told) == counts[-1]["input_tokens"]


def test_results_are_read_from_all_shapes_of_output() -> None:
    shapes = [r for m in one(COMPACTED).messages for r in m.results]
    assert all(isinstance(r, ToolResult) and isinstance(r.parts[0], Text) for r in shapes)
    assert shapes[0].text.startswith("E   ModuleNotFoundError")
