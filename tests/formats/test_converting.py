"""Every format into every target and back; what the official types say of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from anthropic.types import MessageParam, TextBlockParam
from google.genai.types import Content
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

from baodai.converting import converted
from baodai.formats import formats, targets
from baodai.formats._repair import repaired
from baodai.formats.recognise import HEAD, recognise
from baodai.jsonl import open_records, read_records
from baodai.model import Conversation, Opaque, Role, Text, Thinking, ToolCall, ToolResult
from formats.agents import ROOT, decoded, first
from shared import shared

FIXTURES = sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("*/*") if p.is_file())
REAL = [
    "codex_rollout/EntityProcess__agentv/33_5841c2d678_0.jsonl",
    "claude_code/MoonshotAI__kimi-cli/08_60e52c3d41_0.jsonl",
    "opencode/wangxumarshall__cli/opencode_full.json",
    "gemini_cli/savekirk__session-bridge/e9_4f17cdc65d_0.json",
    "langchain/bytedance__deer-flow/fe3f7974-1bcb-4a01-a950-79673baafefd.thread.json",
    "pi/raquezha__pi.dev/aa_336e9c5294_0.jsonl",
]
OPENING = "(the conversation begins)"
each = pytest.mark.parametrize("name", FIXTURES)
to_each = pytest.mark.parametrize("target", sorted(targets()))


def visible(conversation: Conversation) -> dict[str, str]:
    """All that is said, by who or what says it, without white space; images are not text."""
    said: dict[str, list[str]] = {}
    for message in repaired(conversation.messages)[0]:
        for block in message.blocks:
            match block:
                case Text():
                    spoken = message.role is Role.ASSISTANT
                    said.setdefault("model" if spoken else "others", []).append(block.text)
                case ToolCall():
                    said.setdefault("calls", []).append(f"{block.name} {arguments(block)}")
                case ToolResult():
                    said.setdefault("results", []).append(block.text)
                case Thinking():
                    said.setdefault("thinking", []).append(block.text)
                case Opaque():
                    continue
    # System prompts may move to the head, and an opening may be put in front.
    others = " ".join(said.pop("others", [])).replace(OPENING, "").split()
    told = {key: "".join("".join(texts).split()) for key, texts in said.items() if "".join(texts)}
    return told | {"others": " ".join(sorted(others))}


def arguments(call: ToolCall) -> str:
    """The arguments as the object that every format can hold."""
    try:
        value = json.loads(call.arguments or "{}")
    except ValueError:
        value = None
    value = value if isinstance(value, dict) else {"input": call.arguments}
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def texts_only(conversation: Conversation) -> bool:
    """Whether no block becomes text on the way."""
    parts = (
        p
        for m in conversation.messages
        for b in m.blocks
        for p in (b.parts if isinstance(b, ToolResult) else (b,))
    )
    return not any(isinstance(part, Opaque) for part in parts)


def read_back(data: bytes, target: str) -> Conversation:
    records = list(read_records([data]))
    codec = recognise(records[:HEAD], "converted")
    assert codec.name == target
    (conversation,) = codec.decode(iter(records), "converted")
    return conversation


@to_each
@each
def test_what_was_said_survives_the_way_there_and_back(name: str, target: str) -> None:
    for conversation in decoded(name):
        data = converted(conversation, targets()[target]).data
        before, after = visible(conversation), visible(read_back(data, target))
        if not texts_only(conversation):
            before, after = ({k: d.get(k, "") for k in ("calls",)} for d in (before, after))
        assert after == before


@to_each
@pytest.mark.parametrize("place", REAL)
def test_real_sessions_survive_the_way_there_and_back(place: str, target: str) -> None:
    path = shared("data", *place.split("/"))
    records = list(open_records(path))
    (conversation,) = recognise(records[:HEAD], path.name).decode(iter(records), path.name)
    data = converted(conversation, targets()[target]).data
    before, after = visible(conversation), visible(read_back(data, target))
    for key in ("calls", "results", "thinking"):
        if key != "results" or texts_only(conversation):
            assert after.get(key, "") == before.get(key, "")


def values(name: str, target: str) -> Iterable[dict[str, object]]:
    for conversation in decoded(name):
        data = converted(conversation, targets()[target]).data
        yield from (json.loads(line) for line in data.splitlines())


@each
def test_openai_takes_the_messages(name: str) -> None:
    for value in values(name, "openai-chat"):
        TypeAdapter(list[ChatCompletionMessageParam]).validate_python(value["messages"])


@each
def test_openai_takes_the_items(name: str) -> None:
    for value in values(name, "openai-responses"):
        TypeAdapter(list[ResponseInputItemParam]).validate_python(value["input"])


@each
def test_anthropic_takes_the_messages_in_turns(name: str) -> None:
    for value in values(name, "anthropic-messages"):
        TypeAdapter(list[MessageParam]).validate_python(value["messages"])
        TypeAdapter(list[TextBlockParam]).validate_python(value["system"])
        messages = value["messages"]
        assert isinstance(messages, list)
        roles = [message["role"] for message in messages]
        assert roles == (["user", "assistant"] * len(roles))[: len(roles)]


@each
def test_google_takes_the_contents_in_turns(name: str) -> None:
    for value in values(name, "google-contents"):
        contents = value["contents"]
        assert isinstance(contents, list)
        for content in contents:
            Content.model_validate({k: v for k, v in content.items() if k != "x_baodai"})
        roles = [content["role"] for content in contents]
        assert roles == (["user", "model"] * len(roles))[: len(roles)]


@each
def test_a_trajectory_has_only_the_members_of_its_schema(name: str) -> None:
    """The schema's own validator needs a newer Python; these are its rules."""
    agents_only = {"model_name", "reasoning_content", "tool_calls", "observation", "metrics"}
    known = {"step_id", "timestamp", "source", "message", "extra"} | agents_only
    for value in values(name, "atif"):
        steps = value["steps"]
        assert isinstance(steps, list)
        assert [s["step_id"] for s in steps] == list(range(1, len(steps) + 1))
        for step in steps:
            assert set(step) <= known
            assert step["source"] == "agent" or not agents_only & set(step)
            calls = {call["tool_call_id"] for call in step.get("tool_calls", ())}
            found = step.get("observation", {}).get("results", ())
            assert {r["source_call_id"] for r in found} <= calls


