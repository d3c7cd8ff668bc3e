"""The run behind `baodai compact`: inputs through the pipeline, outputs to their places, records.

The order: outputs are moved to their places as they are done, then the ledger is written in one
transaction and the memory after it. A run that is interrupted records what it has finished.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from baodai import batch
from baodai.batch import Done, Work
from baodai.commands import _output as out
from baodai.commands._models import equipped
from baodai.commands._progress import progress
from baodai.commands._recording import ledger_path, record
from baodai.commands._refusal import refusal
from baodai.commands._telling import Teller
from baodai.config.load import Settings
from baodai.converting import target
from baodai.diagnostics import INTERRUPTED, Diagnostics
from baodai.errors import BaodaiError, OutputError, UsageError
from baodai.places import Input, inputs, refuse_own_input, targets
from baodai.render.account import plan
from baodai.spool import Spool


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for beyond the settings."""

    inputs: tuple[str, ...]
    output: str
    out_dir: str
    format: str
    to: str
    dry_run: bool
    as_json: bool
    overflow: str = ""


def run(request: Request, settings: Settings, diagnostics: Diagnostics) -> None:
    """Compact every input, tell what came of it, and record it."""
    if request.to:
        target(request.to)
    work = Work(
        equipped(settings),
        request.format,
        request.to,
        strict=bool(settings.get("strict")),
        originals=ledger_path(settings) is not None or request.as_json,
        refused=refusal(request.overflow),
    )
    found = chosen(request.inputs, diagnostics)
    with workspace(request.output, request.out_dir, dry_run=request.dry_run) as (folder, scratch):
        places = places_of(request.output, request.out_dir, found)
        running = _Run(request, settings, diagnostics, scratch)
        try:
            if request.dry_run:
                running.plans(found, work)
            elif places is None:
                running.to_stdout(found, work)
            else:
                running.to_files(found, work, folder, places)
        except KeyboardInterrupt:
            diagnostics.failed(INTERRUPTED)
        _gate(settings, diagnostics)  # before the status is recorded
        running.finish()
    _gate(settings, diagnostics)


def _gate(settings: Settings, diagnostics: Diagnostics) -> None:
    """Warnings fail the run where that is asked for."""
    if settings.text("fail_on") == "warn" and diagnostics.warnings:
        diagnostics.failed(1)


def chosen(arguments: tuple[str, ...], diagnostics: Diagnostics) -> list[Input]:
    """The inputs; those that are not there are reported.

    Raises:
        UsageError: nothing is named and nothing is piped in.
    """
    if not arguments:
        if sys.stdin.isatty():
            raise UsageError("no input: name files or folders, or pipe a transcript in")
        arguments = ("-",)
    found, missing = inputs(arguments)
    for error in missing:
        diagnostics.report(error)
    return found


@contextmanager
def workspace(output: str, out_dir: str, *, dry_run: bool = False) -> Iterator[tuple[Path, Path]]:
    """A folder for unfinished outputs, on the file system they go to, and one for accounts."""
    target = Path(out_dir) if out_dir else None
    if output:
        target = Path(output).parent
    try:
        if target is not None and not dry_run:
            target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="baodai-") as scratch:
            if target is None or dry_run:
                yield Path(scratch), Path(scratch)
                return
            with tempfile.TemporaryDirectory(prefix=".baodai-", dir=target) as folder:
                yield Path(folder), Path(scratch)
    except OSError as error:
        raise OutputError(str(target), error.strerror or str(error)) from error


def places_of(output: str, out_dir: str, found: list[Input]) -> dict[str, Path] | None:
    """Where each input's output goes, `None` for stdout."""
    if output and out_dir:
        raise UsageError("-o and --out-dir contradict each other")
    if out_dir:
        return dict(targets(found, Path(out_dir)))
    if not output or output == "-":
        return None
    if len(found) > 1:
        raise UsageError(f"-o takes one input, not {len(found)}: use --out-dir")
    for inp in found:
        refuse_own_input(inp, Path(output))
    return {inp.name: Path(output) for inp in found}


class _Run:
    """One run: what was done so far."""

    def __init__(
        self, request: Request, settings: Settings, diagnostics: Diagnostics, scratch: Path
    ) -> None:
        self._request = request
        self._settings = settings
        self._diagnostics = diagnostics
        self._scratch = scratch
        self._teller = Teller(diagnostics)
        self._done: list[Done] = []

    def to_stdout(self, found: list[Input], work: Work) -> None:
        """Conversation by conversation; several processes meet in temporary files."""
        jobs = self._settings.number("jobs") or 1
        if jobs > 1 and len(found) > 1:
            for done in batch.to_files(found, work, self._scratch, jobs):
                self._take(self._copied(done))
                if self._done[-1].closed:
                    return
            return
        for index, inp in enumerate(found):
            accounts = self._scratch / f"{index}.accounts"
            with Spool.create(accounts) as spool:
                done = batch.process(inp, work, sys.stdout.buffer, spool)
            self._take(replace(done, spool=accounts))
            if done.closed:
                return

    def _copied(self, done: Done) -> Done:
        if done.output is None:
            return done
        try:
            with done.output.open("rb") as stream:
                while chunk := stream.read(1 << 20):
                    sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            return replace(done, closed=True)
        finally:
            done.output.unlink()
        return done

    def to_files(
        self, found: list[Input], work: Work, folder: Path, places: dict[str, Path]
    ) -> None:
        """Each output to its place as soon as it is done."""
        jobs = self._settings.number("jobs") or 1
        with progress(found, self._diagnostics) as advance:
            for done in batch.to_files(found, work, folder, jobs):
                self._commit(done, places[done.input.name])
                advance(done.input)

    def _commit(self, done: Done, place: Path) -> None:
        try:
            if done.output is not None:
                batch.commit(done.output, place)
        except BaodaiError as error:
            self._diagnostics.report(error)
        self._take(done)

    def plans(self, found: list[Input], work: Work) -> None:
        """What would be done, to stdout; nothing is written."""
        for inp in found:
            reading = batch.Reading(inp, work.format, work.strict)
            try:
                for compaction in batch.each(inp, work, reading):
                    account = compaction.account
                    if self._request.as_json:
                        out.json(account)
                    else:
                        out.text(plan(account, out.width()))
                    self._teller.account(account)
            except BaodaiError as error:
                self._diagnostics.report(batch.Failure.of(error, inp.name))
            self._teller.unread(inp.name, tuple(reading.unread))

    def _take(self, done: Done) -> None:
        self._done.append(done)
        self._teller.done(done)
        if done.spool is None:
            return
        for account in Spool.read(done.spool):
            self._teller.account(account)
            if self._request.as_json and (self._request.out_dir or self._request.output):
                out.json(account)

    def finish(self) -> None:
        """Ledger and memory, then the summary line."""
        if self._request.dry_run:
            self._teller.summary("dry run, nothing written")
            return
        spools = [done.spool for done in self._done if done.spool is not None]
        ledger = ""
        if spools and self._teller.transcripts:
            status = self._diagnostics.status()
            ledger = record(self._settings, self._done, status, self._diagnostics)
        self._teller.summary(ledger)
