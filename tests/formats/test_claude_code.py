"""What the model would see of a Claude Code session."""

from __future__ import annotations

import json

import pytest

from baodai.formats.claude_code import FORMAT
from baodai.jsonl import read_records
from baodai.model import Message, Opaque, Role, Text, Thinking, ToolCall, Usage, Voice
from baodai.structure import pair, turns
from formats.claude_sessions import NAMES, decoded, fixture, session, values
from shared import shared


def case(name: str, file: str = "input.jsonl") -> bytes:
    return shared("cases", name, file).read_bytes()


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [m.text for m in messages]


def words(messages: tuple[Message, ...]) -> list[str]:
    return [m.words for m in messages if m.words]


@pytest.mark.parametrize("name", NAMES)
def test_its_own_sessions_are_recognised(name: str) -> None:
    assert FORMAT.sniff(list(read_records([fixture(name)]))[:40]) > 0.9


def test_qwen_and_iflow_records_are_not_taken_for_its_own() -> None:
    qwen = b'{"uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","parts":[]}}\n'
    iflow = (
        b'{"uuid":"a","parentUuid":null,"sessionId":"session-1","type":"user",'
        b'"message":{"role":"user","content":"hi"}}\n'
    )
    assert FORMAT.sniff(list(read_records([qwen]))) == 0
    assert FORMAT.sniff(list(read_records([iflow]))) == 0


def test_records_of_one_answer_share_a_group_even_with_results_between_them() -> None:
    messages = session("split-answers").messages
    groups = [m.group for m in messages if m.role is Role.ASSISTANT]
    assert groups == ["msg_01"] * 4 + ["msg_02"] * 3 + ["msg_03", "msg_04", "msg_05"]
    assert not pair(messages).orphans
    assert not pair(messages).unanswered


def test_usage_of_a_split_answer_stands_once_with_the_numbers_of_its_last_record() -> None:
    messages = session("split-answers").messages
    told = [(m.group, m.usage) for m in messages if m.usage]
    assert [group for group, _ in told] == ["msg_01", "msg_02", "msg_03", "msg_04", "msg_05"]
    assert told[0][1] == Usage(10204, 96, 9000, 1200, cache_write_1h=0)


def test_results_know_their_tool_and_start_no_turn() -> None:
    conversation = session("split-answers")
    names = [r.name for m in conversation.messages for r in m.results]
    assert names == ["Read", "Bash", "Edit", "Bash", "Write"]
    assert [turn.number for turn in turns(conversation)] == [1, 2]


def test_envelope_tells_session_project_and_model() -> None:
    conversation = session("split-answers")
    assert conversation.project == "/home/mira/ledgerly"
    assert conversation.model == "claude-opus-4-5-20251101"
    assert conversation.rules == "anthropic"


def test_context_begins_at_the_last_compaction_and_holds_what_it_kept_behind_the_summary() -> None:
    conversation = session("compacted")
    first, *rest = conversation.messages
    assert first.is_summary
    assert not first.starts_turn
    assert rest[0].text == "价格保留两位小数"
    assert rest[3].text == "已改为两位小数。"
    assert conversation.first_turn == 2
    assert {m.group for m in conversation.origin.aside} == {"msg_11", "msg_12"}


def test_attachments_show_the_fields_the_model_reads_and_no_others() -> None:
    shown = texts(session("compacted").messages)
    assert "src\\Price.vue\n<td>{{ p.toFixed(2) }}</td>" in shown
    assert "WebFetch\nWebSearch" in shown
    assert "Write tests first." in shown


def test_what_was_typed_while_the_agent_was_busy_is_the_users_and_stands_where_it_was_read() -> (
    None
):
    messages = session("compacted").messages
    assert words(messages) == [
        "价格保留两位小数",
        "加一个搜索框",
        "搜索框放在右上角",
        "再加一个清除按钮",
    ]
    at = texts(messages).index("搜索框放在右上角")
    assert messages[at - 1].results
    assert messages[at + 1].text == "放到右上角。"


def test_a_text_still_waiting_in_the_queue_counts_and_a_command_there_does_not() -> None:
    assert words(session("user-words").messages)[-1] == "顺便把日志前缀改成 [app]"


def test_the_user_is_heard_through_commands_refusals_answers_and_plan_feedback() -> None:
    assert words(session("user-words").messages) == [
        "只看 src，不要改测试",
        "先打印日志，定位原因",
        '"Which log level?"="debug".',
        "Only step 1.",
        "这是截图",
        "顺便把日志前缀改成 [app]",
    ]


def test_injected_text_is_the_harness() -> None:
    messages = session("user-words").messages
    skill = next(m for m in messages if m.text.startswith("Base directory"))
    assert [b.voice for b in skill.blocks if isinstance(b, Text)] == [Voice.HARNESS]
    assert not skill.starts_turn


def test_images_keep_their_place_and_size() -> None:
    opaque = [b for m in session("user-words").messages for b in m.blocks if isinstance(b, Opaque)]
    assert [(b.kind, b.pixels) for b in opaque] == [("image", (1, 1))]


