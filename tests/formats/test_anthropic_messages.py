from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from baodai.model import Message, Opaque, Role, Text, Thinking, ToolResult, Usage, Voice
from formats.chats import ANTHROPIC, encoded, lines, only, summary, with_blocks, with_result

ASK = {"role": "user", "content": "看一下 a.md"}
THINK = {"type": "thinking", "thinking": "first the file", "signature": "c2ln"}
USE = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.md", "n": 1e-06}}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAG4AAABaCAYAAAB" + 400 * "A"
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def answer(*blocks: object) -> dict[str, object]:
    return {"role": "assistant", "content": list(blocks)}


def result(content: object, **more: object) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content, **more}
    return {"role": "user", "content": [block]}


def text(said: str, **more: object) -> dict[str, object]:
    return {"type": "text", "text": said, **more}


def test_thinking_is_kept_apart_with_or_without_its_text() -> None:
    said = answer(
        THINK,
        {"type": "thinking", "thinking": "", "signature": "bG9uZw=="},
        {"type": "redacted_thinking", "data": "b3BhcXVl"},
        text("hi"),
    )
    blocks = only(ANTHROPIC, lines(ASK, said)).messages[1].blocks
    assert blocks == (
        Thinking("first the file", "c2ln"),
        Thinking("", "bG9uZw=="),
        Thinking("", "b3BhcXVl"),
        Text("hi", Voice.MODEL),
    )


def test_server_tools_stay_in_their_message_and_are_counted() -> None:
    use = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "T"}]}
    blocks = only(ANTHROPIC, lines(ASK, answer(use, found))).messages[1].blocks
    assert [(b.kind, json.loads(b.visible)) for b in blocks if isinstance(b, Opaque)] == [
        ("server_tool_use", use),
        ("web_search_tool_result", found),
    ]


def test_sealed_text_counts_as_what_it_stands_for_not_as_base64() -> None:
    found = {"type": "web_search_tool_result", "content": [{"encrypted_content": 4000 * "Q"}]}
    (block,) = only(ANTHROPIC, lines(ASK, answer(found))).messages[1].blocks
    assert isinstance(block, Opaque)
    assert 1000 <= len(block.visible) < 1200


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("text", [Text("text", Voice.TOOL)]),
        (
            [text("a"), IMAGE],
            [Text("a", Voice.TOOL), Opaque("image", "", (110, 90), "image/png, 110 x 90")],
        ),
        (None, []),
        ([], []),
    ],
)
def test_results_are_read_in_all_their_shapes(content: object, parts: list[object]) -> None:
    messages = only(ANTHROPIC, lines(ASK, answer(USE), result(content, is_error=True))).messages
    (block,) = messages[2].results
    assert (list(block.parts), block.is_error, block.name) == (parts, True, "Read")


def test_the_system_prompt_is_messages_of_its_own_and_its_tools_are_known() -> None:
    request = {
        "model": "m-1",
        "system": [text("one"), text("two", cache_control={"type": "ephemeral"})],
        "messages": [ASK],
        "tools": [{"name": "Read", "input_schema": {}}],
    }
    conversation = only(ANTHROPIC, lines(request))
    assert [(m.role, m.text, m.path) for m in conversation.messages[:2]] == [
        (Role.SYSTEM, "one", ("system", 0)),
        (Role.SYSTEM, "two", ("system", 1)),
    ]
    assert (conversation.model, conversation.rules) == ("m-1", "anthropic")
    assert json.loads(conversation.tools) == request["tools"]


def test_usage_counts_what_was_cached_as_input() -> None:
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": 7,
    }
    body = {"type": "message", "stop_reason": "max_tokens", "model": "m", "usage": usage}
    (message,) = only(ANTHROPIC, lines({**answer(text("hi")), **body})).messages
    assert message.usage == Usage(123, 7, 100, 20)
    assert (message.stop_reason, message.model) == ("max_tokens", "m")


def test_an_edited_result_leaves_every_other_block_as_it_was() -> None:
    data = lines(
        ASK,
        answer(THINK, USE),
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": 9 * "long ", "x": 1.0},
                text("和 api/ 无关", cache_control={"type": "ephemeral"}),
            ],
        },
    )
    conversation = only(ANTHROPIC, data)
    out = encoded(ANTHROPIC, conversation, with_result(conversation, 2, "cut"))
    assert out == data.replace(9 * b"long ", b"cut")


def test_a_result_that_was_an_image_becomes_a_note() -> None:
    conversation = only(ANTHROPIC, lines(ASK, answer(USE), result([IMAGE])))
    (block,) = conversation.messages[2].results
    note = block.with_text("[image/png, 110 x 90]", keep_opaque=False)
    out = encoded(ANTHROPIC, conversation, with_blocks(conversation, 2, note))
    assert out == lines(ASK, answer(USE), result("[image/png, 110 x 90]"))