def test_one_call_has_one_result_and_the_first_one_wins() -> None:
    path = shared("cases", "07-two-results-one-call", "input.jsonl")
    (conversation,) = formats()["anthropic-messages"].decode(open_records(path), path.name)
    made = converted(conversation, targets()["anthropic-messages"])
    blocks = [b for m in json.loads(made.data)["messages"] for b in m["content"]]
    results = [b["content"] for b in blocks if b["type"] == "tool_result"]
    assert results == ["real answer", "other answer"]
    assert any("toolu_1" in note for note in made.notes)


def test_reasoning_without_its_follower_is_left_out_of_a_replay() -> None:
    path = shared("cases", "11-codex-reasoning-follower", "input.jsonl")
    (conversation,) = formats()["codex-rollout"].decode(open_records(path), path.name)
    items = json.loads(converted(conversation, targets()["openai-responses"]).data)["input"]
    kinds = [item["type"] for item in items]
    assert kinds[-1] != "reasoning"
    sealed = [item["encrypted_content"] for item in items if item["type"] == "reasoning"]
    assert all(text in path.read_text("utf-8") for text in sealed)
    assert len(sealed) == 2


def test_a_counter_sent_again_is_one_request() -> None:
    path = shared("cases", "35-codex-token-reemit", "input.jsonl")
    (conversation,) = formats()["codex-rollout"].decode(open_records(path), path.name)
    told = [m.usage for m in (*conversation.messages, *conversation.origin.aside) if m.usage]
    assert [(u.input, u.cache_read, u.output) for u in told] == [(400, 200, 100), (600, 500, 200)]


def test_what_has_no_slot_travels_in_one_extra() -> None:
    conversation = first("openai-chat/messages.jsonl")
    data = converted(conversation, targets()["anthropic-messages"]).data
    extras = [m["x_baodai"] for m in json.loads(data)["messages"] if "x_baodai" in m]
    assert any("thinking" in extra for extra in extras)


def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    del tmp_path
    for target in targets().values():
        conversation = first("claude-code/user-words.jsonl")
        assert converted(conversation, target).data == converted(conversation, target).data
