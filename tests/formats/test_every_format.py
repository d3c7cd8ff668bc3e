"""What is read from each format's fixtures, and what an edit or a fold of them leaves behind."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest

from baodai.jsonl import Sealer, loads
from baodai.model import Role, ToolCall, Usage
from baodai.stops import Stop, stop_of
from baodai.structure import pair
from formats.agents import ROOT, again, cut, decoded, first, folded, results, words, written

WORDS = {
    "google-contents/snake.jsonl": ["weather?"],
    "gemini-cli/session.json": [
        "Find out why the glaze log is empty. Do not delete old logs.",
        "那就改成每周轮换。",
    ],
    "gemini-cli/log.jsonl": [
        "Find out why the glaze log is empty. Do not delete old logs.",
        "那就改成每周轮换。",
    ],
    "gemini-cli/checkpoint.jsonl": [
        "Summary so far: the writer rotates the log.",
        "那就改成每周轮换。",
    ],
    "qwen-code/session.jsonl": [
        "织机的张力是多少？不要改设置。",
        "Keep it at 12, only note it.",
    ],
    "iflow/session.jsonl": ["检查端口配置，必须保留 8080。"],
    "kimi-cli/context.jsonl": [
        "Why does it tick unevenly? Keep the old spring.",
        "用中文写结论。",
    ],
    "mini-swe-agent/plain.traj.json": ["修好光圈的测试，不要改网格。"],
    "mini-swe-agent/responses.traj.json": ["Say where the shutter is."],
    "swe-agent/run.traj": ["The issue: bells ring twice. Only change ring.py."],
    "swe-agent/calls.traj": ["Make a.py."],
    "tau-bench/tasks.json": [
        "Hi, I want to renew a book",
        "Only b2 please, never renew the others.",
        "###STOP###",
    ],
    "tau2-bench/results.json": ["My phone is dead. Never reset it.", "Done, still dead."],
    "sharegpt/tools.json": ["给李开发票，两个苹果。以后都用人民币。", "再查两个汇率。"],
    "sharegpt/rows.jsonl": ["Name a river.", "Another, only in Asia."],
    "langchain/thread.json": ["写一页关于潮汐的简报，不要表格。"],
    "langchain/dump.json": ["Read a.txt"],
    "dialogue-zh/kdconv.json": ["你看过这部老电影吗？", "不要剧透结尾。"],
    "dialogue-zh/smile.jsonl": ["我最近睡不好，不想吃药。", "整天坐着。"],
    "dialogue-zh/crosswoz.json": ["帮我找一家评分 4.5 以上的餐馆，不要辣。"],
    "acebench/questions.jsonl": [
        "user: 帮我订两张票，预算三百元。\nsystem: 哪一天？\nuser: 周六。\n"
    ],
    "opencode/session.json": [
        "Find the leak in the bilge pump. Never run the pump dry.",
        "换一个密封圈，写进日志。",
    ],
    "opencode/compacted.json": ["换一个密封圈，写进日志。"],
    "pi/tree.jsonl": ["Untangle the bridle. Do not cut any line.", "把左边反转两圈。"],
    "pi/linear.jsonl": ["And the tide?", "Fly now?"],
    "dsh/session.jsonl": ["墨水为什么不干？不要换纸。", "Lower it to forty."],
    "dsh/compacted.jsonl": ["Lower it to forty.", "Done?"],
    "copilot-cli/events.jsonl": ["Why does the mill stop? Never oil the belt.", "那就收紧皮带。"],
    "factory-droid/session.jsonl": ["Fix the lamp. Only use the spare bulb.", "换上备用灯泡。"],
    "entire-compact/full.jsonl": ["看一下签名逻辑，不要改接口。", "Which ones?"],
    "openhands/events.json": ["Rename the valve. Keep the old name as an alias."],
    "openhands/rows.jsonl": ["Add a licence. No GPL."],
    "openhands/sdk.jsonl": ["Count the doors. Ignore the attic.", "再数一次窗户。"],
    "atif/run.trajectory.json": ["Sort the seeds. Never mix two kinds.", "按大小分。"],
    "vercel-ui/chat.json": ["What is in the pantry? No nuts.", "用米饭做晚饭。"],
    "otel-genai/spans.jsonl": ["Book a berth. Never pay by card.", "订四号，付现金。"],
    "otel-genai/strings.jsonl": ["Book a berth. Never pay by card.", "订四号，付现金。"],
    "otel-genai/monocle.json": ["Find the tide. 不要猜。"],
    "inspect-ai/log.json": ["Which pot? Answer only with a letter."],
    "inspect-ai/log.eval": ["Which pot?"],
    "moss/rows.jsonl": [
        "<|Human|>: 列出三种茶，不要红茶。<eoh>\n",
        "<|Human|>: 谢谢<eoh>\n",
    ],
}
"""What a human said in the first conversation of a fixture, prompt by prompt."""


@pytest.mark.parametrize("name", WORDS)
def test_the_words_of_the_user_are_told_from_all_others(name: str) -> None:
    assert words(first(name)) == WORDS[name]


USAGE = {
    "google-contents/exchanges.jsonl": Usage(700, 29, 300, 0, 9),
    "gemini-cli/session.json": Usage(2000, 31, 1900, 0, 11),
    "qwen-code/session.jsonl": Usage(400, 12, 100, 0, 0),
    "mini-swe-agent/run.traj.json": Usage(500, 20, 100, 0, 0),
    "langchain/thread.json": Usage(800, 30, 200, 0, 7),
    "opencode/session.json": Usage(850, 50, 350, 0, 10),
    "pi/tree.jsonl": Usage(410, 20, 100, 10, 0),
    "dsh/session.jsonl": Usage(360, 20, 300, 0, 9),
    "openhands/events.json": Usage(700, 33, 0, 0, 0),
    "atif/run.trajectory.json": Usage(1000, 20, 0, 0, 0),
    "otel-genai/spans.jsonl": Usage(800, 12, 0, 0, 0),
    "inspect-ai/log.json": Usage(250, 9, 50, 0, 0),
}
"""The last reported usage: the whole prompt with its cached part, the answer with its reasoning."""


@pytest.mark.parametrize("name", USAGE)
def test_usage_means_the_same_in_every_format(name: str) -> None:
    told = [m.usage for m in first(name).messages if m.usage is not None]
    assert told[-1] == USAGE[name]


PAIRED = sorted(WORDS)


@pytest.mark.parametrize("name", PAIRED)
def test_every_result_finds_its_call(name: str) -> None:
    for conversation in decoded(name):
        found = pair(conversation.messages)
        assert not found.orphans
        assert not found.unanswered


@pytest.mark.parametrize("name", [n for n in PAIRED if any(results(first(n)))])
def test_what_was_cut_leaks_from_no_copy(name: str) -> None:
    conversation = first(name)
    edited = cut(conversation)
    if edited == conversation:
        pytest.skip("the fixture has no long result")
    data = written(name, edited)
    if not data.startswith(b"PK"):
        assert b"row 17: kiln" not in data
    else:
        assert "row 17: kiln" not in json.dumps(again(name, data).origin.values)
    assert any(r.text == "cut" for r in results(again(name, data)))


FOLDS = {
    "codex-rollout/session.jsonl": b'"type":"compacted"',
    "gemini-cli/log.jsonl": b'{"$set":{"messages":',
    "qwen-code/session.jsonl": b'"subtype":"chat_compression"',
    "opencode/session.json": b'"type":"compaction"',
    "pi/tree.jsonl": b'"firstKeptEntryId"',
    "pi/linear.jsonl": b'"firstKeptEntryIndex"',
    "dsh/session.jsonl": b'"shadowedSeqs"',
    "openhands/events.json": b'"forgotten_event_ids"',
    "openhands/sdk.jsonl": b'"kind":"Condensation"',
}
"""Formats that have a record of their own for a compaction, and what gives it away."""


@pytest.mark.parametrize("name", FOLDS)
def test_a_fold_is_written_in_the_agents_own_record(name: str) -> None:
    conversation = first(name)
    data = written(name, folded(conversation))
    before = (ROOT / name).read_bytes().replace(b" ", b"")
    record = FOLDS[name]
    assert data.replace(b" ", b"").count(record) == before.count(record) + 1
    spoken = [m for m in again(name, data).messages if m.role is not Role.SYSTEM or m.is_summary]
    assert spoken[0].is_summary
    assert words(again(name, data)) == words(conversation)[-1:]


@pytest.mark.parametrize("name", sorted(set(WORDS) - {"acebench/questions.jsonl", *FOLDS}))
def test_a_fold_has_its_place_in_every_format(name: str) -> None:
    conversation = first(name)
    read = again(name, written(name, folded(conversation)))
    assert [m.is_summary for m in read.messages].count(True) == 1
    assert words(read) == words(conversation)[-1:]


@pytest.mark.parametrize("name", ["codex-rollout/session.jsonl", "pi/tree.jsonl"])
def test_what_stood_before_a_fold_stays_in_the_file(name: str) -> None:
    data = written(name, folded(first(name)))
    assert data.startswith((ROOT / name).read_bytes())


def test_the_users_own_tool_calls_are_carried_through_and_never_read() -> None:
    name = "tau2-bench/results.json"
    conversation = first(name)
    assert not [c for m in conversation.messages for c in m.calls if c.name == "toggle"]
    assert b"call_u" in written(name, cut(conversation))


def test_an_id_that_is_used_twice_pairs_by_place() -> None:
    for name in ("tau-bench/tasks.json", "tau2-bench/results.json"):
        messages = first(name).messages
        for (r, _), (c, _) in pair(messages).call_of.items():
            assert c < r
            assert not [m for m in messages[c + 1 : r] if m.role is Role.USER]


def test_steps_count_on_from_one_after_a_fold() -> None:
    name = "atif/run.trajectory.json"
    value = loads(written(name, folded(first(name))))
    assert isinstance(value, dict)
    numbers = [step["step_id"] for step in value["steps"]]
    assert numbers == list(range(1, len(numbers) + 1))


def test_an_edited_archive_opens_and_says_what_was_edited() -> None:
    name = "inspect-ai/log.eval"
    sealer = Sealer()
    data = b"".join(sealer.sealed(written(name, cut(c))) for c in decoded(name))
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        samples = [json.loads(archive.read(f"samples/{i}_epoch_1.json")) for i in (1, 2)]
        assert json.loads(archive.read("header.json"))["status"] == "success"
    assert [s["messages"][3]["content"] for s in samples] == ["cut", "cut"]


def test_an_untouched_archive_keeps_its_bytes() -> None:
    name = "inspect-ai/log.eval"
    sealer = Sealer()
    data = b"".join(sealer.sealed(written(name, c)) for c in decoded(name))
    assert data == (ROOT / name).read_bytes()


def test_calls_in_one_value_are_edited_alone() -> None:
    name = "sharegpt/tools.json"
    calls = [b for m in first(name).messages for b in m.blocks if isinstance(b, ToolCall)]
    assert [c.name for c in calls] == ["invoice", "rate", "rate"]


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("length", Stop.CUT),
        ("MAX_TOKENS", Stop.CUT),
        ("max_output_tokens", Stop.CUT),
        ("end_turn", Stop.DONE),
        ("STOP", Stop.DONE),
        ("toolUse", Stop.TOOLS),
        ("content_filter", Stop.REFUSED),
        ("model_context_window_exceeded", Stop.OVERFLOW),
        ("", Stop.UNKNOWN),
    ],
)
def test_the_words_of_the_providers_mean_one_of_a_few_things(word: str, stop: Stop) -> None:
    assert stop_of(word) is stop


def test_calls_in_a_text_are_calls() -> None:
    name = "sharegpt/rows.jsonl"
    call = next(c for m in first(name).messages for c in m.calls)
    assert (call.name, call.arguments) == ("atlas", "{}")
