"""What an API refuses, one class for each rule, and the comparison that guards every compaction.

A transcript may come in broken; it is reported and never made worse: what counts is which
violations the output has that the input had not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from baodai.jsonl import loads
from baodai.model import Conversation, Message, Role, Text, Thinking, ToolCall, ToolResult
from baodai.structure import Pairing, pair, pending


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule broken at a message. `key` identifies it across a compaction."""

    rule: str
    key: str
    message_id: str
    text: str


class Rule(Protocol):
    """One thing an API refuses."""

    @property
    def name(self) -> str:
        """Its name, in findings."""
        ...

    def check(self, messages: Sequence[Message], pairing: Pairing) -> Iterator[Violation]:
        """Its violations, in order."""
        ...


@dataclass(frozen=True, slots=True)
class OrphanResult:
    """A result needs an earlier call with its id (all APIs), and a call takes one result."""

    name: str = "orphan-result"

    def check(self, messages: Sequence[Message], pairing: Pairing) -> Iterator[Violation]:
        """Results that pair with no call."""
        for i, j in pairing.orphans:
            block = messages[i].blocks[j]
            if isinstance(block, ToolResult):
                key = f"{messages[i].id}:{block.call_id}"
                text = f"result {block.call_id!r} has no call before it"
                yield Violation(self.name, key, messages[i].id, text)


@dataclass(frozen=True, slots=True)
class UnansweredCall:
    """A call needs its result (all APIs), unless it is still waiting at the end."""

    name: str = "unanswered-call"

    def check(self, messages: Sequence[Message], pairing: Pairing) -> Iterator[Violation]:
        """Calls that nothing answers and nothing may answer any more."""
        waiting = frozenset(pending(messages, pairing))
        for place in pairing.unanswered:
            block = messages[place[0]].blocks[place[1]]
            if place not in waiting and isinstance(block, ToolCall):
                message_id = messages[place[0]].id
                text = f"call {block.id!r} ({block.name}) was never answered"
                yield Violation(self.name, f"{message_id}:{block.id}", message_id, text)


@dataclass(frozen=True, slots=True)
class DisplacedResult:
    """Results come before the next assistant message or user text (OpenAI, Anthropic)."""

    name: str = "displaced-result"

    def check(self, messages: Sequence[Message], pairing: Pairing) -> Iterator[Violation]:
        """Results with a foreign assistant message or a prompt between them and their call."""
        for (r, j), (c, _) in pairing.call_of.items():
            group = messages[c].group
            between = messages[c + 1 : r]
            if any(_breaks(message, group) for message in between):
                block = messages[r].blocks[j]
                call_id = block.call_id if isinstance(block, ToolResult) else ""
                text = f"result {call_id!r} does not follow its call"
                yield Violation(self.name, f"{messages[r].id}:{call_id}", messages[r].id, text)


def _breaks(message: Message, group: str) -> bool:
    if message.role is Role.ASSISTANT:
        return not group or message.group != group
    return message.starts_turn


@dataclass(frozen=True, slots=True)
class BadArguments:
    """Arguments are JSON where the API says so."""

    name: str = "bad-arguments"

    def check(self, messages: Sequence[Message], pairing: Pairing) -> Iterator[Violation]:  # noqa: ARG002
        """Calls whose arguments do not parse."""
        for message in messages:
            for call in message.calls:
                if not call.freeform and call.arguments and not _parses(call.arguments):
                    text = f"arguments of call {call.id!r} ({call.name}) are not JSON"
                    yield Violation(self.name, f"{message.id}:{call.id}", message.id, text)


def _parses(arguments: str) -> bool:
    try:
        loads(arguments.encode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class EmptyMessage:
    """A message has content (Anthropic refuses empty ones, thinking alone says nothing)."""

    name: str = "empty-message"

    def check(self, messages: Sequence[Message], pairing: Pairing) -> Iterator[Violation]:  # noqa: ARG002
        """Messages that say nothing; records that share a group are one message."""
        says = {m.group for m in messages if m.group and _says_something(m)}
        last = messages[-1].id if messages else ""
        for message in messages:
            if message.id == last or _says_something(message) or message.group in says:
                continue
            text = "a message without content"
            yield Violation(self.name, message.id, message.id, text)


def _says_something(message: Message) -> bool:
    for block in message.blocks:
        match block:
            case Text():
                if block.text.strip():
                    return True
            case Thinking():
                continue
            case _:
                return True
    return False


@dataclass(frozen=True, slots=True)
class RoleOrder:
    """A user speaks first, and two prompts or two answers do not follow each other.

    Lenient APIs merge them, strict ones refuse; a compaction must not be the cause of one.
    """

    name: str = "role-order"

    def check(self, messages: Sequence[Message], pairing: Pairing) -> Iterator[Violation]:  # noqa: ARG002
        """An assistant or tool message in front, and equal neighbours."""
        spoken = [m for m in messages if m.role is not Role.SYSTEM or m.is_summary]
        # A summary opens the conversation where its carrier speaks as the user; a system message
        # in front of an answer is legal wherever system messages are.
        if spoken and spoken[0].role is not Role.USER and not spoken[0].is_summary:
            yield Violation(
                self.name, "first", spoken[0].id, "the first message is no user message"
            )
        for before, after in pairwise(spoken):
            if _same_speaker(before, after):
                text = f"two {after.role} messages follow each other"
                yield Violation(self.name, f"{before.id}|{after.id}", after.id, text)


def _same_speaker(before: Message, after: Message) -> bool:
    if before.is_summary or after.is_summary:
        return False
    if after.role is Role.ASSISTANT:
        return before.role is Role.ASSISTANT and (not before.group or before.group != after.group)
    return before.starts_turn and after.starts_turn


RULES: tuple[Rule, ...] = (
    OrphanResult(),
    UnansweredCall(),
    DisplacedResult(),
    BadArguments(),
    EmptyMessage(),
    RoleOrder(),
)


def violations(conversation: Conversation) -> tuple[Violation, ...]:
    """All violations of the conversation's API, in the order of the rules."""
    messages = conversation.messages
    pairing = pair(messages)
    return tuple(v for rule in RULES for v in rule.check(messages, pairing))


def new_violations(before: Conversation, after: Conversation) -> tuple[Violation, ...]:
    """Violations that `after` has and `before` had not."""
    return unknown_to(violations(before), after)


def unknown_to(known: Sequence[Violation], after: Conversation) -> tuple[Violation, ...]:
    """Violations that `after` has and that are not among the known ones."""
    keys = {(v.rule, v.key) for v in known}
    return tuple(v for v in violations(after) if (v.rule, v.key) not in keys)
