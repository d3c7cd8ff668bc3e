"""What fits: the meter and the budget of a conversation, from options, model and recorded usage.

Owns the arithmetic of the window (SPEC "Window"): which model, which window, what is kept free for
the answer, what an inexact counter takes off, what the transcript does not show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from baodai.accounting import Budget, Note
from baodai.errors import NoVocabularyError, UnknownModelError, WindowTooSmallError
from baodai.model import Conversation, Message, texts_of
from baodai.models import ModelInfo, Row, lookup, normalised, reserve, suggestions
from baodai.refs import REF
from baodai.tokens import ESTIMATE_ERROR, Estimator, Fit, Meter, TokenCounter, counter_for, fit

TRIGGER, TARGET = 0.80, 0.60

_GOOD_FIT = 0.1
"""Error share up to which a fit is taken though the table states less."""

_FIT_ERROR = 0.01
"""Least error share of a fit: it was judged on the calls it was made from."""

_SLACK = 0.97
"""For rounding, message by message, when counted again with another factor."""

_OVERHEAD_MOST = 80_000
_OVERHEAD_SHARE = 0.4
"""An overhead above either is no system prompt: the transcript lost what its usage still counts
(it was compacted before). Real agents' prompts and schemas take 5,000 to 60,000 tokens."""


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """What a user may say of the window; all in tokens but the shares.

    `None` and empty mean: from the model. `overhead` is what the transcript does not show (`None`:
    from recorded usage). `models` are rows of the user's own.
    """

    model: str = ""
    window: int | None = None
    reserve: int | None = None
    overhead: int | None = None
    trigger: float = TRIGGER
    target: float = TARGET
    models: Sequence[Row] = ()


@dataclass(frozen=True, slots=True)
class Sizing:
    """How a conversation is measured, and against what.

    `fit` is what recorded usage says of this model, `notes` what a user should know.
    """

    meter: Meter
    budget: Budget
    model: ModelInfo
    fit: Fit | None
    notes: tuple[Note, ...] = ()

    @property
    def description(self) -> str:
        """One line for people: model, arithmetic, counter and how well it fits."""
        b = self.budget
        name = self.model.name or "no model named"
        margin = f" - margin {b.margin:,}" if b.margin else ""
        how = f"{self.meter.name}, {'exact' if self.meter.exact else 'approximate'}"
        usage = f"; usage: {self.fit}" if self.fit else ""
        return (
            f"{name}: window {b.window:,} - reserve {b.reserve:,}{margin} = {b.budget:,}; "
            f"counted with {how}{usage}"
        )


def budget_for(
    conversation: Conversation,
    options: WindowOptions | None = None,
    counters: Callable[[str], TokenCounter] = counter_for,
) -> Sizing:
    """The meter and the budget of a conversation.

    The model is the named one, else the transcript's, else none is known: then 128,000 tokens of
    `o200k_base`. Raises `WindowTooSmallError` where reserve and margin leave nothing.
    """
    options = options or WindowOptions()
    recorded = lookup(model_of(conversation), options.models)
    info = lookup(options.model, options.models) if options.model else recorded
    plain = Meter(counters(info.encoding))
    said = _said(conversation, plain, recorded)
    used = said if normalised(info.name) == normalised(recorded.name) else None
    factor, error = _factor(info, plain.counter, used)
    window = info.window if options.window is None else options.window
    kept = reserve(window, info.max_output) if options.reserve is None else options.reserve
    margin = math.ceil(max(0, window - kept) * error)
    keeps = conversation.keeps_measure or conversation.measure is not None
    if window - kept - margin <= 0:
        raise WindowTooSmallError(window, kept, margin)
    overhead, notes = _overhead(options, said, recorded, factor, window)
    meter = plain.adjusted(factor, overhead, own=info.exact)
    return Sizing(
        meter,
        _budget(options, meter, info, (window, kept, margin), keeps=keeps),
        info,
        used,
        (*_warnings(info, plain.counter, options), *notes),
    )


def _said(conversation: Conversation, plain: Meter, recorded: ModelInfo) -> Fit | None:
    """What usage says; where an earlier compaction kept its measure, that."""
    kept = conversation.measure
    if kept is not None:
        return Fit(kept.factor, kept.overhead, 0, kept.error, kept.fitted)
    return fit(
        conversation,
        plain,
        recorded.factor,
        keep=recorded.exact and plain.counter.exact,
        shortened=shortened(conversation),
    )


