"""A file as records: lines, or whole documents; compressed or not; damaged or not.

The bytes of the records joined are the (unpacked) file, whatever is wrong with it. Memory follows
the longest line, not the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from baodai.errors import UnreadableFileError
from baodai.jsonl.archive import MAGIC, entries
from baodai.jsonl.packed import Unpacked
from baodai.jsonl.splice import skip, value_end
from baodai.jsonl.values import BOM, loads, read

_BLANK = b" \t\r\n" + BOM
_OPENERS = (b"{", b"[")


class _Line(NamedTuple):
    """A line with its end; one over the limit comes in pieces that do not fit."""

    raw: bytes
    fits: bool = True
    last: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of what is read, in bytes: of one line, and of a file once unpacked."""

    line: int = 1 << 29
    unpacked: int = 1 << 34


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a record. `offset` and `length` are bytes in the unpacked file.

    `lost` is whether the record cannot be read; otherwise it was mended in reading.
    """

    code: str
    text: str
    line: int
    offset: int
    length: int
    lost: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a file, or a whole JSON document. `raw` has its line end.

    `value` is what it says, `None` for a blank line or one that cannot be read. `number` is the
    1-based line, `offset` its first byte.
    """

    number: int
    offset: int
    raw: bytes
    value: object = None
    problem: Problem | None = None


def open_records(source: Path | BinaryIO, limits: Limits | None = None) -> Iterator[Record]:
    """The records of a file or a binary stream, compressed or not.

    Raises:
        UnreadableFileError: it cannot be opened or unpacked from its first byte on.
        FileTooLargeError: it unpacks to more than the limit.
    """
    if not isinstance(source, Path):
        yield from _opened(source, "-", limits or Limits())
        return
    try:
        with source.open("rb") as stream:
            yield from _opened(stream, str(source), limits or Limits())
    except OSError as error:
        raise UnreadableFileError(str(source), error.strerror or str(error)) from error


def _opened(stream: BinaryIO, name: str, limits: Limits) -> Iterator[Record]:
    """The records; the last one tells where the end of a compressed file is missing."""
    chunks = Unpacked(stream, name, limits.unpacked)
    last: Record | None = None
    for record in read_records(chunks, limits):
        if last is not None:
            yield last
        last = record
    if last is None:
        return
    if not chunks.torn:
        yield last
        return
    text = "the compressed data ends too early"
    if last.problem is not None and last.problem.lost:
        yield replace(last, problem=replace(last.problem, code="BD111", text=text))
        return
    yield last
    offset = last.offset + len(last.raw)
    number = last.number + last.raw.count(b"\n")
    yield Record(number, offset, b"", None, Problem("BD111", text, number, offset, 0))


def read_records(chunks: Iterable[bytes], limits: Limits | None = None) -> Iterator[Record]:
    """The records in a stream of bytes.

    A text whose first line is no JSON by itself but which is JSON as a whole is one record; several
    such texts behind each other are one record each.
    """
    limits = limits or Limits()
    chunks = iter(chunks)
    head = next(chunks, b"")
    if head.startswith(MAGIC):
        yield from _archived(b"".join(chain([head], chunks)))
        return
    lines = _lines(chain([head], chunks), limits.line)
    start: list[_Line] = []
    for line in lines:
        start.append(line)
        if line.raw.strip(b"\0" + _BLANK):
            break
    count = _Counter()
    records = [record for line in start for record in count.records(line)]
    if not _unfinished(records):
        yield from records
    else:
        parts, whole = _gathered(start, lines, limits.line)
        documents = _documents(b"".join(part.raw for part in parts)) if whole else None
        if documents is not None:
            yield from documents
            return
        lines, count = chain(parts, lines), _Counter()
    for line in lines:
        yield from count.records(line)


def _archived(raw: bytes) -> Iterator[Record]:
    """The entries of a zip archive, one record each; what is no JSON has no value.

    The last one has the directory behind it.
    """
    try:
        found = list(entries(raw))
    except ValueError as error:
        yield Record(1, 0, raw, None, Problem("BD106", str(error), 1, 0, len(raw)))
        return
    for number, entry in enumerate(found, 1):
        end = entry.end if number < len(found) else len(raw)
        piece = raw[entry.start : end]
        value: object = None
        if entry.name.endswith(b".json"):
            try:
                value = loads(piece)
            except ValueError:
                value = None
        yield Record(number, entry.start, piece, value)


def _unfinished(records: list[Record]) -> bool:
    """Whether the first line may be the beginning of a document that goes on."""
    problem = records[-1].problem if records else None
    return problem is not None and problem.code in {"BD105", "BD106"} and _opens(records[-1].raw)


def _opens(raw: bytes) -> bool:
    return raw.removeprefix(BOM).lstrip()[:1] in _OPENERS


