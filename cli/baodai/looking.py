"""A look at one conversation: how full the window is, and what takes the space.

Counts by the same meter as a compaction; never changes anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from baodai.accounting import Note
from baodai.invariants import violations
from baodai.layers._results import ShownResult, shown_results
from baodai.layers._stale import superseded
from baodai.model import Conversation, Message, Opaque, Text, Thinking, ToolCall, ToolResult
from baodai.stops import Stop, stop_of
from baodai.structure import turn_numbers
from baodai.tokens import Meter
from baodai.tools import ToolTable
from baodai.window import WindowOptions, budget_for

_LARGEST = 50


@dataclass(frozen=True, slots=True)
class Look:
    """What there is to see.

    Sizes are tokens; a row of `largest` is line, turn, tool, tokens, why stale, target.
    """

    format: str
    container: str
    sizing: str
    exact: bool
    tokens: int
    budget: int
    window: int
    messages: int
    turns: int
    bytes: int
    context_bytes: int
    by_kind: Mapping[str, int]
    by_tool: Mapping[str, int]
    by_turn: Mapping[str, int]
    largest: tuple[tuple[int, int, str, int, str, str], ...]
    stale: int
    stale_tokens: int
    cut: tuple[tuple[int, str], ...]
    violations: tuple[tuple[int, str, str], ...]
    unknown: Mapping[str, int]
    notes: tuple[Note, ...]


def look(conversation: Conversation, options: WindowOptions, toolbox: ToolTable) -> Look:
    """Look at a conversation.

    Raises:
        WindowTooSmallError: the reserve leaves nothing of the window.
    """
    sizing = budget_for(conversation, options)
    meter = sizing.meter
    turns = turn_numbers(conversation)
    results = tuple(shown_results(conversation))
    stale = superseded(results, toolbox)
    shown = [_row(r, turns, meter, toolbox, stale) for r in results]
    by_kind, by_turn = _sizes(conversation, meter, turns)
    by_tool: Counter[str] = Counter()
    for row in shown:
        by_tool[row[2] or "unknown"] += row[3]
    lines = {m.id: m.line for m in conversation.messages}
    return Look(
        format=conversation.origin.format,
        container=conversation.origin.container,
        sizing=sizing.description,
        exact=meter.exact,
        tokens=meter.conversation(conversation),
        budget=sizing.budget.budget,
        window=sizing.budget.window,
        messages=len(conversation.messages),
        turns=len(set(turns.values()) - {0}),
        bytes=sum(map(len, conversation.origin.records)),
        context_bytes=sum(map(_visible, conversation.messages)),
        by_kind=by_kind,
        by_tool=dict(by_tool),
        by_turn=by_turn,
        largest=tuple(sorted(shown, key=lambda row: -row[3])[:_LARGEST]),
        stale=sum(1 for row in shown if row[4]),
        stale_tokens=sum(row[3] for row in shown if row[4]),
        cut=_cut(conversation),
        violations=tuple(
            (lines.get(v.message_id, 0), v.rule, v.text) for v in violations(conversation)
        ),
        unknown=dict(conversation.origin.unknown),
        notes=sizing.notes,
    )


def _cut(conversation: Conversation) -> tuple[tuple[int, str], ...]:
    """Answers that their output limit cut: line, and the provider's word."""
    cut = (m for m in conversation.messages if stop_of(m.stop_reason) is Stop.CUT)
    return tuple((m.line, m.stop_reason) for m in cut)


def _row(
    shown: ShownResult,
    turns: Mapping[str, int],
    meter: Meter,
    toolbox: ToolTable,
    stale: Mapping[tuple[str, int], str],
) -> tuple[int, int, str, int, str, str]:
    message = shown.message
    target = toolbox.target(shown.call) if shown.call is not None else ""
    why = stale.get((message.id, shown.block), "")
    size = meter.block(shown.result)
    return message.line, turns.get(message.id, 0), shown.tool, size, why, target[:300]


def _sizes(
    conversation: Conversation, meter: Meter, turns: Mapping[str, int]
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Tokens by what they are, and by turn."""
    by_kind: Counter[str] = Counter()
    by_turn: Counter[str] = Counter()
    for message in conversation.messages:
        size = meter.message(message)
        number = turns.get(message.id, 0)
        if number:
            by_turn[f"turn {number}"] += size
        blocks = 0
        for block in message.blocks:
            taken = meter.block(block)
            blocks += taken
            by_kind[_kind(message, block)] += taken
        by_kind["message framing"] += size - blocks
    by_kind["overhead and tool schemas"] += meter.fixed(conversation)
    return {k: v for k, v in by_kind.items() if v > 0}, dict(by_turn)


def _kind(message: Message, block: Text | Thinking | ToolCall | ToolResult | Opaque) -> str:
    match block:
        case ToolResult():
            return "tool results"
        case ToolCall():
            return "tool calls"
        case Thinking():
            return "thinking"
        case Opaque():
            return f"other: {block.kind}"
        case Text():
            if message.is_summary:
                return "earlier summary"
            return "the user's words" if block.words.strip() else f"{message.role} text"


def _visible(message: Message) -> int:
    size = 0
    for block in message.blocks:
        match block:
            case Text() | Thinking() | ToolResult():
                size += len(block.text.encode("utf-8", "replace"))
            case ToolCall():
                size += len(block.arguments.encode("utf-8", "replace"))
            case Opaque():
                size += len(block.visible.encode("utf-8", "replace"))
    return size
