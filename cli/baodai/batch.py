"""Files in, files out: every input through the pipeline, in order, by one process or several.

Owns what happens to an input that fails (the others go on), atomic outputs, and that memory follows
the largest conversation, not the file or the corpus. Names of outputs are in `places`.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from baodai.accounting import Account, Note
from baodai.converting import converted, target
from baodai.errors import (
    BaodaiError,
    DamagedRecordError,
    NoConversationError,
    OneConversationError,
    OutputError,
)
from baodai.formats import Format
from baodai.formats.recognise import HEAD, by_name, recognise
from baodai.jsonl import Problem, Record, Sealer, open_records
from baodai.model import Conversation
from baodai.overflow import Diagnosis
from baodai.pipeline import Compaction, Options, compact
from baodai.places import Input
from baodai.reactive import after_refusal
from baodai.spool import Spool

_AHEAD = 4
"""Inputs handed to each worker before their results are fetched; bounds what waits on disk."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as plain values, so that it can come from another process."""

    code: str
    status: int
    level: str
    what: str
    where: str = ""
    hint: str = ""
    trace: str = ""

    @classmethod
    def of(cls, error: Exception, where: str) -> Failure:
        """The failure of an error; what is no error of ours is a bug, with its traceback."""
        if isinstance(error, BaodaiError):
            place = where if not error.where else error.where
            if place.startswith("line "):
                place = f"{where}:{place.removeprefix('line ')}"
            return cls(error.code, error.status, error.level, error.what, place, error.hint)
        trace = "".join(traceback.format_exception(error))
        return cls("", 70, "error", f"bug while working on {where}", where, trace=trace)


