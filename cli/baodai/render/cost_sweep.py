"""A sweep for people: its frontier, and what to take with the reasons."""

from __future__ import annotations

from collections.abc import Sequence

from baodai.cost.frontier import Advice, Reached
from baodai.render.cost import usd
from baodai.render.tables import Figure, table


def sweep(
    reached: Sequence[Reached], best: Sequence[Reached], advice: Advice, short: int, width: int
) -> str:
    """The frontier of a sweep, and what to take."""
    numbers = {point.number for point, _ in best}
    rows = [_point(one, advice) for one in best]
    without = [one for one in reached if one[0].number == 0 and 0 not in numbers]
    rows += [_point(one, advice) for one in without]
    heads = (
        "window", "trigger", "target", "layers", "summarizer", "cost", "saved", "broken",
        "summary", "compactions", "too large", "decisions", "conclusions", "",
    )  # fmt: skip
    left = f"; {short:,} conversations too short for any were left out" if short else ""
    head = f"{len(reached):,} settings, {len(best):,} on the frontier{left}"
    if advice.point is None:
        said = ["recommended: no compaction"]
    else:
        said = [f"recommended: {_described(advice)}"]
    said += [f"  - {reason}" for reason in advice.reasons]
    return "\n\n".join((head, table(heads, rows, width), "\n".join(said)))


def _described(advice: Advice) -> str:
    point = advice.point
    if point is None:
        return "no compaction"
    return (
        f"--window {point.window} --set window.trigger={point.trigger:g} "
        f"--set window.target={point.target:g} --layers {','.join(point.layers)}"
        + ("" if point.summarizer == "extractive" else f", summaries by {point.summarizer}")
    )


def _point(one: Reached, advice: Advice) -> tuple[object, ...]:
    point, found = one
    if point.number == 0:
        about: tuple[object, ...] = (Figure("none"), None, None, "", "")
    else:
        shares = (Figure(f"{point.trigger:g}"), Figure(f"{point.target:g}"))
        about = (point.window, *shares, point.numbers, point.summarizer)
    mark = "recommended" if advice.point is point else ""
    return (
        *about,
        Figure(usd(found.usd) + (" + ?" if found.unpriced else "")),
        usd(found.saved),
        usd(found.broken),
        usd(found.summary),
        found.compactions,
        found.too_large,
        Figure(f"{found.decisions_kept:,}/{found.decisions:,}"),
        Figure(f"{found.conclusions_kept:,}/{found.conclusions:,}"),
        mark,
    )
