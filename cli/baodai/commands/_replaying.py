"""The work behind `baodai replay`: every answer played, counted, recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baodai.batch import Failure, Reading
from baodai.commands import _output as out
from baodai.commands._compacting import chosen
from baodai.commands._recording import ledger_path, run_of
from baodai.commands._telling import Teller
from baodai.config.build import known, window
from baodai.config.load import Settings
from baodai.diagnostics import Diagnostics
from baodai.errors import BaodaiError, UsageError
from baodai.models import lookup
from baodai.providers.scripted import PROFILES, Line, voices
from baodai.recovery.replay import Play, Replayed, Verdict, replayed
from baodai.store import Ledger
from baodai.store.rows import RecoveryRow
from baodai.tokens import counter_for

_COLUMNS = (
    "profile", "cap", "answers", "exact", "continued", "ambiguous", "gave_up", "call_exceeds_cap",
    "differs", "continuations", "tokens_sent", "saved_percent",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Replay:
    """What the command line asks for."""

    inputs: tuple[str, ...]
    format: str
    cap: int
    profile: str
    provider: str
    seed: int
    input_cap: int
    raise_to: int | None

    def plays(self) -> list[Play]:
        """One play for each profile that is asked for.

        Raises:
            UnknownNameError: there is no such profile or provider.
        """
        names = list(PROFILES) if self.profile == "all" else self.profile.split(",")
        for name in names:
            known(name, PROFILES, "profile")
        if self.provider:
            known(self.provider, list(voices()), "provider")
        return [
            Play(self.cap, n, self.provider, self.seed, self.input_cap, self.raise_to)
            for n in names
        ]


@dataclass(frozen=True, slots=True)
class Played:
    """An answer that was played, with where it stands."""

    source: str
    conversation: str
    play: Play
    answer: Replayed


def run(
    request: Replay,
    settings: Settings,
    diagnostics: Diagnostics,
    *,
    fail_under: float | None,
    as_json: bool,
) -> None:
    """Play all answers, show the totals, write the ledger, set the status."""
    plays = request.plays()
    digests: dict[str, str] = {}
    found = list(_played(request, plays, settings, diagnostics, digests))
    if as_json:
        for one in found:
            out.json({"source": one.source, "conversation": one.conversation, **_fields(one)})
    else:
        totals = [_totals(play, [p for p in found if p.play is play]) for play in plays]
        out.rows(_COLUMNS, totals, as_json=False)
    path = ledger_path(settings)
    failed = _failed(found, fail_under)
    if path is not None and found:
        run_ = run_of(settings, f"replay {request}", digests, 1 if failed else 0)
        rows = [_row(one).row(run_, i) for i, one in enumerate(found)]
        Ledger(path).record_rows(run_, "recoveries", rows)
    if failed:
        diagnostics.say("error", failed)
        diagnostics.failed(1)


def _played(
    request: Replay,
    plays: Sequence[Play],
    settings: Settings,
    diagnostics: Diagnostics,
    digests: dict[str, str],
) -> Iterator[Played]:
    options = window(settings)
    count = counter_for(lookup(options.model, options.models).encoding).count
    teller = Teller(diagnostics)
    for inp in chosen(request.inputs, diagnostics):
        reading = Reading(inp, request.format, bool(settings.get("strict")))
        try:
            for conversation in reading.conversations():
                assert reading.codec is not None  # noqa: S101 - conversations come from it
                for play in plays:
                    for answer in replayed(conversation, reading.codec, play, count):
                        yield Played(inp.name, conversation.id, play, answer)
        except BaodaiError as error:
            diagnostics.report(Failure.of(error, inp.name))
        digests[inp.name] = reading.digest
        teller.unread(inp.name, tuple(reading.unread))


def _fields(one: Played) -> dict[str, object]:
    row = _row(one)
    names = [n for n in RecoveryRow.__slots__ if n not in {"source", "conversation", "state"}]
    return {name: getattr(row, name) for name in names}


def _row(one: Played) -> RecoveryRow:
    a, play = one.answer, one.play
    return RecoveryRow(
        one.source,
        one.conversation,
        a.message,
        a.line,
        a.turn,
        play.profile,
        play.provider,
        play.cap,
        a.outcome.value,
        a.verdict.value,
        a.exact,
        a.ambiguous,
        a.continuations,
        a.chars,
        a.removed,
        a.input,
        a.output,
        a.anchor,
        a.whole,
    )


def _totals(play: Play, found: Sequence[Played]) -> tuple[object, ...]:
    verdicts = Counter(one.answer.verdict for one in found)
    sent = sum(one.answer.input for one in found)
    anchor = sum(one.answer.anchor for one in found)
    whole = sum(one.answer.whole for one in found)
    counts = (verdicts[v] for v in Verdict)
    saved = round(100 * (1 - anchor / whole), 1) if whole else None
    going = sum(one.answer.continuations for one in found)
    return (play.profile, play.cap, len(found), *counts, going, sent, saved)


def _failed(found: Sequence[Played], fail_under: float | None) -> str:
    """Why the run fails: unflagged errors, or too few exact of those that could be."""
    wrong = sum(one.answer.verdict is Verdict.DIFFERS for one in found)
    if wrong:
        return f"{wrong} answers came out wrong without a flag"
    could = [o for o in found if o.answer.verdict is not Verdict.EXCEEDS]
    if fail_under is None:
        return ""
    if not could:
        return "no answer is longer than the cap: nothing was measured"
    exact = sum(o.answer.exact for o in could) / len(could)
    return f"{exact:.3f} are exact, {fail_under} are asked for" if exact < fail_under else ""


def serve(request: Replay, port: int, settings: Settings, diagnostics: Diagnostics) -> None:
    """Answer HTTP on loopback until interrupted."""
    from baodai.providers.serving import opened
    from baodai.recovery.desk import Desk, lines_of

    (play, *_) = request.plays()
    lines: list[Line] = []
    for inp in chosen(request.inputs, diagnostics):
        for conversation in Reading(inp, request.format).conversations():
            lines.extend(lines_of(conversation))
    options = window(settings)
    count = counter_for(lookup(options.model, options.models).encoding).count
    try:
        server = opened(Desk(lines, play, count), port)
    except OSError as error:
        raise UsageError(f"--serve {port}: {error.strerror}") from error
    diagnostics.say("note", f"{len(lines)} answers at {server.url}; interrupt to end")
    try:
        server.wait()
    except KeyboardInterrupt:
        server.http.server_close()
