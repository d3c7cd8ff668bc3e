"""Which points of a sweep are worth it, and which one to take, with the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from baodai.cost.sweep import Outcome, Point

_DECISIONS = 0.99
_CONCLUSIONS = 0.10
"""A recommendation keeps this share of what the best point keeps of the decisions, and at most this
share fewer conclusions than the best: what the user decided is not for sale."""

Reached = tuple[Point, Outcome]


@dataclass(frozen=True, slots=True)
class Advice:
    """The point to take and why, in sentences; `None` where compaction does not pay."""

    point: Point | None
    reasons: tuple[str, ...]


def frontier(reached: Sequence[Reached]) -> tuple[Reached, ...]:
    """The points that no other one beats, cheapest first; equal ones once."""
    ordered = sorted(reached, key=lambda r: (r[1].usd, -_kept(r), -r[1].conclusions_kept))
    found: list[Reached] = []
    for one in ordered:
        if not any(_beats(other[1], one[1]) for other in found):
            found.append(one)
    return tuple(found)


def _kept(one: Reached) -> int:
    return one[1].decisions_kept


def _beats(other: Outcome, one: Outcome) -> bool:
    """Whether a point that costs no more keeps no less."""
    return (
        other.usd <= one.usd
        and other.decisions_kept >= one.decisions_kept
        and other.conclusions_kept >= one.conclusions_kept
        and other.too_large <= one.too_large
    )


def advise(reached: Sequence[Reached]) -> Advice:
    """The cheapest point that gives up next to nothing; reasons with its figures."""
    without = next((one for one in reached if one[0].number == 0), None)
    compacting = [one for one in reached if one[0].number]
    fitting = [one for one in compacting if not one[1].too_large] or compacting
    if without is None or not fitting:
        return Advice(None, ("there is nothing to compare",))
    if not any(outcome.usd for _, outcome in reached):
        return Advice(None, ("no call has a price",))
    most = max(map(_kept, fitting))
    keeping = [one for one in fitting if _kept(one) >= most * _DECISIONS]
    best = max(one[1].conclusions_kept for one in keeping)
    floor = best - without[1].conclusions * _CONCLUSIONS
    good = [one for one in keeping if one[1].conclusions_kept >= floor]
    chosen = min(good, key=lambda one: (one[1].usd, -one[1].conclusions_kept, one[0].number))
    if chosen[1].usd >= without[1].usd:
        dearer = chosen[1].usd - without[1].usd
        text = (
            f"the cheapest setting that keeps the decisions costs ${dearer:,.2f} more than no "
            "compaction: compact where the window demands it, not to save"
        )
        return Advice(None, (text,))
    return Advice(chosen[0], tuple(_reasons(chosen, without[1], reached, fitting)))


def _reasons(
    chosen: Reached, without: Outcome, reached: Sequence[Reached], fitting: Sequence[Reached]
) -> list[str]:
    point, one = chosen
    less = without.usd - one.usd
    share = less / without.usd if without.usd else 0.0
    found = [
        (
            f"${one.usd:,.2f} against ${without.usd:,.2f} without compaction: {share:.0%} less "
            f"(saved ${one.saved:,.2f}, broken cache ${one.broken:,.2f}, "
            f"summarizer ${one.summary:,.2f})"
        ),
        (
            f"keeps {one.decisions_kept:,} of {one.decisions:,} decisions and "
            f"{one.conclusions_kept:,} of {one.conclusions:,} conclusions"
        ),
    ]
    cheapest = min(reached, key=lambda r: r[1].usd)
    if cheapest[1].usd < one.usd:
        found.append(
            f"the cheapest setting is ${one.usd - cheapest[1].usd:,.2f} less, but keeps "
            f"{cheapest[1].decisions_kept:,} decisions, {cheapest[1].conclusions_kept:,} "
            f"conclusions"
            + (f", and {cheapest[1].too_large:,} calls do not fit" * bool(cheapest[1].too_large))
        )
    found.extend(_neighbours(point, one, fitting))
    return found


def _neighbours(point: Point, one: Outcome, reached: Sequence[Reached]) -> list[str]:
    """What it costs to change one setting alone: the dearest step of each kind."""
    found = []
    for name in ("window", "trigger", "target", "numbers", "summarizer"):
        steps = [
            (outcome.usd - one.usd, other)
            for other, outcome in reached
            if other is not point and _differs_only(point, other, name)
        ]
        if steps:
            dearest, other = max(steps, key=lambda step: step[0])
            what = "layers" if name == "numbers" else name
            value = getattr(other, name)
            shown = f"{value:,}" if isinstance(value, int) else value
            if dearest > 0:
                found.append(f"{what} {shown} instead costs ${dearest:,.2f} more")
    return found


def _differs_only(point: Point, other: Point, name: str) -> bool:
    names = ("window", "trigger", "target", "numbers", "summarizer")
    return all((getattr(point, n) == getattr(other, n)) is (n != name) for n in names)
