"""A summarizer that asks a model of the caller's behind an OpenAI-compatible endpoint.

The user's words stand in the summary as with the extractive one, put there by us. The model writes
the rest, and its answer must pass a gate: what fails is asked again with the reasons, at most twice;
then decisions it left out are in the summary all the same, anything else falls back to what the
extractive summarizer says. A part larger than 60% of the model's window is written in pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from baodai.accounting import ModelCall
from baodai.marks import Size
from baodai.models import lookup
from baodai.overflow import COMPACTS, classify
from baodai.providers import End, Provider, ProviderError, Request, TextPiece
from baodai.providers.live import Endpoint, Live
from baodai.summarizers import VERBATIM, Summary, SummaryTask
from baodai.summarizers._candidates import Candidate
from baodai.summarizers._kept import keep, kept, key_of
from baodai.summarizers._prompt import SCHEMA, Unit, again, request_of, units_of
from baodai.summarizers.extractive import SUMMARIZER as EXTRACTIVE
from baodai.summarizers.extractive import candidates_of, filled
from baodai.summarizers.gate import Judged, Source, judge

_SHARE_OF_WINDOW = 0.6
"""Of the model's window that one request takes: the rest is for its answer and for repairs."""

_SHARE_OF_PART = 0.15
_WORDS = (150, 1_500)
"""Least and most words of one record; their number is told to the model."""

_HALVINGS = 4
_WEIGHT = 2.5
"""Above all that the extractive summarizer finds: where the model wrote, its lines go first."""


