"""The timeline: each call once, from the record where it is right; the cache where none is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from baodai.cost.caching import NONE, cached, moment, policy_of, split
from baodai.cost.calls import Call, Purpose, Source, timeline
from baodai.cost.loop import walk
from baodai.layers import RUN_ORDER
from baodai.model import Conversation, Message, Usage
from baodai.pipeline import Options
from baodai.tokens import Meter, counter_for
from baodai.window import Sizing, WindowOptions, budget_for
from build import call, human, result, says, system, talk


def sized(conversation: Conversation, window: int = 128_000) -> Sizing:
    return budget_for(conversation, WindowOptions(window=window))


def calls(conversation: Conversation) -> tuple[Call, ...]:
    return timeline(conversation, sized(conversation).meter)


def with_usage(conversation: Conversation, at: int, **values: object) -> Conversation:
    messages = list(conversation.messages)
    messages[at] = replace(messages[at], **values)  # type: ignore[arg-type]
    return replace(conversation, messages=tuple(messages))


def test_without_a_record_the_prompt_before_an_answer_is_counted() -> None:
    found = talk(system("You help."), human("Hi."), says("Hello."), human("Bye."), says("Bye."))
    meter = Meter(counter_for("o200k_base"))
    first, second = timeline(found, meter)
    sizes = [meter.message(m) for m in found.messages]
    fixed = meter.fixed(found)
    assert first.usage == Usage(fixed + sum(sizes[:2]), sizes[2])
    assert second.usage == Usage(fixed + sum(sizes[:4]), sizes[4])
    assert {first.source, second.source} == {Source.COUNTED}


def test_a_record_is_taken_as_it_stands() -> None:
    told = Usage(5_000, 7, cache_read=4_000, cache_write=900, cache_write_1h=900)
    (one,) = calls(with_usage(talk(human("Hi."), says("Hello.")), 1, usage=told))
    assert (one.usage, one.source) == (told, Source.RECORDED)


@pytest.mark.parametrize(("stop", "source"), [("", Source.PARTLY), ("end_turn", Source.RECORDED)])
def test_an_answer_that_was_still_streaming_is_counted_unless_it_says_that_it_ended(
    stop: str, source: Source
) -> None:
    long = says("one two three four " * 100)
    told = Usage(5_000, 3)
    (one,) = calls(with_usage(talk(human("Hi."), long), 1, usage=told, stop_reason=stop))
    assert one.source is source
    assert (one.usage.output > 300) is (source is Source.PARTLY)


def test_the_records_of_one_answer_are_one_call() -> None:
    spread = [replace(says(text), group="msg_1") for text in ("One.", "Two.", "Three.")]
    found = talk(human("Hi."), *spread)
    for at, output in ((1, 1), (2, 5), (3, 30)):
        found = with_usage(found, at, usage=Usage(100, output))
    (one,) = calls(found)
    assert one.usage == Usage(100, 30)


def test_a_greeting_before_any_question_is_no_call() -> None:
    assert (
        len(calls(talk(system("Be kind."), says("How can I help?"), human("Hi."), says("Hi."))))
        == 1
    )


def test_what_goes_on_from_a_cut_answer_is_a_continuation() -> None:
    found = with_usage(talk(human("Tell."), says("Once"), says("upon.")), 1, stop_reason="length")
    first, second = calls(found)
    assert (first.cut, second.purpose) == (False, Purpose.CONTINUATION)
    (alone,) = calls(with_usage(talk(human("Tell."), says("Once")), 1, stop_reason="length"))
    assert alone.cut


def test_sidechains_are_calls_outside_of_the_context() -> None:
    found = talk(human("Look."), says("Done."))
    aside = replace(says("Sub."), id="x", usage=Usage(50, 5), sidechain=True, line=1)
    found = replace(found, origin=replace(found.origin, aside=(aside,)))
    by_purpose = {one.purpose: one for one in calls(found)}
    assert by_purpose[Purpose.SIDECHAIN].first == -1
    assert by_purpose[Purpose.SIDECHAIN].usage == Usage(50, 5)
    assert by_purpose[Purpose.ANSWER].base < 50


def timed(*at: str) -> list[Call]:
    made = []
    for i, when in enumerate(at):
        usage = Usage(2_000 + 1_000 * i, 10)
        made.append(
            Call(
                i,
                Purpose.ANSWER,
                Source.COUNTED,
                "claude-sonnet-4-5",
                when,
                i,
                1,
                i,
                usage,
                None,
                simulated=True,
            )
        )
    return made


def test_a_call_reads_the_prompt_before_it_while_that_lives() -> None:
    soon, late = "2026-01-05T10:04:00Z", "2026-01-05T10:30:00Z"
    first, second, third = cached(timed("2026-01-05T10:00:00Z", soon, late))
    assert (first.usage.cache_read, first.usage.cache_write) == (0, 2_000)
    assert (second.usage.cache_read, second.usage.cache_write) == (2_000, 1_000)
    assert (third.usage.cache_read, third.usage.cache_write) == (0, 4_000)


def test_an_hour_is_longer_and_its_writes_are_marked() -> None:
    times = ("2026-01-05T10:00:00Z", "2026-01-05T10:30:00Z")
    _, second = cached(timed(*times), "1h")
    assert (second.usage.cache_read, second.usage.cache_write_1h) == (2_000, 1_000)
    assert all(one.usage.cache_read == 0 for one in cached(timed(*times), "none"))


def test_a_cache_reads_in_steps_above_its_minimum() -> None:
    policy = policy_of("gpt-4.1")
    assert policy.readable(1_023) == 0
    assert policy.readable(1_200) == 1_152
    assert split(Usage(3_000, 1), 2_000, policy) == Usage(3_000, 1, 1_920, 0, cache_write_1h=0)
    assert policy_of("unheard-of") is NONE


@pytest.mark.parametrize(
    "text", ["2026-01-05T10:00:00Z", "2026-01-05T11:00:00+01:00", "1767607200", "1767607200000"]
)
def test_times_are_read_as_transcripts_write_them(text: str) -> None:
    found = moment(text)
    assert found is not None
    assert found.timestamp() == 1_767_607_200
    assert moment("yesterday") is None


def session(turns: int, more: str = "") -> Conversation:
    messages: list[Message] = [system("You help.")]
    for i in range(turns):
        messages += [
            human(f"Look at file {i}."),
            says("", call(f"c{i}", "Read", f'{{"path": "f{i}"}}')),
            result(f"c{i}", f"line {i} of many words here\n" * 300, "Read"),
            says(f"File {i} is fine. {more}"),
        ]
    return talk(*messages)


def test_the_walk_adds_up_and_stays_below_what_was() -> None:
    found = session(12)
    sizing = sized(found, 16_000)
    walked = walk(found, calls(found), Options(), sizing)
    assert walked.events
    assert len(walked.steps) == 24
    for one in walked.steps:
        assert one.base - one.context == sum(one.saved)
        assert one.context <= sizing.budget.budget
    for event in walked.events:
        assert event.after < event.before
        assert event.prefix <= event.after


def test_all_layers_of_one_compaction_break_the_prefix_once() -> None:
    found = session(30, "It reads well, and here is why: " + "because it does. " * 80)
    walked = walk(found, calls(found), Options(), sized(found, 16_000))
    fired = [one.compaction for one in walked.steps if one.compaction]
    assert fired == [event.number for event in walked.events]
    acted = [sum(tokens != 0 for tokens in event.saved) for event in walked.events]
    assert max(acted) > 1


def test_between_compactions_nothing_of_the_prefix_changes() -> None:
    found = session(12)
    walked = walk(found, calls(found), Options(), sized(found, 16_000))
    for before, one in zip(walked.steps, walked.steps[1:], strict=False):
        if not one.compaction:
            assert one.shared == before.context


def test_without_layers_the_walk_is_the_record() -> None:
    found = session(6)
    off = Options(off=frozenset(RUN_ORDER))
    walked = walk(found, calls(found), off, sized(found, 16_000))
    assert all(one.base == one.context for one in walked.steps)
    assert walked.events == ()
