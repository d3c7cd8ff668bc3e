"""What a transcript's own recorded usage says of its counter: factor, overhead, and how well.

Each assistant message with usage is a point: the tokens counted before it against the input tokens
the provider reported. The slope is the model's tokens for each of the counter's, the intercept what
the transcript does not show. Medians throughout, since logs hold retries, other models' calls and
text that was compacted away.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from baodai.model import Conversation, Message, Role
from baodai.tokens.meter import Meter

FACTOR_LEAST, FACTOR_MOST = 0.7, 2.2
"""Sane factors: from a third fewer tokens than `o200k_base` (Kimi on Chinese) to Claude's most."""

_MIN_POINTS = 5
_MIN_SPREAD = 4_000
"""Points, and tokens between the first and the last of them, below which a slope is noise."""

_MOST_POINTS = 400
"""Points used for the pairs of Theil-Sen, which grow with the square."""

_DROP = 0.9
"""Input below this share of what was seen before means that the context was reset."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What usage says: tokens = `factor` x counted + `overhead`.

    `points` is how many calls it rests on, `error` the share by which it is off at the 95th
    percentile of the larger half of them, where a window fills. `fitted`: the factor is from usage
    too, not only the overhead.
    """

    factor: float
    overhead: int
    points: int
    error: float
    fitted: bool

    def __str__(self) -> str:
        calls = f"{self.points} call{'' if self.points == 1 else 's'}"
        how = f"factor {self.factor:.2f}" + ("" if self.fitted else " (stated)")
        off = f", off by {self.error:.1%} at p95" if self.points >= _MIN_POINTS else ""
        return f"{how}, overhead {self.overhead:,} tokens, from {calls}{off}"


Point = tuple[int, int]
"""Tokens counted before a call; input tokens reported for it."""


def points(
    conversation: Conversation, meter: Meter, *, shortened: bool = False
) -> tuple[Point, ...]:
    """The calls of the longest stretch without a reset, one for each API message.

    A group of records repeats one usage; a reset (a compaction, a rewind) starts a new stretch.
    `meter` counts without factor and overhead. `shortened`: text was taken out after calls had been
    recorded, so what stands before the first reset tells of a longer conversation and is left out.
    """
    stretches: list[list[Point]] = [[]]
    counted = meter.fixed(conversation)
    group, start, highest = "", 0, 0
    for message in conversation.messages:
        if message.role is Role.ASSISTANT and (not message.group or message.group != group):
            # What the records of one API message hold was not in its own prompt.
            group, start = message.group, counted
        reported = _reported(message)
        if reported:
            if reported < highest * _DROP:
                stretches.append([])
                highest = 0
            if not stretches[-1] or stretches[-1][-1][0] != start:
                stretches[-1].append((start, reported))
            highest = max(highest, reported)
        counted += meter.message(message)
    return max(map(tuple, stretches[1:] if shortened else stretches), key=len, default=())


def _reported(message: Message) -> int:
    if message.role is not Role.ASSISTANT or message.usage is None:
        return 0
    return message.usage.input


def fit(
    conversation: Conversation,
    meter: Meter,
    stated: float = 1.0,
    *,
    keep: bool = False,
    shortened: bool = False,
) -> Fit | None:
    """Factor and overhead of a conversation, from its recorded usage; `None` where it has none.

    `meter` counts without factor and overhead; what it has counted need not be counted again.
    `stated` is the factor of the model table: it stays where the calls are too few, too close
    together, or say something outside sane bounds, and where `keep` says that the tokenizer is
    published. Then the overhead is from the first call, which holds least of what was counted.
    `shortened` is as in `points`.
    """
    calls = points(conversation, meter, shortened=shortened)
    if not calls:
        return None
    slope = None if keep else _slope(calls)
    fitted = slope is not None and FACTOR_LEAST <= slope <= FACTOR_MOST
    factor = round(slope, 3) if slope is not None and fitted else stated
    rest = [reported - factor * counted for counted, reported in calls]
    overhead = max(0, round(median(rest) if fitted else rest[0]))
    return Fit(factor, overhead, len(calls), _error(calls, factor, overhead), fitted)


def _error(calls: tuple[Point, ...], factor: float, overhead: int) -> float:
    middle = median(reported for _, reported in calls)
    off = sorted(
        abs(factor * counted + overhead - reported) / reported
        for counted, reported in calls
        if reported >= middle
    )
    return off[min(len(off) - 1, int(len(off) * 0.95))]


def _slope(calls: tuple[Point, ...]) -> float | None:
    """Theil-Sen: the median of the slopes between all pairs that lie apart."""
    if len(calls) < _MIN_POINTS or calls[-1][0] - calls[0][0] < _MIN_SPREAD:
        return None
    step = -(-len(calls) // _MOST_POINTS)
    chosen = calls[::step]
    apart = (calls[-1][0] - calls[0][0]) // 10
    slopes = [
        (b[1] - a[1]) / (b[0] - a[0])
        for i, a in enumerate(chosen)
        for b in chosen[i + 1 :]
        if b[0] - a[0] >= apart
    ]
    return median(slopes) if slopes else None
