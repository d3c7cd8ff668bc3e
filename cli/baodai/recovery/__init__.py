"""Finishing answers that an output limit cut off: one engine for the live path and for replay.

To embed it: make a `Recovery` with a provider and a `Policy`, pass on what `stream(request)` yields
(one uninterrupted answer), then read `result`. Owns the values; `engine` is the machine, `detect`
knows that an answer was cut, `seam` joins two pieces, `instruct` has the words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

ANCHOR = 2_000
"""Characters of the end of what came that a continuation is asked with (SPEC 3)."""

CONTINUATIONS = 3
"""Times that one answer is asked to go on, at most (SPEC 3)."""


class Cut(StrEnum):
    """What was cut off."""

    NOT = "not"
    TEXT = "text"
    CALL = "call"
    THINKING = "thinking"
    OVERFLOW = "overflow"
    BROKEN = "broken"


class Outcome(StrEnum):
    """How it ended.

    `WHOLE`: it was never cut. `TRUNCATED`: cut after the last continuation, to go on by its handle.
    """

    WHOLE = "whole"
    RECOVERED = "recovered"
    TRUNCATED = "truncated"
    NO_PROGRESS = "no-progress"
    LOOP = "loop"
    CALL_EXCEEDS_CAP = "call-exceeds-cap"
    THINKING_ONLY = "thinking-only"
    OVERFLOW = "overflow"
    FAILED = "failed"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of an answer; `arguments` as they came, JSON where the model kept to it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request brought: text, thinking, calls, and why it ended (empty: it broke off).

    `output` are the tokens the provider reported, 0 where it did not.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    reason: str = ""
    output: int = 0
    input: int = 0


@dataclass(frozen=True, slots=True)
class Segment:
    """One request of a recovery.

    `asked` tells what it was for ("answer", "continue", "call again", "more room", "shorter
    input", "shorter anchor"); `text` are the characters it added, `removed` those taken out at the
    seam with `why`; `ambiguous` that overlap and honest repetition could not be told apart. Tokens
    as reported or counted; `whole` what sending the whole answer again would have taken in.
    """

    asked: str
    cut: Cut
    text: int = 0
    removed: int = 0
    why: str = ""
    ambiguous: bool = False
    input: int = 0
    output: int = 0
    whole: int = 0


@dataclass(frozen=True, slots=True)
class Policy:
    """What a recovery may do.

    `raise_to` is the cap that is tried once where a call or thinking never fits; `language` of the
    instruction; `instruction` replaces its words; `max_calls` bounds requests in all, 0: none.
    """

    continuations: int = CONTINUATIONS
    anchor: int = ANCHOR
    raise_to: int | None = None
    language: str = "en"
    instruction: str = ""
    max_calls: int = 0


@dataclass(frozen=True, slots=True)
class Recovered:
    """The answer with its provenance. `notice` stands behind a text that is not whole."""

    text: str
    calls: tuple[Call, ...]
    outcome: Outcome
    segments: tuple[Segment, ...] = ()
    notice: str = ""
    handle: str = ""
    reason: str = ""
    thinking: str = field(default="", repr=False)

    @property
    def continuations(self) -> int:
        """Requests that asked the answer to go on."""
        return sum(s.asked in {"continue", "call again", "shorter anchor"} for s in self.segments)

    @property
    def ambiguous(self) -> bool:
        """Whether some seam could not be told from honest repetition."""
        return any(s.ambiguous for s in self.segments)

    @property
    def saved(self) -> int:
        """Input tokens saved against sending the whole answer again each time."""
        return sum(max(0, s.whole - s.input) for s in self.segments)
