"""A file as records: lines, or one whole document; compressed or not; damaged or not.

The bytes of the records joined are the (unpacked) file, whatever is wrong with it. Memory follows
the longest line, not the file.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from baodai.errors import FileTooLargeError, UnreadableFileError
from baodai.jsonl.values import loads

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of what is read, in bytes: of one line, and of a file once unpacked."""

    line: int = 1 << 29
    unpacked: int = 1 << 34


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a record. `offset` and `length` are bytes in the unpacked file."""

    code: str
    text: str
    line: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a file, or a whole JSON document. `raw` has its line end.

    `value` is what it says, `None` for a blank line or with a `problem`. `number` is the 1-based
    line, `offset` its first byte.
    """

    number: int
    offset: int
    raw: bytes
    value: object = None
    problem: Problem | None = field(default=None)


def open_records(source: Path | BinaryIO, limits: Limits | None = None) -> Iterator[Record]:
    """The records of a file or a binary stream, compressed or not.

    Raises:
        UnreadableFileError: it cannot be opened or unpacked from its first byte on.
        FileTooLargeError: it unpacks to more than the limit.
    """
    limits = limits or Limits()
    if isinstance(source, Path):
        try:
            with source.open("rb") as stream:
                yield from read_records(_unpacked(stream, limits, str(source)), limits)
        except OSError as error:
            raise UnreadableFileError(str(source), error.strerror or str(error)) from error
    else:
        yield from read_records(_unpacked(source, limits, "-"), limits)


def _unpacked(stream: BinaryIO, limits: Limits, name: str) -> Iterator[bytes]:
    """The bytes of the stream in chunks, unpacked by their first bytes, not by the name."""
    head = stream.read(4)
    chunks = _chunks(head, stream)
    if head.startswith(_GZIP):
        chunks = _members(chunks)
    elif head == _ZSTD:
        chunks = _frames(chunks)
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > limits.unpacked:
            raise FileTooLargeError(name, limits.unpacked)
        yield chunk


def _chunks(head: bytes, stream: BinaryIO) -> Iterator[bytes]:
    if head:
        yield head
    while chunk := stream.read(_CHUNK):
        yield chunk


def _members(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """All members of a gzip file; a torn end gives what came before it."""
    reader = gzip.GzipFile(fileobj=cast("BinaryIO", _Joined(chunks)))
    try:
        while chunk := reader.read(_CHUNK):
            yield chunk
    except (EOFError, zlib.error, gzip.BadGzipFile):
        yield _TORN


def _frames(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """All frames of a zstd file; a torn end gives what came before it."""
    import zstandard  # noqa: PLC0415 - only compressed input pays for it

    decoder = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj(
        read_across_frames=False
    )
    pending = b""
    fresh = True
    try:
        for chunk in chunks:
            data = pending + chunk
            pending = b""
            while data:
                if decoder.eof:
                    decoder = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
                yield decoder.decompress(data)
                fresh = decoder.eof
                data = decoder.unused_data if decoder.eof else b""
    except zstandard.ZstdError:
        fresh = False
    if not fresh:
        yield _TORN


_TORN = b""
"""Marks the torn end of a compressed file; the last line tells itself."""


class _Joined(io.RawIOBase):
    """Chunks as a stream that can be read."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            piece = next(self._chunks, None)
            if piece is None:
                return 0
            self._rest = piece
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def read_records(chunks: Iterable[bytes], limits: Limits | None = None) -> Iterator[Record]:
    """The records in a stream of bytes.

    A text whose first line is no JSON by itself but which is JSON as a whole is one record.
    """
    limits = limits or Limits()
    lines = _lines(chunks, limits.line)
    held: list[tuple[bytes, bool]] = []
    for line, whole in lines:
        held.append((line, whole))
        if line.strip(b"\0 \t\r\n" + _BOM):
            break
    first = held[-1][0] if held else b""
    if _opens(first) and not _parses(first):
        rest = held + list(lines)
        document = b"".join(line for line, _ in rest)
        value = _value_of(document)
        if value is not None:
            yield Record(1, 0, document, value)
            return
        yield from _numbered(iter(rest))
        return
    yield from _numbered(_chain(held, lines))


def _chain(
    held: list[tuple[bytes, bool]], lines: Iterator[tuple[bytes, bool]]
) -> Iterator[tuple[bytes, bool]]:
    yield from held
    yield from lines


def _opens(line: bytes) -> bool:
    return line.removeprefix(_BOM).lstrip()[:1] in (b"{", b"[")


def _value_of(raw: bytes) -> object:
    try:
        return loads(raw)
    except ValueError:
        return None


def _parses(line: bytes) -> bool:
    return _value_of(line) is not None


def _lines(chunks: Iterable[bytes], most: int) -> Iterator[tuple[bytes, bool]]:
    """Lines with their ends, and whether they are whole: one over `most` comes in pieces."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            parts.append(chunk[start : end + 1])
            yield b"".join(parts), size + end + 1 - start <= most
            parts, size, start = [], 0, end + 1
        if start < len(chunk):
            parts.append(chunk[start:])
            size += len(chunk) - start
            if size > most:
                yield b"".join(parts), False
                parts = []
    if parts:
        yield b"".join(parts), size <= most


def _numbered(lines: Iterator[tuple[bytes, bool]]) -> Iterator[Record]:
    number, offset = 1, 0
    for raw, whole in lines:
        if whole:
            yield from _parsed(number, offset, raw)
        else:
            problem = Problem("BD108", "the line is over the limit", number, offset, len(raw))
            yield Record(number, offset, raw, None, problem)
        offset += len(raw)
        if raw.endswith(b"\n"):
            number += 1


def _parsed(number: int, offset: int, raw: bytes) -> Iterator[Record]:
    """The record of a line; two where two stand on it."""
    if not raw.strip(b" \t\r\n" + _BOM):
        yield Record(number, offset, raw)
        return
    try:
        yield Record(number, offset, raw, loads(raw))
    except ValueError as error:
        parts = _glued(raw)
        if parts is None:
            yield Record(number, offset, raw, None, _problem(number, offset, raw, error))
            return
        for part in parts:
            yield Record(number, offset, part, loads(part))
            offset += len(part)


def _glued(raw: bytes) -> list[bytes] | None:
    """The parts of a line on which several records stand without a line end between."""
    from baodai.jsonl.splice import value_end  # noqa: PLC0415 - the two need each other's reading

    parts: list[bytes] = []
    start = 0
    while raw[start:].strip(b"\0 \t\r\n"):
        end = value_end(raw, start)
        if end is None or not _parses(raw[start:end]) or not _opens(raw[start:end]):
            return None
        parts.append(raw[start:end])
        start = end
    if not parts:
        return None
    parts[-1] += raw[start:]
    return parts


def _problem(number: int, offset: int, raw: bytes, error: ValueError) -> Problem:
    if not raw.strip(b"\0 \t\r\n"):
        return Problem("BD104", "a block of NUL bytes", number, offset, len(raw))
    if not raw.endswith(b"\n"):
        return Problem("BD105", "last line incomplete", number, offset, len(raw))
    text = f"the line is not JSON ({str(error).partition(':')[0].lower()})"
    return Problem("BD106", text, number, offset, len(raw))