def _budget(
    options: WindowOptions,
    meter: Meter,
    info: ModelInfo,
    room: tuple[int, int, int],
    *,
    keeps: bool,
) -> Budget:
    """The budget; its target is low enough to stay below the trigger when looked at again.

    The output of a compaction is measured with what the table states, since its usage is that of
    the longer conversation. Where that counts more than the fit, or leaves a larger margin, the
    target comes down, and where the format keeps no measure (`keeps`) the budget too, so that
    compacting an output again changes nothing.
    """
    window, kept, margin = room
    if not keeps and meter.factor != info.factor:
        again = (window - kept) * (1 - stated_error(info, meter.counter)) - (options.overhead or 0)
        most = int(again * _SLACK * meter.factor / info.factor) + meter.overhead
        margin = max(margin, min(window - kept - 1, window - kept - most))
    budget = window - kept - margin
    target = int(budget * options.target)
    if meter.factor != info.factor:
        given = options.overhead or 0
        again = (window - kept) * (1 - stated_error(info, meter.counter)) * options.trigger - given
        most = int(again * _SLACK * meter.factor / info.factor) + meter.overhead
        target = max(1, min(target, most))
    trigger = int(budget * options.trigger)
    return Budget(window, kept, margin, meter.overhead, budget, trigger, target)


def shortened(conversation: Conversation) -> bool:
    """Whether baodai took text out of it before: its marks stand in messages of it."""
    if not any(message.usage for message in conversation.messages):
        return False
    return any(map(_marked, conversation.messages))


def _marked(message: Message) -> bool:
    texts = [text.text for block in message.blocks for text in texts_of(block)]
    texts += [call.arguments for call in message.calls]
    return any("bd:" in text and REF.search(text) for text in texts)


def stated_error(info: ModelInfo, counter: TokenCounter) -> float:
    """The error share without recorded usage."""
    return info.error if counter.exact else max(info.error, ESTIMATE_ERROR)


def model_of(conversation: Conversation) -> str:
    """The model the transcript names last; names in angle brackets are a harness's own messages."""
    named = (conversation.model, *(m.model for m in reversed(conversation.messages)))
    return next((name for name in named if name and not name.startswith("<")), "")


def _factor(info: ModelInfo, counter: TokenCounter, used: Fit | None) -> tuple[float, float]:
    """Factor and error share: from usage where that fits better than what the table states."""
    stated = stated_error(info, counter)
    if used is not None and used.fitted and used.error <= max(stated, _GOOD_FIT):
        return used.factor, max(used.error, _FIT_ERROR)
    return info.factor, stated


def _overhead(
    options: WindowOptions, said: Fit | None, recorded: ModelInfo, factor: float, window: int
) -> tuple[int, tuple[Note, ...]]:
    """Tokens to count in for what the transcript does not show, or why none are."""
    if options.overhead is not None:
        return options.overhead, ()
    if said is None or not said.overhead:
        return 0, ()
    if options.window is not None and options.window < recorded.window:
        # Whoever names a smaller window speaks of another model's, with a prompt of its own; 20,000
        # tokens of one agent's tools would leave nothing of a window of 8,000.
        why = "the window given is smaller than that of the transcript's model"
    elif said.overhead > min(_OVERHEAD_MOST, window * _OVERHEAD_SHARE):
        why = "too much for a prompt and tools: the transcript was shortened after these calls"
    else:
        return round(said.overhead * factor / said.factor), ()
    text = f"overhead of {said.overhead:,} tokens not counted in: {why} (--overhead N counts it)"
    return 0, (Note("note", "overhead", text),)


def _warnings(info: ModelInfo, counter: TokenCounter, options: WindowOptions) -> tuple[Note, ...]:
    notes = []
    if not info.known:
        close = ", ".join(suggestions(info.name, options.models)) if options.model else ""
        hint = f"; did you mean {close}" if close else ""
        text = f"unknown model {info.name!r}: {info.window:,} tokens of {info.encoding}{hint}"
        notes.append(Note("warning", UnknownModelError.code, text))
    if isinstance(counter, Estimator):
        text = f"tokens are estimated, within {ESTIMATE_ERROR:.0%}: {counter.why}"
        notes.append(Note("warning", NoVocabularyError.code, text))
    return tuple(notes)
