"""What every layer, and all of them together, must hold (L1-L6 of the design)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baodai.invariants import new_violations
from baodai.jsonl import Record
from baodai.layers import RUN_ORDER
from baodai.model import Conversation, Message, Role, ToolResult
from baodai.pipeline import Compaction, Options, compact
from baodai.window import WindowOptions
from baodai.zones import zones
from build import call, human, result, says, system, talk


class InMemory:
    """A codec whose file is the conversation itself, so that layers alone are looked at."""

    name = "in-memory"
    title = "a conversation in memory"
    carrier = "a system message"

    def __init__(self) -> None:
        self.last: Conversation | None = None

    def sniff(self, head: object) -> float:
        """Never sure."""
        del head
        return 0.0

    def decode(self, records: object, source: str) -> Iterator[Conversation]:
        """The conversation that was written last."""
        assert [r for r in records if isinstance(r, Record)]  # type: ignore[attr-defined]
        assert self.last is not None
        assert source
        yield self.last

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """One line that stands for it."""
        self.last = conversation
        yield b'{"in": "memory"}\n'


def run(conversation: Conversation, window: int, **options: object) -> Compaction:
    chosen = Options(window=WindowOptions(window=window), **options)  # type: ignore[arg-type]
    return compact(conversation, InMemory(), chosen, source="test")


WORDS = (
    "deploy",
    "schema",
    "错误",
    "测试通过",
    "harbour",
    "42 passed",
    "缓存",
    "ok",
    "\n",
    "FAILED",
)
long_texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=700).map(" ".join)
rules = st.sampled_from(
    [
        "Never push to main.",
        "统一用 snake_case。",
        "Use SQLite, not Postgres.",
        "继续",
        "why?",
        "go on",
    ]
)


@st.composite
def steps(draw: st.DrawFn, number: int) -> list[Message]:
    tools = draw(st.lists(st.sampled_from(["Bash", "Read", "Grep", "odd_tool"]), max_size=3))
    calls = [
        call(f"c{number}-{i}", tool, f'{{"command": "run {i}", "file_path": "/a/{i}.py"}}')
        for i, tool in enumerate(tools)
    ]
    text = draw(long_texts) if not calls or draw(st.booleans()) else ""
    answers = [result(c.id, draw(long_texts), c.name, is_error=draw(st.booleans())) for c in calls]
    return [says(text or "Done.", *calls), *answers]


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    messages = [system("You help.")]
    for turn in range(draw(st.integers(1, 7))):
        messages.append(human(f"{draw(rules)} ({turn})"))
        for step in range(draw(st.integers(1, 4))):
            messages.extend(draw(steps(turn * 10 + step)))
    return talk(*messages)


relaxed = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
windows = st.sampled_from([1_500, 3_000, 6_000, 20_000])


@relaxed
@given(conversations(), windows)
def test_the_guarantees_hold(conversation: Conversation, window: int) -> None:
    made = run(conversation, window)
    account = made.account
    assert not new_violations(conversation, made.after)
    assert account.tokens_after <= account.tokens_before
    assert sum(layer.saved for layer in account.layers) == account.saved
    assert account.fits == (account.tokens_after <= account.budget.budget)
    assert not [d for d in account.decisions if d.where == "lost"]
    left = {m.id: m for m in made.after.messages}
    for element in zones(conversation, 3).elements:
        for message in element.messages if element.hot else ():
            now = left.get(message.id)
            assert now is not None or not element.is_prompt
            assert now is None or now.text == message.text


@relaxed
@given(conversations(), windows)
def test_a_second_run_changes_nothing_and_the_first_is_the_same_twice(
    conversation: Conversation, window: int
) -> None:
    made = run(conversation, window)
    assert run(conversation, window).after == made.after
    if made.account.fits:
        assert run(made.after, window).after == made.after


@pytest.mark.parametrize("name", RUN_ORDER)
@relaxed
@given(conversation=conversations())
def test_a_layer_alone_is_valid_never_larger_and_plans_nothing_twice(
    name: str, conversation: Conversation
) -> None:
    off = frozenset(RUN_ORDER) - {name}
    made = run(conversation, 3_000, off=off)
    assert not new_violations(conversation, made.after)
    assert made.account.tokens_after <= made.account.tokens_before
    assert {layer.layer for layer in made.account.layers if layer.edits} <= {name}
    assert run(made.after, 3_000, off=off).after == made.after


def session(steps_: int) -> Conversation:
    """One request and then many steps, the shape of a coding session."""
    messages = [system("You code."), human("Make the build green. Never edit vendor/.")]
    for i in range(steps_):
        arguments = f'{{"command": "make part{i}"}}'
        output = "\n".join(f"compiling unit {i}-{n}" for n in range(60))
        messages.append(says(f"Part {i} next.", call(f"c{i}", "Bash", arguments)))
        messages.append(result(f"c{i}", f"{output}\n{i} passed in 0.1s"))
    return talk(*messages)


def test_one_request_and_two_hundred_steps_narrow_the_protection_step_by_step() -> None:
    conversation = session(200)
    made = run(conversation, 16_000)
    assert made.account.fits
    assert made.account.tokens_after >= 0.6 * made.account.budget.budget
    assert [n for n in made.account.notes if n.code == "narrowed"]
    prompts = [m for m in made.after.messages if m.starts_turn]
    assert [m.text for m in prompts] == ["Make the build green. Never edit vendor/."]
    assert made.after.messages[-2:] == conversation.messages[-2:]
    summary = next(m.text for m in made.after.messages if m.is_summary)
    assert any(f"{i} passed" in summary for i in range(40))


def test_below_the_trigger_with_nothing_over_long_nothing_changes() -> None:
    conversation = session(3)
    made = run(conversation, 128_000)
    assert made.after is made.before


def test_a_window_that_cannot_hold_what_must_stay_is_said_with_sizes() -> None:
    conversation = talk(system("s " * 3_000), human("Go."), says("Gone."))
    made = run(conversation, 2_000)
    assert made.data is None
    (said,) = [n.text for n in made.account.notes if n.code == "BD301"]
    assert "system prompts" in said
    assert run(conversation, 2_000, smallest=True).data is not None


def test_what_is_pinned_stays() -> None:
    conversation = session(40)
    more = talk(*conversation.messages, *(m for i in range(9) for m in (human(f"n{i}"), says("y"))))
    made = run(more, 4_000, pins=("the licence is MIT",), pinned_turns=frozenset({2}))
    said = "\n".join(m.text for m in made.after.messages)
    assert "the licence is MIT" in said
    assert any(m.text == "n0" and m.role is Role.USER for m in made.after.messages)


def long_log(word: str) -> str:
    return "\n".join(f"{word} line {n} of the log" for n in range(900))


def test_a_pinned_text_in_a_result_and_a_pinned_turn_are_cut_by_no_layer() -> None:
    pinned = long_log("first").replace("line 450 of", "port 8443 of")
    turns = [human("look"), says("", call("a")), result("a", pinned)]
    turns += [human("again"), says("", call("b")), result("b", long_log("second"))]
    for i in range(6):
        turns += [human(f"and {i}"), says("", call(f"c{i}")), result(f"c{i}", long_log("later"))]
    conversation = talk(*turns)
    made = run(conversation, 48_000, pins=("port 8443 of the log",), pinned_turns=frozenset({2}))
    assert made.account.fits
    stays = {b.call_id: b.text for m in made.after.messages for b in results_of(m)}
    assert stays["a"] == pinned
    assert stays["b"] == long_log("second")
    assert all(len(stays[f"c{i}"]) < len(long_log("later")) for i in range(6) if f"c{i}" in stays)


def results_of(message: Message) -> list[ToolResult]:
    return [b for b in message.blocks if isinstance(b, ToolResult)]


@pytest.mark.parametrize("window", range(300, 1_500, 100))
@pytest.mark.parametrize("asked", [1, 4])
def test_a_call_and_its_late_result_go_or_stay_together_however_little_fits(
    window: int, asked: int
) -> None:
    turns = [
        [human(f"Aside {i}: what is it?"), says(f"It is number {i}. " + "word " * 60)]
        for i in range(9)
    ]
    turns[asked].append(says("", call("late")))
    turns[7].append(result("late", "approved"))
    conversation = talk(*(m for turn in turns for m in turn), says("Done."))
    after = run(conversation, window).after
    calls = {c.id for m in after.messages for c in m.calls}
    assert calls == {r.call_id for m in after.messages for r in m.results}
