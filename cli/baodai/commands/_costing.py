"""The run behind `baodai cost`: inputs analysed, tables or JSON, the ledger, the exit status."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from baodai.batch import accounts_of
from baodai.commands import _output as out
from baodai.commands._compacting import chosen
from baodai.commands._costs import Costed, Job, Keys, Task, costed, keys, mapped
from baodai.commands._progress import progress
from baodai.commands._recording import ledger_path, run_of, to_ledger
from baodai.commands._telling import Teller
from baodai.config.build import known, options
from baodai.config.load import Settings
from baodai.config.values import size
from baodai.cost.analysis import Terms
from baodai.cost.economics import Charges
from baodai.cost.frontier import Advice, Reached, advise, frontier
from baodai.cost.prices import Prices, price_version, read_prices
from baodai.cost.summary import Summary, Total
from baodai.cost.sweep import Outcome, Point, grid
from baodai.diagnostics import Diagnostics
from baodai.errors import BaodaiError, NoPriceError, UsageError
from baodai.layers import RUN_ORDER, layers
from baodai.places import Input
from baodai.render.cost import call_lines, costs
from baodai.render.cost_sweep import sweep
from baodai.summarizers.openai import OpenAISummarizer

_SAID = 5
"""Models without a price that are named one by one."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for beyond the settings; `axes` are those of a sweep."""

    inputs: tuple[str, ...]
    format: str
    axes: tuple[str, ...] | None
    calls: bool
    as_json: bool


def run(request: Request, settings: Settings, diagnostics: Diagnostics) -> None:
    """Analyse every input, tell what came of it, and record it."""
    points = () if request.axes is None else points_of(request.axes)
    terms = terms_of(settings)
    found = chosen(request.inputs, diagnostics)
    jobs = settings.number("jobs") or 1
    with tempfile.TemporaryDirectory(prefix="baodai-") as scratch:
        task = Task(terms, request.format, Path(scratch), points)
        running = _Run(request, settings, diagnostics)
        with progress(found, diagnostics, "cost") as advance:
            for done in mapped(partial(costed, task=task), _jobs(found, request, jobs), jobs):
                running.take(done)
                advance(done.input)
        running.finish(points)


def terms_of(settings: Settings) -> Terms:
    """How conversations are analysed.

    Raises:
        PriceFileError: the price file cannot be used.
    """
    file = settings.text("cost", "prices")
    made = options(settings)
    own = made.summarizer.model if isinstance(made.summarizer, OpenAISummarizer) else ""
    charges = Charges(
        settings.text("cost", "summarizer_model") or own,
        settings.text("cost", "memory_model"),
        recover=bool(settings.get("cost", "recover")),
    )
    prices = read_prices(Path(file)) if file else Prices()
    return Terms(made, prices, charges, settings.text("cost", "cache"))


def points_of(axes: Sequence[str]) -> tuple[Point, ...]:
    """The grid of a sweep.

    Raises:
        UsageError: an axis is not what it should be.
    """
    windows, triggers, targets, sets, summarizers = (
        [part.strip() for part in axis.split(",") if part.strip()] for axis in axes
    )
    points = grid(
        [_size(text) for text in windows],
        [_share(text) for text in triggers],
        [_share(text) for text in targets],
        [_layers(text) for text in sets],
        summarizers,
    )
    if len(points) == 1:
        raise UsageError("nothing to sweep: an axis is empty, or every target above its trigger")
    return points


def _size(text: str) -> int:
    tokens = size(text)
    if not tokens:
        raise UsageError(f"{text}: not a number of tokens")
    return tokens


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise UsageError(f"{text}: not a share above 0 and up to 1")
    return share


def _layers(text: str) -> tuple[str, ...]:
    """Layers by number or name, joined by a plus, in their run order."""
    every = layers()
    names = {str(every[name].number): name for name in RUN_ORDER}
    asked = [names.get(part.strip(), part.strip()) for part in text.split("+")]
    for name in asked:
        known(name, RUN_ORDER, "layer")
    return tuple(name for name in RUN_ORDER if name in asked)


def _jobs(found: Sequence[Input], request: Request, jobs: int) -> list[Job]:
    """The inputs; what several of them recorded belongs to the one that tells most of it."""
    plain = [Job(i, inp) for i, inp in enumerate(found)]
    if len(plain) <= 1 or any(job.input.path is None for job in plain):
        return plain
    every = list(mapped(partial(keys, format_name=request.format), plain, jobs))
    owners = _owners(every)
    return [
        Job(job.index, job.input, tuple(_repeated(owners, job.index, every[job.index])))
        for job in plain
    ]


def _owners(every: Iterable[Keys]) -> dict[str, tuple[int, int]]:
    """For each call the input and conversation with its largest record, the first of equals."""
    best: dict[str, tuple[int, tuple[int, int]]] = {}
    for i, conversations in enumerate(every):
        for j, calls in enumerate(conversations):
            for key, output in calls.items():
                if key not in best or output > best[key][0]:
                    best[key] = (output, (i, j))
    return {key: place for key, (_, place) in best.items()}


def _repeated(
    owners: dict[str, tuple[int, int]], index: int, conversations: Keys
) -> Iterator[frozenset[str]]:
    for j, calls in enumerate(conversations):
        yield frozenset(key for key in calls if owners[key] != (index, j))