def test_a_branch_that_was_left_a_side_chain_and_a_made_up_answer_are_not_context() -> None:
    conversation = session("rewound")
    assert words(conversation.messages) == [
        "Which database should we use?",
        "Use SQLite.",
        "Go on, but keep the schema.",
    ]
    shown = "\n".join(texts(conversation.messages))
    assert "Postgres it is" not in shown
    assert "API Error" not in shown
    assert {m.group for m in conversation.origin.aside} == {"msg_22", "msg_s1", "msg_s2"}


def test_a_growing_copy_of_an_answer_stands_once() -> None:
    shown = texts(session("rewound").messages)
    assert shown[1] == "Two choices: Postgres or SQLite."


def test_holes_and_foreign_lines_are_told_and_lose_nothing() -> None:
    origin = session("rewound").origin
    assert dict(origin.unknown) == {
        "(no type)": 1,
        "(str)": 1,
        "future-record": 1,
        "user without content": 1,
    }
    assert [name for name, _ in origin.hints] == ["unreadable", "missing-parent"]
    assert b"".join(origin.records) == fixture("rewound")


def test_stream_json_is_read_without_its_sub_agents() -> None:
    conversation = session("stream-json")
    assert conversation.origin.container == "stream-json"
    assert words(conversation.messages) == [
        "How many posts are drafts? Count only, change nothing."
    ]
    assert conversation.messages[-1].text == "Seven posts are drafts."
    assert "Seven titles." not in texts(conversation.messages)
    assert conversation.model == "claude-sonnet-4-5-20250929"


def test_a_sub_agents_own_file_is_a_conversation_though_all_of_it_is_a_side_chain() -> None:
    lines = fixture("split-answers").replace(b'"isSidechain":false', b'"isSidechain":true')
    assert len(decoded(lines).messages) == len(session("split-answers").messages)


@pytest.mark.shared
def test_case_nul_block_reads_all_four_records_and_tells_of_the_hole() -> None:
    conversation = decoded(case("30-nul-block"))
    assert texts(conversation.messages) == [
        "start",
        "working",
        "three days later",
        "latest answer",
    ]
    assert conversation.origin.hints == (("unreadable", "line 3: a block of NUL bytes"),)


@pytest.mark.shared
def test_case_unknown_records_leaves_summary_question_and_answer() -> None:
    conversation = decoded(case("33-unknown-records"))
    assert texts(conversation.messages)[1:] == ["new question", "new answer"]
    assert conversation.messages[0].is_summary
    assert not conversation.messages[0].words
    assert conversation.first_turn == 2
    assert dict(conversation.origin.unknown) == {
        "atis-latch": 1,
        "attachment/new_kind_of_thing": 1,
        "future-record-type": 1,
    }
    assert [(m.group, m.usage) for m in conversation.origin.aside] == [("m0", Usage(100, 50))]


@pytest.mark.shared
@pytest.mark.parametrize(("file", "output"), [("input.jsonl", 441), ("resumed.jsonl", 450)])
def test_case_split_rows_are_whole_answers(file: str, output: int) -> None:
    messages = decoded(case("34-split-assistant-rows", file)).messages
    first = [b for m in messages if m.group == "msg_1" for b in m.blocks]
    assert [type(b) for b in first] == [Thinking, Text, ToolCall, ToolCall]
    assert [m.text for m in messages if m.group == "msg_2"] == ["Both are fine."]
    assert sum(m.usage.output for m in messages if m.usage) == output


@pytest.mark.shared
def test_case_rewind_reads_the_way_that_was_taken_and_drops_nothing_at_a_gap() -> None:
    taken = decoded(case("37-rewind-branches"))
    assert texts(taken.messages) == [
        "which database?",
        "Two choices.",
        "use SQLite",
        "SQLite it is.",
    ]
    assert [m.group for m in taken.origin.aside] == ["N2"]
    broken = decoded(case("37-rewind-branches", "broken.jsonl"))
    assert texts(broken.messages) == ["start", "ok", "go on"]
    assert broken.origin.hints[0][0] == "missing-parent"


@pytest.mark.shared
def test_case_windows_paths_keep_their_backslashes() -> None:
    conversation = decoded(case("54-windows-paths"))
    calls = [c.arguments for m in conversation.messages for c in m.calls]
    assert calls[0] == '{"file_path":"C:\\\\work\\\\new\\\\tab.txt"}'
    assert conversation.project == "C:\\Work Space\\проект"


def test_a_summary_that_opens_a_new_root_without_a_boundary_begins_the_context() -> None:
    lines = fixture("compacted").splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if b"compact_boundary" in line)
    carrier = values(lines[at + 1])[0] | {"parentUuid": None}
    old = b"".join([*lines[:at], json.dumps(carrier).encode() + b"\n", *lines[at + 2 :]])
    conversation = decoded(old)
    assert conversation.messages[0].is_summary
    assert conversation.messages[1].text.startswith("src")
    assert conversation.first_turn == 3
