"""Which result answers which call, and which messages form a turn and a step.

Computed, never stored. Ids are reused in the wild, so a result is paired by place: with the oldest
open call of the latest message that holds that id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baodai.model import Conversation, Message, Role, Step, ToolCall, ToolResult, Turn

Place = tuple[int, int]
"""Index of a message, index of a block in it."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Calls and results by place. An orphan is a result without a call."""

    result_of: dict[Place, Place]
    call_of: dict[Place, Place]
    unanswered: tuple[Place, ...]
    orphans: tuple[Place, ...]


def pair(messages: Sequence[Message]) -> Pairing:
    """Pair every result with its call by id and place; without an id, by order."""
    open_calls: dict[str, list[Place]] = {}
    result_of: dict[Place, Place] = {}
    call_of: dict[Place, Place] = {}
    orphans: list[Place] = []
    order: list[Place] = []
    for i, message in enumerate(messages):
        for j, block in enumerate(message.blocks):
            if isinstance(block, ToolCall):
                open_calls.setdefault(block.id, []).append((i, j))
                order.append((i, j))
            elif isinstance(block, ToolResult):
                call = _take(open_calls.get(block.call_id, []))
                if call is None:
                    orphans.append((i, j))
                else:
                    result_of[call] = (i, j)
                    call_of[(i, j)] = call
    unanswered = tuple(place for place in order if place not in result_of)
    return Pairing(result_of, call_of, unanswered, tuple(orphans))


def _take(waiting: list[Place]) -> Place | None:
    """The oldest open call of the latest message among `waiting`, removed from it."""
    if not waiting:
        return None
    latest = waiting[-1][0]
    index = next(k for k, place in enumerate(waiting) if place[0] == latest)
    return waiting.pop(index)


def pending(messages: Sequence[Message], pairing: Pairing | None = None) -> tuple[Place, ...]:
    """Unanswered calls that may still be answered: none was answered after them, or made.

    An unanswered call that the conversation went past with other calls is dead, not pending.
    """
    pairing = pair(messages) if pairing is None else pairing
    last = max((call for call in pairing.result_of), default=(-1, -1))
    final = max((place[0] for place in (*pairing.result_of, *pairing.unanswered)), default=-1)
    return tuple(p for p in pairing.unanswered if p[0] == final or p[0] > last[0])


def turns(conversation: Conversation) -> tuple[Turn, ...]:
    """The turns, numbered from `conversation.first_turn`; system messages and summaries are none.

    What stands before the first prompt is a turn without one, numbered one less.
    """
    found: list[Turn] = []
    prompt: Message | None = None
    body: list[Message] = []
    number = conversation.first_turn - 1
    ends = _reach(conversation.messages)
    reached: list[int] = []
    for i, message in enumerate(conversation.messages):
        if message.role is Role.SYSTEM or message.is_summary:
            continue
        if message.starts_turn:
            if prompt is not None or body:
                found.append(Turn(number, prompt, tuple(_steps(body, number, reached))))
            prompt, body, reached = message, [], []
            number += 1
        else:
            body.append(message)
            reached.append(ends[i])
    if prompt is not None or body:
        found.append(Turn(number, prompt, tuple(_steps(body, number, reached))))
    return tuple(found)


def _reach(messages: Sequence[Message]) -> list[int]:
    """For each message, how many of its calls' results lie behind it (0: nothing to wait for)."""
    pairing = pair(messages)
    counts = [0] * len(messages)
    for call in pairing.result_of:
        counts[call[0]] += 1
    for call, result in pairing.result_of.items():
        if result[0] == call[0]:
            counts[call[0]] -= 1
    return counts


def _steps(body: Sequence[Message], turn: int, waits: Sequence[int]) -> Iterator[Step]:
    """Cut a turn into steps: a new assistant message starts one when all is answered."""
    current: list[Message] = []
    group = ""
    waiting = 0
    for message, wait in zip(body, waits, strict=True):
        fresh = message.role is Role.ASSISTANT and (not message.group or message.group != group)
        if fresh and current and waiting <= 0 and any(m.role is Role.ASSISTANT for m in current):
            yield Step(turn, tuple(current))
            current, waiting = [], 0
        if message.role is Role.ASSISTANT:
            group = message.group
        current.append(message)
        waiting += wait - len(message.results)
    if current:
        yield Step(turn, tuple(current))


def turn_numbers(conversation: Conversation) -> dict[str, int]:
    """The turn of every message by its id; system messages and summaries have 0."""
    numbers = {message.id: 0 for message in conversation.messages}
    for turn in turns(conversation):
        for message in turn.messages:
            numbers[message.id] = turn.number
    return numbers