@dataclass(frozen=True, slots=True)
class OpenAISummarizer:
    """Asks `model` at `base_url`. `key` is given by the command, never written anywhere."""

    model: Annotated[str, "model that writes the summary; empty: --model"] = ""
    base_url: Annotated[str, "the endpoint, up to and with /v1"] = "https://api.openai.com/v1"
    key_env: Annotated[str, "environment variable that holds the key"] = "OPENAI_API_KEY"
    window: Annotated[int | None, Size(), "the model's input capacity; unset: by its name"] = None
    max_output: Annotated[int, Size(), "most tokens of one answer"] = 4_000
    timeout: Annotated[float, "seconds to wait for the next piece of an answer"] = 120.0
    tries: Annotated[int, "how often a busy endpoint is asked"] = 3
    repairs: Annotated[int, "how often an answer that fails the gate is asked again"] = 2
    cache: Annotated[str, "folder of accepted answers, or none; empty: beside the ledger"] = ""
    key: str = field(default_factory=str, repr=False)
    memo: dict[str, _Part] = field(default_factory=dict, repr=False, compare=False)
    name: str = "openai"

    def floor(self, task: SummaryTask) -> int:
        """Tokens of what must be in the summary: the user's own words."""
        return EXTRACTIVE.floor(task)

    def summarize(self, task: SummaryTask) -> Summary:
        """The summary, by the model where it passed, else by the extractive summarizer."""
        writer = _Writer(self, task)
        written = writer.written()
        summary = filled(task, [c for part in written for c in part.candidates])
        return replace(
            summary,
            calls=tuple(call for part in written for call in part.calls),
            warnings=tuple(dict.fromkeys(part.warning for part in written if part.warning)),
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """What came of a piece of the folded part."""

    candidates: tuple[Candidate, ...]
    calls: tuple[ModelCall, ...] = ()
    warning: str = ""


class _Writer:
    """One task on its way through the model, piece by piece."""

    def __init__(self, options: OpenAISummarizer, task: SummaryTask) -> None:
        self._options = options
        self._task = task
        endpoint = Endpoint(options.base_url, options.key, options.timeout, options.tries)
        self._provider: Provider = Live(endpoint)
        window = options.window or lookup(options.model).window
        self._room = int(window * _SHARE_OF_WINDOW)

    def written(self) -> list[_Part]:
        """Every piece in order; asked once, however often the summary is squeezed."""
        parts: list[_Part] = []
        for units in _pieces(units_of(self._task), self._room, self._task):
            key = f"{self._task.ref} {hash(tuple(units))}"
            if key not in self._options.memo:
                self._options.memo[key] = self._piece(units, _HALVINGS)
            parts.append(self._options.memo[key])
        return parts

    def _piece(self, units: Sequence[Unit], halvings: int) -> _Part:
        try:
            return self._asked(units)
        except ProviderError as error:
            half = len(units) // 2
            too_long = classify(error.status, error.body).trouble in COMPACTS
            if too_long and halvings and half:
                first = self._piece(units[:half], halvings - 1)
                rest = self._piece(units[half:], halvings - 1)
                warning = first.warning or rest.warning
                lines = (*first.candidates, *rest.candidates)
                return _Part(lines, (*first.calls, *rest.calls), warning)
            call = ModelCall("summary", self._options.model, "failed", str(error)[:300])
            return self._extractive(units, (call,), f"the endpoint answered {error}")

    def _asked(self, units: Sequence[Unit]) -> _Part:
        """The model's record of the units, asked again where the gate refuses it."""
        task, options = self._task, self._options
        source = _source(units, task)
        size = task.count(source.text)
        words = int(min(max(size * _SHARE_OF_PART, _WORDS[0]), _WORDS[1]))
        first = request_of(units, source.decisions, task.language, words)
        request = Request(first, options.model, options.max_output, schema=SCHEMA, temperature=0.0)
        key = key_of(request, options.base_url)
        known = kept(_folder(options), key)
        if known is not None:
            judged = judge(known, "stop", source, task.count)
            return self._judged(judged, units, (ModelCall("summary", options.model, "cached"),))
        calls: list[ModelCall] = []
        for attempt in range(1, options.repairs + 2):
            answer, reason, call = self._answer(request)
            judged = judge(answer, reason, source, task.count)
            wrong = [*judged.reasons, *(f"it lacks “{d.quote}”" for d in judged.missing)]
            outcome = "refused" if wrong else "accepted"
            calls.append(
                replace(call, attempt=attempt, outcome=outcome, why="; ".join(wrong)[:300])
            )
            if not wrong:
                break
            request = replace(request, messages=again(first, answer, wrong, task.language))
        keep(_folder(options), key, answer)
        return self._judged(judged, units, tuple(calls))

    def _judged(self, judged: Judged, units: Sequence[Unit], calls: tuple[ModelCall, ...]) -> _Part:
        """The lines of a usable answer; decisions it left out are put in with the user's words."""
        if judged.usable:
            return _Part(tuple(_candidates(judged, units)), calls)
        why = f"the answer of {self._options.model} was refused: {judged.reasons[0]}"
        return self._extractive(units, calls, why)

    def _answer(self, request: Request) -> tuple[str, str, ModelCall]:
        """The answer, why it ended, and what it cost."""
        pieces: list[str] = []
        end = End("")
        for event in self._provider.stream(request):
            match event:
                case TextPiece():
                    pieces.append(event.text)
                case End():
                    end = event
                case _:
                    continue
        call = ModelCall("summary", end.model or request.model, "", usage=end.usage)
        return "".join(pieces), end.reason, call

    def _extractive(self, units: Sequence[Unit], calls: tuple[ModelCall, ...], why: str) -> _Part:
        """What the extractive summarizer finds in the turns of these units."""
        turns = {unit.turn for unit in units}
        task = replace(
            self._task, turns=tuple(t for t in self._task.turns if t.number in turns), earlier=None
        )
        warning = f"the summary is the extractive one: {why}"
        return _Part(tuple(candidates_of(task)), calls, warning)


def _folder(options: OpenAISummarizer) -> str:
    return "" if options.cache == "none" else options.cache


def _pieces(units: Sequence[Unit], room: int, task: SummaryTask) -> Iterator[list[Unit]]:
    """The units in as few pieces as fit the room, in tokens; a single one may be over it."""
    piece: list[Unit] = []
    used = 0
    for unit in units:
        size = task.count(unit.text)
        if piece and used + size > room:
            yield piece
            piece, used = [], 0
        piece.append(unit)
        used += size
    if piece:
        yield piece


def _source(units: Sequence[Unit], task: SummaryTask) -> Source:
    """What the record of these units is made of."""
    text = "\n".join(unit.text for unit in units)
    decisions = tuple(d for d in task.decisions if d.quote in text)
    return Source(text, frozenset(unit.turn for unit in units), decisions, task.language)


def _candidates(judged: Judged, units: Sequence[Unit]) -> Iterator[Candidate]:
    """The lines of an answer; the user's words are put in by us."""
    order = sorted({unit.turn for unit in units})
    place = {turn: i / len(order) for i, turn in enumerate(order)}
    for name, lines in judged.lines.items():
        if name not in VERBATIM:
            for turn, text in lines:
                yield Candidate(name, turn, (text,), _WEIGHT, place.get(turn, 0.0))


SUMMARIZER = OpenAISummarizer()
