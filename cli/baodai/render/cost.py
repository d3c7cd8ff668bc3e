"""What conversations cost, for people: totals first, then where the money goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from baodai.cost.analysis import Sums
from baodai.cost.summary import Summary, Total
from baodai.render.tables import Figure, table

_TRANSCRIPTS = 30
"""Transcripts that are listed, the dearest first; `--json` and the ledger have all."""

_MODELS = 30

_DAYS = 31


def usd(value: float) -> Figure:
    """US dollars: cents, more places where that would be nothing."""
    if value and abs(value) < 0.01:
        return Figure(f"{value:.4f}")
    return Figure(f"{value:,.2f}")


def money(sums: Sums) -> Figure:
    """The dollars of a sum; `no price` where no call has one, `+ ?` where some have none."""
    if sums.unpriced and sums.unpriced == sums.calls:
        return Figure("no price")
    return Figure(usd(sums.usd) + (" + ?" if sums.unpriced else ""))


def costs(total: Total, summaries: Sequence[Summary], width: int, prices: str) -> str:
    """All tables of a run."""
    parts = [verdict(total, prices)]
    if len(summaries) > 1:
        parts.append(_transcripts(summaries, width))
    parts += [_models(total, width), _layers(total, width)]
    if len(total.by_day) > 1:
        parts.append(_days(total, width))
    return "\n\n".join(part for part in parts if part)


def verdict(total: Total, prices: str) -> str:
    """What it cost, what it would have cost, and what that is made of."""
    recorded, m = total.recorded, total.money
    left_out = ""
    if recorded.unpriced:
        left_out = f", {recorded.unpriced:,} of them without a price and left out"
    plural = "s" * (total.conversations != 1)
    lines = [
        (
            f"{total.conversations:,} conversation{plural}, {_calls(recorded.calls, 'model call')}"
            f"{left_out} (US dollars, list prices of {prices})"
        ),
        f"  it cost         {money(recorded):>10}   {_parts(recorded)}",
        f"  with compaction {money(total.compacted):>10}   {_compaction(total)}",
        (
            f"  net saving      {usd(m.net):>10}   saved {usd(m.saved)} - broken cache "
            f"{usd(m.broken)} - summarizer {usd(m.summary)}{_dearer(total)}"
        ),
    ]
    if m.recovery:
        lines.append(f"  recovery        {usd(m.recovery):>10}   continuations of cut answers")
    lines += [f"  {line}" for line in _remarks(total)]
    return "\n".join(lines)


def _parts(sums: Sums) -> str:
    plain = sums.input - sums.cache_read - sums.cache_write
    hour = f" ({sums.cache_write_1h:,} for an hour)" if sums.cache_write_1h else ""
    return (
        f"input {plain:,} + cache read {sums.cache_read:,} + cache write {sums.cache_write:,}"
        f"{hour}, output {sums.output:,} tokens"
    )


def _compaction(total: Total) -> str:
    counts = total.counts
    many = counts["compactions"]
    if not many:
        return "no compaction would have fired: nothing came above the trigger"
    return (
        f"{many:,} compaction{'s' * (many != 1)}, {counts['dearer']:,} of them did not pay; keeps "
        f"{counts['decisions_kept']:,} of {counts['decisions']:,} decisions, "
        f"{counts['conclusions_kept']:,} of {counts['conclusions']:,} conclusions"
    )


def _dearer(total: Total) -> str:
    if total.money.net < 0:
        return ": compaction would have made it dearer"
    return ""


def _remarks(total: Total) -> list[str]:
    """What a reader must know of the figures."""
    counts, found = total.counts, []
    sources = ", ".join(f"{n:,} {name}" for name, n in sorted(total.sources.items()))
    found.append(f"usage: {sources}")
    if total.as_told.output != total.recorded.output or total.as_told.input != total.recorded.input:
        told = total.as_told
        found.append(
            f"the records alone say: input {told.input:,} (cached parts in it), output "
            f"{told.output:,}; the rest is counted"
        )
    if total.outside.calls:
        found.append(
            f"{_calls(total.outside.calls)} outside of the context ({money(total.outside)}: "
            "sub-agents, branches left, folded away): the same either way"
        )
    if counts["repeated"]:
        found.append(f"{_calls(counts['repeated'])} told by another transcript too: counted once")
    if counts["unsplit"]:
        found.append(
            f"split not given: cache writes of {_calls(counts['unsplit'])} without a lifetime, "
            "priced as five-minute ones"
        )
    if counts["too_large"]:
        found.append(
            f"above the budget: {_calls(counts['too_large'])} without compaction, "
            f"{counts['still_too_large']:,} with it"
        )
    return found


def _calls(count: int, name: str = "call") -> str:
    return f"{count:,} {name}{'s' * (count != 1)}"


def _transcripts(summaries: Sequence[Summary], width: int) -> str:
    ordered = sorted(summaries, key=lambda s: -max(s.recorded.usd, s.compacted.usd))
    rows = [
        (
            _name(s),
            s.model,
            s.recorded.calls,
            s.recorded.input,
            s.recorded.output,
            money(s.recorded),
            money(s.compacted),
            usd(s.money.net),
            s.compactions,
            s.dearer,
        )
        for s in ordered[:_TRANSCRIPTS]
    ]
    heads = (
        "transcript", "model", "calls", "input", "output", "cost", "compacted", "net",
        "compactions", "not paid",
    )  # fmt: skip
    return table(heads, rows, width) + _more(len(ordered) - len(rows))


def _more(left: int) -> str:
    return f"\nand {left:,} more (--json lists all)" if left > 0 else ""


def _name(one: Summary) -> str:
    if one.conversation in {"", one.source}:
        return one.source
    return f"{one.source} · {one.conversation}"


def _models(total: Total, width: int) -> str:
    ordered = sorted(total.by_model.items(), key=lambda m: (-m[1][0].usd, -m[1][0].calls, m[0]))
    rows = [
        (
            name or "(no model named)",
            was.calls,
            was.input - was.cache_read - was.cache_write,
            was.cache_read,
            was.cache_write,
            was.output,
            money(was) if was.calls else None,
            money(would),
        )
        for name, (was, would) in ordered[:_MODELS]
    ]
    heads = ("model", "calls", "input", "cache read", "cache write", "output", "cost", "compacted")
    return table(heads, rows, width) + _more(len(ordered) - len(rows))


def _layers(total: Total, width: int) -> str:
    if not total.counts["compactions"] and not any(t for t, _, _ in total.by_layer.values()):
        return ""
    rows = [
        (name, taken, calls, Figure(f"{net:,.4f}"))
        for name, (taken, calls, net) in total.by_layer.items()
    ]
    return table(("layer", "tokens taken out", "tokens not sent", "net"), rows, width)


def _days(total: Total, width: int) -> str:
    days = sorted(total.by_day.items())[-_DAYS:]
    rows = [(day or "(no date)", s.calls, s.input, s.output, money(s)) for day, s in days]
    return table(("day", "calls", "input", "output", "cost"), rows, width)


def call_lines(calls: Iterable[Mapping[str, object]], width: int) -> str:
    """Every call of both scenarios, for people."""
    shown = (
        "call", "scenario", "purpose", "tokens_from", "made_at", "line", "context_tokens",
        "compaction", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens",
        "broken_tokens",
    )  # fmt: skip
    rows = [(*(call[name] for name in shown), _call_usd(call)) for call in calls]
    heads = (
        "call", "scenario", "purpose", "tokens", "time", "line", "context", "after compaction",
        "input", "read", "write", "output", "broken", "usd",
    )  # fmt: skip
    return table(heads, rows, width)


def _call_usd(call: Mapping[str, object]) -> Figure:
    price = call["usd"]
    if call["repeated"]:
        return Figure("elsewhere")
    return Figure(f"{price:.4f}" if isinstance(price, float) else "no price")
