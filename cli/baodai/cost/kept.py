"""What a compacted conversation still knows: the user's decisions, and what came of the calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from baodai.decisions import Decision, State
from baodai.decisions.language import language_of
from baodai.decisions.lexicon import NO_EXTRAS, Extras
from baodai.digests.outcome import outcome
from baodai.edits import Fact
from baodai.layers._results import shown_results
from baodai.model import Conversation, Text, Thinking, ToolCall, ToolResult
from baodai.receipts import fates
from baodai.redaction import redact
from baodai.summarizers.carrying import decided
from baodai.tools import ToolTable

_TELLING = 60
"""Characters of a conclusion that are looked for: a digest may cut a long line, never its start."""

_LEAST = 8


@dataclass(frozen=True, slots=True)
class Known:
    """What there is to keep: live decisions, and the telling line of each result that has one."""

    decisions: tuple[Decision, ...]
    conclusions: tuple[str, ...]
    language: str


@dataclass(frozen=True, slots=True)
class Kept:
    """How many there are, and how many of them are still there."""

    decisions: int
    decisions_kept: int
    conclusions: int
    conclusions_kept: int


def known(conversation: Conversation, toolbox: ToolTable, extras: Extras = NO_EXTRAS) -> Known:
    """What a conversation knows at its end."""
    found: dict[str, None] = {}
    for shown in shown_results(conversation):
        kind = toolbox.kind_of(shown.tool, shown.call)
        told = outcome(shown.call, shown.result, kind)
        lines = (*told.errors, *told.conclusions)
        line = next((_plain(one)[:_TELLING] for one in lines if len(one.strip()) >= _LEAST), "")
        if line:
            found.setdefault(line)
    live = tuple(d for d in decided(conversation, extras) if d.state is State.LIVE)
    return Known(live, tuple(found), language_of(conversation))


def kept(knowledge: Known, final: Conversation, facts: Sequence[Fact]) -> Kept:
    """How much of it a compacted conversation still has, memory included."""
    language = knowledge.language
    there = fates(knowledge.decisions, final, facts, lambda text: redact(text, language).text)
    text = _plain("\n".join(_texts(final)))
    return Kept(
        len(knowledge.decisions),
        sum(fate.where != "lost" for fate in there),
        len(knowledge.conclusions),
        sum(line in text for line in knowledge.conclusions),
    )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _texts(conversation: Conversation) -> list[str]:
    found: list[str] = []
    for message in conversation.messages:
        for block in message.blocks:
            match block:
                case Text() | Thinking() | ToolResult():
                    found.append(block.text)
                case ToolCall():
                    found.append(block.arguments)
                case _:
                    continue
    return found
