"""What messages tell once they are all there: which is a summary, whose result a result is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from baodai.formats._harness import named
from baodai.heading import measure_of, summary_range
from baodai.model import Conversation, Measure, Message, Origin, Role, ToolCall, ToolResult
from baodai.structure import pair


def first_turn(messages: Sequence[Message]) -> int:
    """The turn after those that an own summary covers."""
    ranges = (summary_range(m.text) for m in messages if m.is_summary)
    return max((found[1] + 1 for found in ranges if found is not None), default=1)


def measure_in(messages: Sequence[Message]) -> Measure | None:
    """How an earlier compaction measured, where its summary tells."""
    return next((m for s in messages if s.is_summary and (m := measure_of(s.text))), None)


def told(messages: Sequence[Message], *, user_carrier: bool) -> tuple[Message, ...]:
    """The messages with the summary told apart by its place, and results that know their tool."""
    known = list(messages)
    # Where a dialect has no system message, the first message carries the summary.
    first = next((i for i, m in enumerate(messages) if m.role is not Role.SYSTEM), -1)
    for i, message in enumerate(messages):
        carries = message.role is Role.SYSTEM or (
            user_carrier and i == first and message.role is Role.USER
        )
        if carries and summary_range(message.text) is not None:
            known[i] = replace(message, is_summary=True)
    for (r, j), (c, k) in pair(known).call_of.items():
        call, result = known[c].blocks[k], known[r].blocks[j]
        if isinstance(call, ToolCall) and isinstance(result, ToolResult):
            blocks = list(known[r].blocks)
            blocks[j] = named(result, result.name or call.name)
            known[r] = replace(known[r], blocks=tuple(blocks))
    return tuple(known)


@dataclass(frozen=True, slots=True)
class Around:
    """What a file tells around its messages."""

    rules: str = "openai"
    tools: str = ""
    model: str = ""
    project: str = ""
    unknown: Mapping[str, int] = field(default_factory=dict)
    hints: tuple[tuple[str, str], ...] = ()
    aside: tuple[Message, ...] = ()
    user_carrier: bool = False


def assembled(
    name: str,
    ident: str,
    records: Sequence[bytes],
    messages: Sequence[Message],
    around: Around,
    measure: Measure | None = None,
) -> Conversation:
    """The conversation that a codec has read from the records; `measure`: one it kept there."""
    known = told(messages, user_carrier=around.user_carrier)
    asked = next((m.model for m in reversed(known) if m.model), "")
    unknown = tuple(sorted(around.unknown.items()))
    origin = Origin(name, "", tuple(records), known, unknown, around.hints, around.aside)
    return Conversation(
        id=ident,
        messages=known,
        origin=origin,
        rules=around.rules,
        tools=around.tools,
        model=around.model or asked,
        project=around.project,
        first_turn=first_turn(known),
        measure=measure or measure_in(known),
    )
