"""Summarizers: a cold zone in, one structured summary out.

A summarizer is a module here that exports `SUMMARIZER`. The summary is a document of sections and
lines (`document` renders and parses it), so that a later compaction merges it instead of
summarising it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from baodai.accounting import ModelCall
from baodai.catalogue import plugs
from baodai.decisions import Decision
from baodai.digests import Outcome
from baodai.model import Measure, ToolCall, ToolResult, Turn

Count = Callable[[str], int]
"""Tokens of a text."""

SECTIONS = (
    "goal",
    "decisions",
    "preferences",
    "requirements",
    "results",
    "files",
    "errors",
    "open",
    "state",
)
"""The sections of a summary, in their order (SPEC, layer 3). Empty ones are left out."""

VERBATIM = frozenset({"goal", "decisions", "preferences", "requirements"})
"""Sections that carry the user's own words: their lines go over word for word, however often."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary.

    `turn` is where it comes from, `weight` its rank inside its section (higher stays longer),
    `keep` whether it must stay (decisions, requirements, preferences, conventions of the user).
    `status` is "live", "superseded" or "withdrawn" in the decisions section, else empty.
    """

    turn: int
    text: str
    weight: float = 0.0
    keep: bool = False
    status: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A structured summary of the turns `first_turn` to `last_turn`.

    `sections` holds (section, lines) in the order of `SECTIONS`; `ref` is the reference of what was
    folded; `coarser` tells each step by which earlier lines were shortened, to be recorded;
    `measure` is how the conversation is measured, kept with the summary for the next run. `calls`
    are what a model was asked for it, `warnings` what a user should know.
    """

    first_turn: int
    last_turn: int
    language: str
    sections: tuple[tuple[str, tuple[Line, ...]], ...]
    ref: str = ""
    coarser: tuple[str, ...] = ()
    measure: Measure | None = None
    calls: tuple[ModelCall, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryTask:
    """What is to be summarised.

    `turns` are the folded ones (whole, or the folded steps of a turn whose rest stays), with their
    original tool results; `decisions` all decisions of the conversation with their states, of which
    those in the folded turns must be in the summary (superseded ones only as superseded); `pins`
    and `focus` come from the user; `limit` is in tokens, what must stay may exceed it; `outcome`
    reads what came of a call.
    """

    turns: tuple[Turn, ...]
    decisions: tuple[Decision, ...]
    earlier: Summary | None
    limit: int
    count: Count
    outcome: Callable[[ToolCall | None, ToolResult], Outcome]
    language: str
    ref: str = ""
    pins: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    measure: Measure | None = None


class Summarizer(Protocol):
    """Makes a summary. Deterministic: the same task gives the same summary."""

    @property
    def name(self) -> str:
        """The name settings choose it by."""
        ...

    def floor(self, task: SummaryTask) -> int:
        """Tokens of what must be in the summary of `task`, whatever its limit."""
        ...

    def summarize(self, task: SummaryTask) -> Summary:
        """The summary of `task`."""
        ...


def summarizers() -> dict[str, Summarizer]:
    """All summarizers by name."""
    return cast("dict[str, Summarizer]", plugs("baodai.summarizers", "SUMMARIZER"))


def lines_of(summary: Summary, section: str) -> Sequence[Line]:
    """The lines of a section, none where it is not there."""
    return next((lines for name, lines in summary.sections if name == section), ())
