"""The timeline: every model call of a transcript, as the runtime made it.

Recorded usage where it is there and right, counting where not; each call says which. Answers
outside of the context (sub-agents', branches that were left, what was folded) are calls too: they
were paid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate

from baodai.model import Conversation, Message, Role, Thinking, Usage
from baodai.stops import Stop, stop_of
from baodai.structure import turn_numbers
from baodai.tokens import Meter

_UNFINISHED = 0.5
_UNFINISHED_LEAST = 50
"""A record of an answer that was still streaming tells a few output tokens, or none. Where no stop
reason is told either, and what stands there has over twice the tokens and 50 more, the count is
right."""


class Purpose(StrEnum):
    """What a call was for."""

    ANSWER = "answer"
    CONTINUATION = "continuation"
    ASIDE = "aside"
    SIDECHAIN = "sidechain"
    SUMMARY = "summary"
    MEMORY = "memory"


class Source(StrEnum):
    """Where the tokens of a call are from."""

    RECORDED = "recorded"
    PARTLY = "partly counted"
    COUNTED = "counted"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class Call:
    """One model call. Tokens in `usage` are the model's, `base` the context before it as counted.

    `first` is the index of the answer's first message, -1 outside of the context; `recorded` what
    the transcript says (`None`: nothing), `key` what makes it the same call in another transcript
    (empty: nothing does), `cut` that its output limit ended it and nothing went on from there,
    `simulated` that its share of the cache is not from a record.
    """

    number: int
    purpose: Purpose
    source: Source
    model: str
    made_at: str
    line: int
    turn: int
    first: int
    usage: Usage
    recorded: Usage | None
    base: int = 0
    key: str = ""
    cut: bool = False
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class _Answer:
    """The messages of one answer: indexes, the message that tells its usage, its output counted."""

    first: int
    messages: tuple[Message, ...]
    base: int
    continues: bool = False
    cut: bool = False

    @property
    def told(self) -> Message:
        return next((m for m in reversed(self.messages) if m.usage), self.messages[-1])


def timeline(conversation: Conversation, meter: Meter) -> tuple[Call, ...]:
    """Every call, in the order of the transcript's lines; the cache of counted ones is not told."""
    numbers = turn_numbers(conversation)
    inside = [
        _inside(answer, conversation, meter, numbers) for answer in _answers(conversation, meter)
    ]
    outside = [_outside(message, conversation) for message in conversation.origin.aside]
    ordered = sorted([*inside, *outside], key=lambda call: (call.line, call.first < 0))
    return tuple(replace(call, number=i) for i, call in enumerate(ordered, 1))


def prefix_sums(conversation: Conversation, meter: Meter) -> list[int]:
    """Tokens of the prompt before each message, and of the whole, as counted."""
    sizes = map(meter.message, conversation.messages)
    return list(accumulate(sizes, initial=meter.fixed(conversation)))


def _answers(conversation: Conversation, meter: Meter) -> Iterator[_Answer]:
    """The answers of the context; the records of one API message are one answer."""
    messages = conversation.messages
    sums = prefix_sums(conversation, meter)
    groups: dict[str, list[int]] = {}
    for i, message in enumerate(messages):
        if message.role is Role.ASSISTANT and not message.is_summary:
            groups.setdefault(message.group or f"\0{message.id}", []).append(i)
    previous: _Answer | None = None
    for at in groups.values():
        members = tuple(messages[i] for i in at)
        if not _called(messages, at[0], members):
            continue
        if previous is not None:
            yield replace(previous, cut=_was_cut(previous) and not _goes_on(messages, previous, at))
        goes_on = previous is not None and _was_cut(previous)
        goes_on = goes_on and previous is not None and _goes_on(messages, previous, at)
        previous = _Answer(at[0], members, sums[at[0]], goes_on)
    if previous is not None:
        yield replace(previous, cut=_was_cut(previous))


def _called(messages: Sequence[Message], first: int, members: Sequence[Message]) -> bool:
    """Whether a model was asked: an answer before any question is a greeting that was put there."""
    if any(m.usage for m in members):
        return True
    return any(m.role is not Role.SYSTEM for m in messages[:first])


def _was_cut(answer: _Answer) -> bool:
    return any(stop_of(m.stop_reason) is Stop.CUT for m in answer.messages)


def _goes_on(messages: Sequence[Message], cut: _Answer, later: Sequence[int]) -> bool:
    """Whether an answer goes on from a cut one: nobody spoke between, and no result came."""
    between = messages[cut.first : later[0]]
    return not any(m.starts_turn or m.results for m in between)


def _inside(
    answer: _Answer, conversation: Conversation, meter: Meter, numbers: dict[str, int]
) -> Call:
    told = answer.told
    counted = sum(map(meter.message, answer.messages))
    shown = counted - sum(
        meter.block(b) for m in answer.messages for b in m.blocks if isinstance(b, Thinking)
    )
    usage, source = _usage(told, answer.base, counted, shown)
    return Call(
        number=0,
        purpose=Purpose.CONTINUATION if answer.continues else Purpose.ANSWER,
        source=source,
        model=told.model or conversation.model,
        made_at=told.timestamp or answer.messages[0].timestamp,
        line=told.line,
        turn=numbers.get(answer.messages[0].id, 0),
        first=answer.first,
        usage=usage,
        recorded=told.usage,
        base=answer.base,
        key=key_of(told),
        cut=answer.cut,
        simulated=told.usage is None or not told.usage.input,
    )


def _usage(told: Message, base: int, counted: int, shown: int) -> tuple[Usage, Source]:
    """The usage that is reckoned with, and where it is from."""
    said = told.usage
    if said is None or not (said.input or said.output):
        return Usage(base, counted), Source.COUNTED
    unfinished = said.output < shown * _UNFINISHED and shown - said.output >= _UNFINISHED_LEAST
    unfinished = unfinished and not (told.stop_reason and said.output)
    if said.input and not unfinished:
        return said, Source.RECORDED
    output = counted if unfinished else said.output
    return replace(said, input=said.input or base, output=output), Source.PARTLY


def _outside(message: Message, conversation: Conversation) -> Call:
    said = message.usage or Usage()
    return Call(
        number=0,
        purpose=Purpose.SIDECHAIN if message.sidechain else Purpose.ASIDE,
        source=Source.RECORDED if said.input and said.output else Source.PARTLY,
        model=message.model or conversation.model,
        made_at=message.timestamp,
        line=message.line,
        turn=0,
        first=-1,
        usage=said,
        recorded=message.usage,
        key=key_of(message),
    )


def key_of(message: Message) -> str:
    """What names a call wherever it is recorded: the provider's id, else its time and usage."""
    if message.usage is None:
        return ""
    if message.group and message.group.startswith(("msg_", "chatcmpl-", "resp_", "gen-")):
        return message.group
    if not message.timestamp:
        return ""
    said = message.usage
    counts = (said.input, said.output, said.cache_read, said.cache_write)
    return "\0".join(map(str, (message.model, message.timestamp, *counts)))