class _Run:
    """One run: what was done so far."""

    def __init__(self, request: Request, settings: Settings, diagnostics: Diagnostics) -> None:
        self._request = request
        self._settings = settings
        self._diagnostics = diagnostics
        self._teller = Teller(diagnostics)
        self._total = Total()
        self._done: list[Costed] = []
        self._summaries: list[Summary] = []
        self._outcomes: list[Outcome] = []
        self._short = 0

    def take(self, done: Costed) -> None:
        """Add what came of one input."""
        self._done.append(done)
        self._teller.unread(done.input.name, done.unread)
        for failure in done.failures:
            if failure.trace:
                self._diagnostics.bug_text(failure.trace)
            else:
                self._diagnostics.report(failure)
        for one in done.summaries:
            self._total.add(one)
            self._summaries.append(one)
        for outcomes in done.outcomes:
            was = self._outcomes or [Outcome()] * len(outcomes)
            self._outcomes = [a + b for a, b in zip(was, outcomes, strict=True)]
        self._short += done.short

    def finish(self, points: Sequence[Point]) -> None:
        """Tables or JSON, warnings, the ledger."""
        if points:
            self._swept(points)
        elif self._summaries:
            self._costs()
        self._unpriced()
        self._record()

    def _costs(self) -> None:
        if self._request.as_json:
            out.json(
                {
                    "prices": price_version(),
                    "total": asdict(self._total),
                    "net_usd": self._total.money.net,
                    "transcripts": [asdict(one) for one in self._summaries],
                    **({"calls": list(self._calls())} if self._request.calls else {}),
                }
            )
            return
        out.text(costs(self._total, self._summaries, out.width(), price_version()))
        if self._request.calls:
            out.text("\n" + call_lines(self._calls(), out.width()))

    def _calls(self) -> Iterator[dict[str, object]]:
        """Every call, as the ledger has them."""
        for account in accounts_of([done.spool for done in self._done]):
            for table, row in account.tables:
                if table == "costs":
                    named = dict(zip(CALL_COLUMNS, row, strict=True))
                    yield {"source": account.source, "conversation": account.conversation, **named}

    def _swept(self, points: Sequence[Point]) -> None:
        if not self._outcomes:
            text = f"nothing to sweep: {self._short:,} conversations, none above any trigger"
            self._diagnostics.say("warning", text)
            return
        reached: list[Reached] = list(zip(points, self._outcomes, strict=True))
        best, advice = frontier(reached), advise(reached)
        if self._request.as_json:
            out.json(_sweep_json(reached, best, advice, self._short))
        else:
            out.text(sweep(reached, best, advice, self._short, out.width()))

    def _unpriced(self) -> None:
        """What has no price is said, and fails the run unless that is all right."""
        gaps = self._total.unpriced
        allowed = bool(self._settings.get("cost", "allow_unpriced"))
        for model, count in sorted(gaps.items(), key=lambda gap: (-gap[1], gap[0]))[:_SAID]:
            name = f"model {model!r}" if model else "calls that name no model"
            left = "1 call is" if count == 1 else f"{count:,} calls are"
            what = f"no price for {name}: {left} left out of the sums"
            self._diagnostics.say("warning", what, code=NoPriceError.code)
        if len(gaps) > _SAID:
            more = f"and {len(gaps) - _SAID:,} more models without a price"
            self._diagnostics.say("warning", more, code=NoPriceError.code)
        missing = bool(gaps) or any(one.unpriced for one in self._outcomes)
        if missing and not gaps:
            what = f"{self._outcomes[0].unpriced:,} calls have no price and are left out"
            self._diagnostics.say("warning", what, code=NoPriceError.code)
        if missing and not allowed:
            self._diagnostics.failed(NoPriceError.status)

    def _record(self) -> None:
        path = ledger_path(self._settings)
        if path is None or not (self._summaries or self._outcomes):
            return
        command = "sweep" if self._outcomes else "cost"
        digests = {done.input.name: done.digest for done in self._done}
        accounts = accounts_of([done.spool for done in self._done])
        made = run_of(self._settings, command, digests, self._diagnostics.status())
        try:
            to_ledger(path, made, accounts)
        except BaodaiError as error:
            self._diagnostics.report(error)


def _sweep_json(
    reached: Sequence[Reached], best: Sequence[Reached], advice: Advice, short: int
) -> dict[str, object]:
    numbers = {point.number for point, _ in best}
    return {
        "points": [
            {
                **asdict(point),
                **asdict(outcome),
                "frontier": point.number in numbers,
                "recommended": point is advice.point,
            }
            for point, outcome in reached
        ],
        "recommended": None if advice.point is None else advice.point.number,
        "reasons": advice.reasons,
        "too_short": short,
    }


CALL_COLUMNS = (
    "position", "scenario", "call", "purpose", "model", "made_at", "line", "turn",
    "tokens_from", "repeated", "context_tokens", "compaction", "input_tokens",
    "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens", "output_tokens",
    "reasoning_tokens", "broken_tokens", "input_price", "cache_read_price", "cache_write_price",
    "cache_write_1h_price", "output_price", "price_source", "usd",
)  # fmt: skip
"""The columns of the ledger's `costs` behind run and transcript."""
