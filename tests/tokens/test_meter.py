"""The meter: documented rules, numbers that add up, no text counted twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baodai.model import Message, Opaque, Role, Text, Thinking, ToolCall, ToolResult
from baodai.tokens import Meter, counter_for
from build import call, human, result, says, system, talk


class Counting:
    """A counter of words that remembers what it was asked."""

    name = "words"
    exact = True

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        self.asked.append(text)
        return len(text.split())


def meter(factor: float = 1.0, overhead: int = 0) -> Meter:
    return Meter(Counting(), factor, overhead)


def of(*blocks: Text | Thinking | ToolCall | ToolResult | Opaque) -> Message:
    return Message("m", Role.ASSISTANT, blocks)


def test_a_message_is_its_text_and_four() -> None:
    assert meter().message(human("one two three")) == 3 + 4


def test_a_call_counts_its_name_its_arguments_and_its_frame() -> None:
    assert meter().message(says("", call("c", "Bash", '{"command": "ls -l"}'))) == 4 + 8 + 1 + 3


def test_arguments_count_where_content_is_empty() -> None:
    arguments = '{"body": "' + "cursor buffer ledger " * 300 + '"}'
    message = says("", call("w1", "write_file", arguments))
    assert Meter(counter_for("o200k_base")).message(message) > 800


def test_a_result_counts_all_its_parts() -> None:
    block = ToolResult("c", (Text("a b"), Opaque("image", pixels=(750, 100)), Text("c")))
    assert meter().message(of(block)) == 4 + 4 + 2 + 100 + 1


@pytest.mark.parametrize(
    ("block", "tokens"),
    [
        (Opaque("image", pixels=(110, 90)), 85),
        (Opaque("image", pixels=(1000, 750)), 1000),
        (Opaque("image", pixels=(8000, 8000)), 1600),
        (Opaque("image"), 1600),
        (Opaque("image_url", note="image/png"), 1600),
        (Opaque("document"), 1600),
        (Opaque("document", visible="one two"), 2),
        (Opaque("server_tool_use", visible="one two three"), 3),
        (Opaque("cache_control"), 0),
    ],
)
def test_opaque_blocks_count_by_rule(block: Opaque, tokens: int) -> None:
    assert meter().message(of(block)) == 4 + tokens


def test_thinking_counts_by_its_text_or_its_signature() -> None:
    assert meter().message(of(Thinking("one two"))) == 4 + 2
    assert meter().message(of(Thinking("", "x" * 4_000))) == 4 + round((3000 - 174) / 4.4)
    assert meter().message(of(Thinking("one two", "x" * 100))) == 4 + 2


words = st.text("ab \n中", max_size=60)
messages = st.one_of(
    st.builds(human, words),
    st.builds(says, words),
    st.builds(lambda t: says(t, call("c", "Bash", '{"a": 1}')), words),
    st.builds(lambda t: result("c", t), words),
    st.builds(system, words),
)


@given(
    st.lists(messages, max_size=12),
    st.sampled_from([1.0, 1.18, 1.43, 0.73]),
    st.integers(0, 30_000),
    words,
)
def test_a_conversation_is_its_fixed_part_and_its_messages_exactly(
    parts: list[Message], factor: float, overhead: int, tools: str
) -> None:
    conversation = replace(talk(*parts), tools=tools)
    counted = meter(factor, overhead)
    total = counted.conversation(conversation)
    assert total == counted.fixed(conversation) + sum(map(counted.message, conversation.messages))
    assert counted.fixed(conversation) >= overhead + 3


def test_no_text_is_counted_twice() -> None:
    counter = Counting()
    long = "word " * 2_000
    conversation = talk(system("be brief"), human(long), says("ok"), human(long), says("ok"))
    first = Meter(counter)
    total = first.conversation(conversation)
    adjusted = first.adjusted(2.0, 5)
    assert adjusted.conversation(conversation) == 2 * (total - 3) + 5 + 3
    assert len(counter.asked) == len(set(counter.asked)) == 3


def test_a_name_says_how_a_number_was_counted() -> None:
    assert (meter().name, meter().exact) == ("words", True)
    assert (meter(1.18).name, meter(1.18).exact) == ("words x1.18", False)
    assert not Meter(Counting(), own=False).exact


def test_equal_messages_at_another_place_are_counted_alike() -> None:
    counted = meter()
    assert [counted.message(human("a b")) for _ in range(200)] == [6] * 200
