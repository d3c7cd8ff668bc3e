from __future__ import annotations

import pytest

from baodai.errors import NoConversationError, UnknownFormatError, UnknownNameError
from baodai.formats.recognise import by_name, recognise
from baodai.jsonl import read_records
from formats.chats import lines

ASK = {"role": "user", "content": "hi"}
TOOL_USE = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
}


def name_of(data: bytes) -> str:
    return recognise(list(read_records([data])), "a.jsonl").name


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (lines(ASK, {"role": "assistant", "content": "hello"}), "openai-chat"),
        (lines({"messages": [ASK, {"role": "tool", "tool_call_id": "1"}]}), "openai-chat"),
        (lines(ASK, TOOL_USE), "anthropic-messages"),
        (lines({"role": "system", "content": "s"}, ASK, TOOL_USE), "anthropic-messages"),
        (lines([ASK, TOOL_USE]), "anthropic-messages"),
        (
            lines(
                {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": ASK}
            ),
            "claude-code",
        ),
    ],
)
def test_formats_are_told_apart_by_what_the_messages_hold(value: bytes, name: str) -> None:
    assert name_of(value) == name


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"", "empty"), (b"\n \r\n\n", "blank"), (b"not json\nat all\n", "no line can be read")],
)
def test_a_file_that_holds_nothing_says_why(data: bytes, why: str) -> None:
    with pytest.raises(NoConversationError, match=why):
        name_of(data)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "telemetry", "n": 1},
        {"who": "user", "parts": [{"kind": "text", "text": "a"}]},
        {"turns": [{"by": "human", "words": "hi"}]},
    ],
)
def test_what_no_format_knows_is_refused_with_a_hint(value: object) -> None:
    with pytest.raises(UnknownFormatError, match="cannot tell the format") as caught:
        name_of(lines(value))
    assert "--format" in caught.value.hint


def test_a_name_that_is_not_known_brings_the_nearest() -> None:
    assert by_name("openai-chat").name == "openai-chat"
    with pytest.raises(UnknownNameError) as caught:
        by_name("openai_chat")
    assert "openai-chat" in caught.value.hint