@dataclass(frozen=True, slots=True)
class Work:
    """What is done to every input.

    `format` overrides what the content says; `originals`: the accounts keep the texts that were cut
    (only a ledger needs them); `to` is the format to write, empty for that of the input; `refused`
    is a provider's refusal that the compaction answers.
    """

    options: Options
    format: str = ""
    to: str = ""
    strict: bool = False
    originals: bool = True
    refused: Diagnosis | None = None

    def compact(self, conversation: Conversation, codec: Format, source: str) -> Compaction:
        """Compact one conversation as asked."""
        if self.refused is not None:
            return after_refusal(conversation, codec, self.options, self.refused, source=source)
        return compact(conversation, codec, self.options, source=source)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one input.

    `accounts` are on disk in `spool`; `written` counts the conversations in the output, `digest`
    is of the (unpacked) bytes read, `unread` are lines that could not be read; `closed`: whoever
    read the output is gone.
    """

    input: Input
    conversations: int = 0
    written: int = 0
    digest: str = ""
    unread: tuple[Problem, ...] = ()
    failures: tuple[Failure, ...] = ()
    spool: Path | None = None
    output: Path | None = None
    closed: bool = False


@dataclass(slots=True)
class Reading:
    """One input being read: its format, its conversations, and what was wrong on the way."""

    input: Input
    format: str = ""
    strict: bool = False
    unread: list[Problem] = field(default_factory=list)
    codec: Format | None = None
    _hash: blake2b = field(default_factory=lambda: blake2b(digest_size=16))

    @property
    def digest(self) -> str:
        """Of the bytes read so far."""
        return self._hash.hexdigest()

    def conversations(self) -> Iterator[Conversation]:
        """The conversations, one at a time.

        Raises:
            BaodaiError: the input cannot be read, or `strict` refuses a line of it.
        """
        source: Path | BinaryIO = self.input.path or sys.stdin.buffer
        name = self.input.name
        records = self._watched(open_records(source))
        head = list(islice(records, HEAD))
        self.codec = by_name(self.format) if self.format else recognise(head, name)
        found = False
        for conversation in self.codec.decode(chain(head, records), name):
            if self.format and not conversation.messages:
                continue  # a format that was given and finds nothing is the wrong one
            found = True
            yield conversation
        if not found:
            raise NoConversationError(name, "no message in its records")

    def _watched(self, records: Iterator[Record]) -> Iterator[Record]:
        for record in records:
            self._hash.update(record.raw)
            if record.problem is not None:
                if self.strict and record.problem.lost:
                    raise damaged(record.problem, self.input.name)
                self.unread.append(record.problem)
            yield record


def damaged(problem: Problem, name: str) -> DamagedRecordError:
    """The error of an unreadable line."""
    place = f"(byte {problem.offset:,}, {problem.length:,} bytes)"
    error = DamagedRecordError(f"{problem.text} {place}", where=f"{name}:{problem.line}")
    error.hint = "without --strict the line is carried through untouched"
    return error


def each(inp: Input, work: Work, reading: Reading | None = None) -> Iterator[Compaction]:
    """The compactions of one input's conversations, one at a time.

    Raises:
        BaodaiError: the input cannot be read, or a conversation of it cannot be compacted.
    """
    reading = reading or Reading(inp, work.format, work.strict)
    for conversation in reading.conversations():
        assert reading.codec is not None  # noqa: S101 - conversations come from it
        yield work.compact(conversation, reading.codec, inp.name)


def process(inp: Input, work: Work, sink: BinaryIO, spool: Spool) -> Done:
    """One input to `sink`, its accounts to `spool`.

    What fails is told in the result; only an output that cannot be written raises.
    """
    reading = Reading(inp, work.format, work.strict)
    failures: list[Failure] = []
    seen = written = 0
    closed = False
    sealer = Sealer()
    conversations = reading.conversations()
    while not closed:
        try:
            conversation = next(conversations, None)
            if conversation is None:
                break
            seen += 1
            assert reading.codec is not None  # noqa: S101 - conversations come from it
            done = work.compact(conversation, reading.codec, inp.name)
            done = _in_format(done, work.to, written, inp.name)
        except Exception as error:  # noqa: BLE001 - one input's bug must not end the others
            failures.append(Failure.of(error, inp.name))
            continue
        account = done.account
        spool.add(account if work.originals else replace(account, originals=()))
        if done.data is not None:
            closed = not _write(sink, sealer.sealed(done.data), inp.name)
            written += 1
    return Done(
        inp,
        seen,
        written,
        reading.digest,
        tuple(reading.unread),
        tuple(failures),
        closed=closed,
    )


def _in_format(done: Compaction, name: str, written: int, source: str) -> Compaction:
    """The compaction with its bytes in the format that was asked for; notes tell what changed.

    Raises:
        OneConversationError: a file of the format has one already.
    """
    if not name or done.data is None:
        return done
    to = target(name)
    if to.alone and written:
        raise OneConversationError(source, name)
    made = converted(done.after, to)
    notes = (Note("note", "converted", text) for text in made.notes)
    account = replace(done.account, notes=(*done.account.notes, *notes))
    return replace(done, data=made.data, account=account)


def _write(sink: BinaryIO, data: bytes, name: str) -> bool:
    """Write and flush; whether anybody still reads."""
    try:
        sink.write(data)
        sink.flush()
    except BrokenPipeError:
        return False
    except OSError as error:
        raise OutputError(f"the output of {name}", error.strerror or str(error)) from error
    return True


def to_files(inputs: Sequence[Input], work: Work, folder: Path, jobs: int) -> Iterator[Done]:
    """Every input to a file of its own in `folder`, in the order of the inputs.

    The files are temporary: whoever takes a result moves its `output` where it belongs (`commit`).
    """
    if jobs <= 1 or len(inputs) <= 1:
        for index, inp in enumerate(inputs):
            yield _to_file(index, inp, work, folder)
        return
    with ProcessPoolExecutor(min(jobs, len(inputs)), initializer=quiet_worker) as pool:
        waiting: list[Future[Done]] = []
        queue = iter(enumerate(inputs))
        try:
            for index, inp in queue:
                waiting.append(pool.submit(_to_file, index, inp, work, folder))
                if len(waiting) >= jobs * _AHEAD:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        except BaseException:
            for future in waiting:
                future.cancel()
            raise


def quiet_worker() -> None:
    """Ctrl-C reaches the whole group; the parent alone answers it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _to_file(index: int, inp: Input, work: Work, folder: Path) -> Done:
    output, accounts = folder / f"{index}.out", folder / f"{index}.accounts"
    try:
        with output.open("wb") as sink, Spool.create(accounts) as spool:
            done = process(inp, work, sink, spool)
    except (OSError, BaodaiError) as error:
        failure = error if isinstance(error, BaodaiError) else OutputError(inp.name, str(error))
        return Done(inp, failures=(Failure.of(failure, inp.name),))
    return replace(done, spool=accounts, output=output if done.written else None)


def commit(prepared: Path, target: Path) -> None:
    """Move a finished output to its place; the old one is replaced in one step or stays.

    Raises:
        OutputError: it cannot be put there.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        prepared.replace(target)
    except OSError as error:
        raise OutputError(str(target), error.strerror or str(error)) from error


def accounts_of(spools: Iterable[Path]) -> Iterator[Account]:
    """The accounts on disk, one at a time, in order."""
    for path in spools:
        yield from Spool.read(path)
