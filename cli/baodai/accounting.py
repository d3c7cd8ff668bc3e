"""The arithmetic that must balance: what each layer saved, edit by edit.

A number always says how it was counted; the sum of the layers equals before minus after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from baodai.edits import Fact
from baodai.model import Usage


class Change(StrEnum):
    """What an edit did to a message."""

    REWRITE = "rewrite"
    DROP = "drop"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class AppliedEdit:
    """One edit as it was made.

    Tokens are of the whole message, before and after. `line` is the 1-based line of the source
    record, `turn` the turn number (0: none), `ref` the reference of the original text.
    """

    layer: str
    change: Change
    message_id: str
    line: int
    turn: int
    tool: str
    target: str
    reason_code: str
    reason: str
    tokens_before: int
    tokens_after: int
    ref: str = ""

    @property
    def saved(self) -> int:
        """Tokens saved; negative where the edit adds."""
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True)
class LayerReport:
    """What one layer did. `status` is "done", "off", "not needed" or "nothing to do"."""

    layer: str
    number: int
    status: str
    tokens_before: int
    tokens_after: int
    edits: tuple[AppliedEdit, ...] = ()

    @property
    def saved(self) -> int:
        """Tokens saved by this layer."""
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True)
class Original:
    """A text that an edit took out, so that it can be had back.

    `position` orders the parts of one reference; `path` is the place of the block inside the
    record, as a JSON pointer; `text` is the original itself.
    """

    ref: str
    position: int
    message_id: str
    line: int
    path: str
    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class DecisionFate:
    """What became of a decision. `where` is "verbatim", "summary", "memory" or "lost"."""

    id: str
    kind: str
    state: str
    tier: int
    polarity: int
    object: str
    quote: str
    turn: int
    line: int
    language: str
    superseded_by: str
    where: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something a user should know of a compaction. `code` is a BD3xx code or a word.

    `level` is "note", "warning" or "error".
    """

    level: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Budget:
    """The window's arithmetic, all in tokens.

    `overhead` is counted in for what the transcript does not show (system prompt, schemas);
    `margin` is taken off for a counter that is not exact. budget = window - reserve - margin.
    """

    window: int
    reserve: int
    margin: int
    overhead: int
    budget: int
    trigger: int
    target: int


TableRow = tuple[str, tuple[object, ...]]
"""A table of the ledger, and the values of a row behind its run and transcript."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model that a run made.

    `purpose` is "summary"; `outcome` "accepted", "refused" (by the gate, `why` tells), "cached" or
    "failed"; `attempt` counts from 1. `usage` as the endpoint reported it.
    """

    purpose: str
    model: str
    outcome: str
    why: str = ""
    attempt: int = 1
    usage: Usage | None = None


NOTES: Mapping[str, str] = {
    "narrowed": "The last turns alone exceed the budget, so that the protection of them narrowed: "
    "first tool results of their older steps became digests, then older steps were folded. What "
    "the user typed and the newest steps stay. A larger `--window` keeps more.",
    "coarser": "Lines of an earlier summary were shortened or left out to make room, the oldest "
    "and those that can be had again first. The user's own words are never among them. The "
    "original is behind the reference in the summary's heading.",
    "overhead": "The transcript lacks what went out with each request (system prompt, tool "
    "schemas). Its size was read from the recorded usage and is counted in; `--overhead N` says "
    "it, `--overhead 0` leaves it out.",
    "converted": "Something has no place in the format that was asked for, or was mended because "
    "its API would refuse it. The input has it still.",
}
"""What the words mean that notes carry instead of a code."""


@dataclass(frozen=True, slots=True)
class Account:
    """Everything there is to say of one compaction, plain values only, so that it can be stored.

    `counter` names the engine-independent counter ("o200k_base", "o200k_base x1.18"), `exact` says
    whether it is the model's own tokenizer; `written` whether the output may be written (it fits,
    or the smallest was asked for): another one saves nothing. `tables` are rows for other tables of
    the ledger. `tokens_before - tokens_after` equals the sum of `layers[*].saved`.
    """

    conversation: str
    source: str
    format: str
    model: str
    counter: str
    exact: bool
    budget: Budget
    tokens_before: int
    tokens_after: int
    bytes_before: int
    bytes_after: int
    messages_before: int
    messages_after: int
    turns: int
    layers: tuple[LayerReport, ...]
    decisions: tuple[DecisionFate, ...]
    originals: tuple[Original, ...]
    facts: tuple[Fact, ...]
    notes: tuple[Note, ...]
    fits: bool
    project: str = ""
    written: bool = True
    calls: tuple[ModelCall, ...] = ()
    tables: tuple[TableRow, ...] = ()

    @property
    def saved(self) -> int:
        """Tokens saved in all."""
        return self.tokens_before - self.tokens_after
