"""Compacting harder after a provider refused what was sent: a ladder of rungs (SPEC 2.2).

1. `reserve`: the input alone would fit; ask for a shorter answer.
2. `results`: layers 5, 1 and 2 at harsher settings, on the newest results too.
3. `fold`: everything but the last turn goes into the summary.
4. `middle`: the middle of the longest texts that are left is cut.

Each rung is tried once, must shrink by what was too much and a margin, and is deterministic.
Whoever sends (`recover`, `replay`, a runtime) climbs on when it is refused again; `compact
--overflow` starts from a recorded refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

from baodai.accounting import Note
from baodai.errors import FloorReachedError
from baodai.formats import Format
from baodai.layers import Layer
from baodai.layers._middle import MiddleCut
from baodai.model import Conversation
from baodai.overflow import Diagnosis, Trouble
from baodai.pipeline import Compaction, Options, compact

RUNGS = ("reserve", "results", "fold", "middle")

_MARGIN = 0.03
"""Share taken off besides what was too much: the provider counts in its own way."""

_UNKNOWN = 0.75
"""Share of what was sent that is tried next where the provider gave no numbers."""

_LEAST_ANSWER = 256
"""An answer shorter than this many tokens is not worth asking for."""

_HARSH = {
    "live_output": {"window_share": 0.05},
    "turn_budget": {"step_share": 0.06, "turn_share": 0.12, "floor": 200},
    "history_shrink": {"recent_share": 0.0},
}


@dataclass(frozen=True, slots=True)
class Rung:
    """One answer to a refusal.

    `goal` is what the compaction had to meet, in the counter's tokens; `max_output` the longest
    answer to ask for, `None`: as before.
    """

    name: str
    compaction: Compaction
    goal: int
    max_output: int | None = None


@dataclass(slots=True)
class Ladder:
    """Climbs rung by rung; `answer` gives the next that shrinks enough."""

    conversation: Conversation
    codec: Format
    options: Options
    source: str
    sent: int = 0
    _next: int = 0

    def answer(self, refused: Diagnosis) -> Rung | None:
        """The next rung that meets what the refusal asks for; `None`: nothing more can go."""
        sent = self.sent or self._measured()
        while self._next < len(RUNGS):
            name = RUNGS[self._next]
            self._next += 1
            rung = self._try(name, refused, sent)
            if rung is not None:
                self.sent = rung.compaction.account.tokens_after
                return rung
        return None

    def smallest(self, refused: Diagnosis) -> Compaction:
        """The irreducible floor: all rungs at once, fitting or not."""
        goal = goal_of(refused, self.sent or self._measured())
        return self._compacted("middle", goal, smallest=True)

    def _measured(self) -> int:
        return compact(
            self.conversation, self.codec, self._nothing(), source=self.source
        ).account.tokens_after

    def _nothing(self) -> Options:
        return replace(self.options, off=frozenset(self.options.layers), smallest=True)

    def _try(self, name: str, refused: Diagnosis, sent: int) -> Rung | None:
        if name == "reserve":
            left = refused.limit - refused.asked - int(refused.limit * _MARGIN)
            if not refused.output or left < _LEAST_ANSWER:
                return None
            same = compact(self.conversation, self.codec, self._nothing(), source=self.source)
            return Rung(name, same, sent, min(left, refused.output))
        goal = goal_of(refused, sent)
        made = self._compacted(name, goal)
        if made.account.tokens_after > goal:
            return None
        return Rung(name, made, goal)

    def _compacted(self, name: str, goal: int, *, smallest: bool = False) -> Compaction:
        options = self.options
        window = replace(options.window, window=goal, reserve=0)
        off = options.off | ({"cold_fold", "memory_flush"} if name == "results" else frozenset())
        last = cast("Layer", MiddleCut()) if name == "middle" else None
        harsh = replace(
            options,
            window=window,
            layers={n: _harsher(layer) for n, layer in options.layers.items()},
            off=off,
            keep_turns=1,
            smallest=smallest,
            last=last,
        )
        return compact(self.conversation, self.codec, harsh, source=self.source)


def goal_of(refused: Diagnosis, sent: int) -> int:
    """Tokens, by our counter, that the next request may have.

    The provider's count against ours tells how it counts; without numbers a quarter goes.
    """
    if refused.trouble is not Trouble.TOO_MANY_BYTES and refused.limit and refused.asked:
        room = max(1, refused.limit - min(refused.output, refused.limit // 8))
        goal = int(sent * room / refused.asked)
    elif refused.over:
        goal = sent - refused.over
    elif refused.trouble is not Trouble.TOO_MANY_BYTES and refused.limit:
        goal = min(refused.limit, int(sent * 0.95))
    else:
        goal = int(sent * _UNKNOWN)
    return max(1, min(goal, sent) - int(sent * _MARGIN))


def _harsher(layer: Layer) -> Layer:
    settings = _HARSH.get(layer.name)
    change = cast("Callable[..., Layer]", replace)
    return layer if settings is None else change(layer, **settings)


def after_refusal(
    conversation: Conversation, codec: Format, options: Options, refused: Diagnosis, *, source: str
) -> Compaction:
    """The compaction that answers a refusal, with a note that names the rung.

    Where nothing meets it the smallest result comes back, not to be written unless asked for.
    """
    ladder = Ladder(conversation, codec, options, source)
    rung = ladder.answer(refused)
    if rung is None:
        made = ladder.smallest(refused)
        note = Note(
            "error", FloorReachedError.code, "no rung brings it below what the provider allows"
        )
        account = replace(made.account, notes=(*made.account.notes, note))
        return replace(made, account=account, data=made.data if options.smallest else None)
    text = f"rung {rung.name}: at most {rung.goal:,} tokens"
    if rung.max_output is not None:
        text = f"rung reserve: the input fits; ask for at most {rung.max_output:,} tokens of answer"
    account = replace(
        rung.compaction.account,
        notes=(*rung.compaction.account.notes, Note("note", "reactive", text)),
    )
    return replace(rung.compaction, account=account)
