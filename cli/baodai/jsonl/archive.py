"""Zip archives as records: one entry a record, so that an entry is edited as any other record.

What nobody touched keeps its bytes, compressed as they were; the central directory at the end is
brought in line by whoever writes the whole (`Sealer`). Archives beyond 4 GB are not read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

MAGIC = b"PK\x03\x04"
_CENTRAL = b"PK\x01\x02"
_END = b"PK\x05\x06"
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_ENTRY = struct.Struct("<4sHHHHHHIIIHHHHHII")
_TAIL = struct.Struct("<4sHHHHIIH")
_DEFLATED = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry: its name, where its data lies in the bytes, and how it is packed."""

    name: bytes
    start: int
    data: int
    end: int
    method: int


def entries(raw: bytes) -> Iterator[Entry]:
    """The entries of an archive, in the order of their bytes.

    Raises:
        ValueError: the sizes stand behind the data, or are beyond 4 GB.
    """
    at = 0
    while raw[at : at + 4] == MAGIC:
        head = _LOCAL.unpack_from(raw, at)
        flags, method, size, long_name, extra = head[2], head[3], head[7], head[9], head[10]
        if flags & 8 or size == 0xFFFFFFFF:
            raise ValueError("an archive whose entries do not say their size")
        name = at + _LOCAL.size
        data = name + long_name + extra
        yield Entry(raw[name : name + long_name], at, data, data + size, method)
        at = data + size


def unpacked(raw: bytes) -> bytes:
    """What the first entry of the bytes holds.

    Raises:
        ValueError: it is packed in a way that is not known, or damaged.
    """
    entry = next(entries(raw), None)
    if entry is None:
        raise ValueError("no entry")
    data = raw[entry.data : entry.end]
    if entry.method == 0:
        return data
    if entry.method != _DEFLATED:
        raise ValueError(f"an entry packed by method {entry.method}")
    try:
        return zlib.decompress(data, -zlib.MAX_WBITS)
    except zlib.error as error:
        raise ValueError(f"a damaged entry: {error}") from error


def repacked(raw: bytes, content: bytes) -> bytes:
    """The first entry of the bytes with other content; all else of its header stays."""
    entry = next(entries(raw))
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = content if entry.method == 0 else packer.compress(content) + packer.flush()
    head = list(_LOCAL.unpack_from(raw, entry.start))
    head[6], head[7], head[8] = zlib.crc32(content), len(data), len(content)
    names = raw[entry.start + _LOCAL.size : entry.data]
    return _LOCAL.pack(*head) + names + data + raw[entry.end :]


@dataclass(slots=True)
class Sealer:
    """Brings the central directory in line with the entries that were written before it."""

    _offset: int = 0
    _written: dict[bytes, tuple[int, bytes]] = field(default_factory=dict)

    def sealed(self, data: bytes) -> bytes:
        """Bytes of an archive as they are to be written, given in order; others as they are."""
        if not self._written and not data.startswith(MAGIC):
            return data
        found = data.find(_CENTRAL) if data.startswith(_CENTRAL) else -1
        end = 0
        for entry in entries(data):
            head = data[entry.start : entry.start + _LOCAL.size]
            self._written[entry.name] = (self._offset + entry.start, head)
            end = entry.end
        self._offset += end
        found = end if data[end : end + 4] == _CENTRAL else found
        if found < 0 or data[found : found + 4] != _CENTRAL:
            return data
        return data[:end] + b"".join(self._directory(data[end:]))

    def _directory(self, data: bytes) -> Iterator[bytes]:
        at = size = count = 0
        while data[at : at + 4] == _CENTRAL:
            row = list(_ENTRY.unpack_from(data, at))
            length = _ENTRY.size + row[10] + row[11] + row[12]
            name = data[at + _ENTRY.size : at + _ENTRY.size + row[10]]
            if name in self._written:
                offset, head = self._written[name]
                local = _LOCAL.unpack(head)
                row[7:10] = local[6:9]
                row[16] = offset
                yield _ENTRY.pack(*row) + data[at + _ENTRY.size : at + length]
                size, count = size + length, count + 1
            at += length
        tail = list(_TAIL.unpack_from(data, at)) if data[at : at + 4] == _END else None
        if tail is None:
            yield data[at:]
            return
        tail[3] = tail[4] = count
        tail[5], tail[6] = size, self._offset
        yield _TAIL.pack(*tail) + data[at + _TAIL.size :]