def test_new_arguments_are_an_object_and_only_what_differs_is_written() -> None:
    conversation = only(ANTHROPIC, lines(ASK, answer(USE)))
    (call,) = conversation.messages[1].calls
    new = replace(call, arguments='{"path":"…","n":1e-06}')
    out = encoded(ANTHROPIC, conversation, with_blocks(conversation, 1, new))
    assert out == lines(ASK, answer({**USE, "input": {"path": "…", "n": 1e-06}}))
    for useless in ('{"path":', '"a string"'):
        broken = with_blocks(conversation, 1, replace(call, arguments=useless))
        assert encoded(ANTHROPIC, conversation, broken) == lines(ASK, answer(USE))


def test_thinking_goes_whole_and_a_call_goes_with_its_result_only() -> None:
    both = {"role": "user", "content": [*_content(result("ok")), text("Never touch billing/.")]}
    conversation = only(ANTHROPIC, lines(ASK, answer(THINK, text("look"), USE), both))
    messages = list(conversation.messages)
    _, said, _ = messages[1].blocks
    _, rule = messages[2].blocks
    messages[1] = replace(messages[1], blocks=(said,))
    messages[2] = replace(messages[2], blocks=(rule,))
    out = encoded(ANTHROPIC, conversation, messages)
    rest = {"role": "user", "content": [text("Never touch billing/.")]}
    assert out == lines(ASK, answer(text("look")), rest)


def _content(message: dict[str, Any]) -> list[object]:
    return list(message["content"])


@pytest.mark.parametrize("system", ["Be brief. 简短。", [text("Be brief."), text("Be kind.")]])
def test_a_summary_is_a_further_block_of_the_system_prompt(system: object) -> None:
    request = {"system": system, "messages": [ASK, answer(text("hi")), ASK], "max_tokens": 9}
    conversation = only(ANTHROPIC, lines(request))
    head = [m for m in conversation.messages if m.role is Role.SYSTEM]
    kept = [*head, summary(), conversation.messages[-1]]
    out = encoded(ANTHROPIC, conversation, kept)
    value = json.loads(out)
    before = [text(system)] if isinstance(system, str) else system
    assert value["system"] == [*_listed(before), text(summary().text)]
    again = only(ANTHROPIC, out)
    assert [m.is_summary for m in again.messages] == [*(False for _ in head), True, False]
    assert again.first_turn == 5
    # A second summary takes the place of the first.
    later = summary("more\n", 1, 7)
    twice = [replace(later, id="x") if m.is_summary else m for m in again.messages]
    assert json.loads(encoded(ANTHROPIC, again, twice))["system"][-1] == text(later.text)
    assert len(json.loads(encoded(ANTHROPIC, again, twice))["system"]) == len(value["system"])


def _listed(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def test_without_a_request_a_summary_is_the_first_user_message() -> None:
    conversation = only(ANTHROPIC, lines(ASK, answer(text("hi")), ASK))
    out = encoded(ANTHROPIC, conversation, [summary(), conversation.messages[2]])
    again = only(ANTHROPIC, out)
    assert [(m.role, m.is_summary) for m in again.messages] == [
        (Role.USER, True),
        (Role.USER, False),
    ]


def test_further_down_or_from_a_tool_a_summarys_text_is_only_text() -> None:
    said = summary().text
    data = lines(ASK, answer(USE), result(said), {"role": "user", "content": said})
    assert not any(m.is_summary for m in only(ANTHROPIC, data).messages)


def test_a_refusals_reason_is_the_users_and_a_page_that_quotes_one_is_not() -> None:
    refusal = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\n不要动 api/"
    )
    heard = only(ANTHROPIC, lines(ASK, answer(USE), result(refusal, is_error=True)))
    assert heard.messages[2].words == "不要动 api/"
    assert not heard.messages[2].starts_turn
    page = only(ANTHROPIC, lines(ASK, answer(USE), result(refusal)))
    assert page.messages[2].words == ""


def test_a_new_message_carries_its_blocks() -> None:
    conversation = only(ANTHROPIC, lines(ASK, answer(USE)))
    lost = ToolResult("t1", (Text("[no answer]", Voice.TOOL),), is_error=True, name="Read")
    out = encoded(
        ANTHROPIC, conversation, [*conversation.messages, Message("n", Role.USER, (lost,))]
    )
    assert only(ANTHROPIC, out).messages[2].blocks == (lost,)