def _gathered(start: list[_Line], lines: Iterator[_Line], most: int) -> tuple[list[_Line], bool]:
    """The lines of what may be one document, and whether they may be; else as far as was read."""
    parts = list(start)
    size = sum(len(part.raw) for part in parts)
    # Inside a document only the last element of an array may look like a line of its own.
    alone = 0 if start[-1].raw.rstrip()[-1:] in (b"{", b"[", b",", b":") else 1
    for line in lines:
        parts.append(line)
        size += len(line.raw)
        alone += _stands_alone(line.raw)
        if alone > 1 or size > most:
            return parts, False
    return parts, True


def _stands_alone(raw: bytes) -> bool:
    return raw.startswith(b"{") and _reads(raw)


def _reads(raw: bytes) -> bool:
    try:
        loads(raw)
    except ValueError:
        return False
    return True


def _documents(raw: bytes) -> list[Record] | None:
    """The documents in a text, `None` where it is not made of them."""
    found = list(_whole(1, 0, raw))
    return None if found[-1].value is None else found


def _whole(number: int, offset: int, raw: bytes) -> Iterator[Record]:
    """The record of a text; several where values stand behind each other in it."""
    try:
        value, halves = read(raw)
    except ValueError as error:
        parts = list(_glued(raw))
        if len(parts) < 2 or not _reads(parts[0]):
            yield Record(number, offset, raw, None, _broken(number, offset, raw, error))
            return
        for before, part in zip([b"\n", *parts], parts, strict=False):
            yield _part(number, offset, part, glued=not before.endswith(b"\n"))
            number += part.count(b"\n")
            offset += len(part)
        return
    yield Record(number, offset, raw, value, _mended(number, offset, raw, halves))


def _part(number: int, offset: int, raw: bytes, *, glued: bool) -> Record:
    """A record that stands behind or before others in a text."""
    try:
        value = loads(raw)
    except ValueError as error:
        return Record(number, offset, raw, None, _broken(number, offset, raw, error))
    text = "two records without a line end between them"
    problem = Problem("BD110", text, number, offset, len(raw), lost=False)
    return Record(number, offset, raw, value, problem if glued else None)


def _glued(raw: bytes) -> Iterator[bytes]:
    """The text cut behind each object or array; what cannot be read is the last piece."""
    start, at = 0, skip(raw, len(BOM) if raw.startswith(BOM) else 0)
    while at < len(raw):
        end = value_end(raw, at) if raw[at : at + 1] in _OPENERS else None
        after = len(raw) if end is None else skip(raw, end)
        # White space behind the last value is that value's.
        cut = len(raw) if after == len(raw) else end or len(raw)
        line = raw.find(b"\n", cut, after)
        cut = cut if line < 0 else line + 1
        yield raw[start:cut]
        start, at = cut, after


def _broken(number: int, offset: int, raw: bytes, error: ValueError) -> Problem:
    if not raw.strip(b"\0" + _BLANK):
        return Problem("BD104", "a block of NUL bytes", number, offset, len(raw))
    if not raw.endswith(b"\n"):
        return Problem("BD105", "last line incomplete", number, offset, len(raw))
    text = f"the line is not JSON ({str(error).partition(':')[0].lower()})"
    return Problem("BD106", text, number, offset, len(raw))


def _mended(number: int, offset: int, raw: bytes, halves: int) -> Problem | None:
    if not halves:
        return None
    text = f"{halves} half surrogate{'s' if halves > 1 else ''} read as U+FFFD"
    return Problem("BD109", text, number, offset, len(raw), lost=False)


def _lines(chunks: Iterable[bytes], most: int) -> Iterator[_Line]:
    """The lines, those over `most` bytes in pieces."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            parts.append(chunk[start : end + 1])
            size += end + 1 - start
            yield _Line(b"".join(parts), size <= most)
            parts, size, start = [], 0, end + 1
        if start < len(chunk):
            parts.append(chunk[start:])
            size += len(chunk) - start
            if size > most:
                yield _Line(b"".join(parts), fits=False, last=False)
                parts = []
    if size:
        yield _Line(b"".join(parts), size <= most)


class _Counter:
    """Numbers lines and knows their offsets; an over-long line is told once, with all its bytes."""

    def __init__(self) -> None:
        self._number = 1
        self._offset = 0
        self._long = 0

    def records(self, line: _Line) -> Iterator[Record]:
        """The records of a line, or of a piece of one."""
        number, offset = self._number, self._offset
        self._offset += len(line.raw)
        self._number += line.raw.endswith(b"\n")
        if not line.fits:
            self._long += len(line.raw)
            yield Record(number, offset, line.raw, None, self._told(number) if line.last else None)
        elif not line.raw.strip(_BLANK):
            yield Record(number, offset, line.raw)
        else:
            yield from _whole(number, offset, line.raw)

    def _told(self, number: int) -> Problem:
        length, self._long = self._long, 0
        return Problem("BD108", "the line is over the limit", number, self._offset - length, length)
