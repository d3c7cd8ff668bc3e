from __future__ import annotations

import json

from baodai.model import Role, Usage
from formats.chats import ANTHROPIC, OPENAI, decoded, encoded, lines, only, summary, with_result

SYSTEM = {"role": "system", "content": "You fix bugs."}
TASK = {"role": "user", "content": "修复 parse() 的崩溃"}


def called(name: str) -> dict[str, object]:
    function = {"name": "bash", "arguments": "{}"}
    return {"role": "assistant", "tool_calls": [{"id": name, "function": function}]}


def result(name: str, text: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": name, "content": text}


def request(*messages: object) -> dict[str, object]:
    return {"type": "request", "request_params": {"model": "m-1", "messages": list(messages)}}


def response(message: object, prompt: int, stop: str = "tool_calls") -> dict[str, object]:
    usage = {"prompt_tokens": prompt, "completion_tokens": 5}
    choice = {"index": 0, "message": message, "finish_reason": stop}
    return {"type": "response", "response": {"model": "m-1b", "choices": [choice], "usage": usage}}


FIRST = [SYSTEM, TASK, called("a"), result("a", 99 * "long ")]
DONE = {"role": "assistant", "content": "fixed"}
LOG = lines(
    request(SYSTEM, TASK),
    response(called("a"), 10),
    request(*FIRST),
    response(called("b"), 20),
    request(SYSTEM, TASK, called("a"), result("a", "(elided)"), called("b"), result("b", "ok")),
    response(DONE, 30, "stop"),
)


def test_a_log_is_one_conversation_the_last_request_with_its_answer() -> None:
    conversation = only(OPENAI, LOG)
    assert [m.role for m in conversation.messages] == [
        Role.SYSTEM,
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
    ]
    assert conversation.origin.hints == (("repeated requests before the live one", "2"),)
    assert b"".join(OPENAI.encode(conversation)) == LOG


def test_each_answer_of_a_log_has_its_own_usage() -> None:
    answers = [m for m in only(OPENAI, LOG).messages if m.role is Role.ASSISTANT]
    assert [m.usage for m in answers] == [Usage(10, 5), Usage(20, 5), Usage(30, 5)]
    assert [m.stop_reason for m in answers] == ["tool_calls", "tool_calls", "stop"]
    assert {m.model for m in answers} == {"m-1b"}


def test_an_answer_that_was_asked_for_again_is_told_aside() -> None:
    data = lines(
        request(SYSTEM, TASK), response(DONE, 10), request(SYSTEM, TASK), response(DONE, 11)
    ) + lines(request(SYSTEM, TASK, DONE, TASK))
    conversation = only(OPENAI, data)
    assert [m.usage for m in conversation.origin.aside] == [Usage(10, 5)]
    assert conversation.messages[2].usage == Usage(11, 5)


def test_another_task_is_another_conversation() -> None:
    other = {"role": "user", "content": "Add a line to the changelog."}
    data = LOG + lines(request(SYSTEM, other), response(DONE, 7, "stop"))
    found = decoded(OPENAI, data)
    assert [len(c.messages) for c in found] == [7, 3]
    assert b"".join(r for c in found for r in c.origin.records) == data


def test_edits_go_to_the_live_request_and_the_log_stays_one_conversation() -> None:
    conversation = only(OPENAI, LOG)
    out = encoded(OPENAI, conversation, with_result(conversation, 5, "cut"))
    assert out.splitlines()[:4] == LOG.splitlines()[:4]
    assert only(OPENAI, out).messages[5].results[0].text == "cut"
    folded = [conversation.messages[0], summary(), conversation.messages[6]]
    rest = [conversation.messages[0], summary(), *conversation.messages[4:]]
    for messages in (rest, [*folded[:2], conversation.messages[1], folded[2]]):
        out = encoded(OPENAI, conversation, messages)
        again = only(OPENAI, out)
        assert [m.text for m in again.messages] == [m.text for m in messages]
        assert again.messages[1].is_summary
        assert out.splitlines()[:4] == LOG.splitlines()[:4]


def test_a_completion_log_has_its_answer_behind_the_messages() -> None:
    body = {"messages": FIRST, "tools": [], "response": response(DONE, 40, "stop")["response"]}
    conversation = only(OPENAI, json.dumps(body, indent=1).encode())
    last = conversation.messages[-1]
    assert (last.text, last.usage, last.path) == (
        "fixed",
        Usage(40, 5),
        ("response", "choices", 0, "message"),
    )


def exchange(messages: list[object], text: str, tokens: int) -> dict[str, object]:
    answer = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": tokens, "output_tokens": 1},
    }
    body = {"system": "Count.", "messages": messages}
    return {"uri": "https://api.example/v1/messages", "request": body, "response": answer}


def test_of_recorded_exchanges_the_last_is_live_and_the_others_tell_their_usage() -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "one"}]}
    cassette = {
        "cassette": "c",
        "exchanges": [
            exchange([TASK], "one", 10),
            exchange([{"role": "user", "content": "aside"}], "other", 99),
            exchange([TASK, said, TASK], "two", 20),
        ],
    }
    data = lines(cassette)
    conversation = only(ANTHROPIC, data)
    assert [m.text for m in conversation.messages] == [
        "Count.",
        TASK["content"],
        "one",
        TASK["content"],
        "two",
    ]
    assert [m.usage for m in conversation.messages if m.usage] == [Usage(10, 1), Usage(20, 1)]
    assert [m.usage for m in conversation.origin.aside] == [Usage(99, 1)]
    messages = [conversation.messages[0], summary(), *conversation.messages[3:]]
    out = encoded(ANTHROPIC, conversation, messages)
    assert json.loads(out)["exchanges"][:2] == cassette["exchanges"][:2]
    again = only(ANTHROPIC, out)
    assert [m.text for m in again.messages] == [m.text for m in messages]
