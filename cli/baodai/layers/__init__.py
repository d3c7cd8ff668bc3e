"""Layers: pure functions from conversation and options to a plan of edits.

A layer is a module here that exports `LAYER`: a frozen dataclass whose fields are its options. Only
the pipeline applies its edits, counts, checks and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from baodai.accounting import Budget, ModelCall, Note
from baodai.catalogue import plugs
from baodai.decisions import Decision
from baodai.digests import Outcome
from baodai.edits import Edit
from baodai.model import Conversation, Measure, Message, ToolCall, ToolResult
from baodai.summarizers import Summarizer
from baodai.tokens import Meter
from baodai.tools import ToolTable


@dataclass(frozen=True, slots=True)
class Pressure:
    """How full the window is: the budget's arithmetic and the tokens now."""

    budget: Budget
    tokens: int

    @property
    def above_trigger(self) -> bool:
        """Whether layers 2, 4 and 3 may act."""
        return self.tokens > self.budget.trigger


@dataclass(frozen=True, slots=True)
class Plan:
    """The edits of one layer, what a user should know of them, and what models were asked."""

    edits: tuple[Edit, ...] = ()
    notes: tuple[Note, ...] = ()
    calls: tuple[ModelCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Services:
    """What layers may ask for; they hold nothing themselves.

    `original` gives a message as it came in (before any layer), `outcome` what came of a call,
    `decisions` all of the conversation, with their states. `fixed_tokens` is what never shrinks
    (overhead, tool schemas, system prompts), `summary_reserve` what the summary of so many tokens
    may take when protection narrows, `to_fold` the ids that layer 3 is about to fold,
    `measure` how usage says to measure, where it does. `pinned` are the ids of messages whose
    results no layer shrinks: those of pinned turns, and those that hold a pinned text.
    """

    meter: Meter
    toolbox: ToolTable
    summarizer: Summarizer
    decisions: tuple[Decision, ...]
    original: Callable[[str], Message]
    outcome: Callable[[ToolCall | None, ToolResult], Outcome]
    to_fold: Callable[[Conversation, Pressure], frozenset[str]]
    redact: Callable[[str], str]
    language: str
    keep_turns: int
    fixed_tokens: int
    summary_reserve: Callable[[int], int]
    pinned_turns: frozenset[int] = frozenset()
    pinned: frozenset[str] = frozenset()
    pins: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    measure: Measure | None = None

    def original_result(self, message_id: str, block: int, now: ToolResult) -> ToolResult:
        """The result as it came in, found by its place; `now` where the place has changed."""
        blocks = self.original(message_id).blocks
        was = blocks[block] if block < len(blocks) else now
        return was if isinstance(was, ToolResult) and was.call_id == now.call_id else now


class Layer(Protocol):
    """One stage. `number` is its name in the issue of the layers, not its place in the order."""

    name: str
    number: int

    def plan(self, conversation: Conversation, pressure: Pressure, services: Services) -> Plan:
        """What it would change; nothing where it has nothing to do."""
        ...


def layers() -> Mapping[str, Layer]:
    """All layers, with their default options, by name."""
    return cast("Mapping[str, Layer]", plugs("baodai.layers", "LAYER"))


RUN_ORDER: Sequence[str] = (
    "live_output",
    "turn_budget",
    "history_shrink",
    "memory_flush",
    "cold_fold",
)
"""Layer 5 acts when a result enters, 1 on one turn's results, 2 on older turns; 4 before 3."""
