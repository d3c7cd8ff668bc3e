"""The bytes of a file, unpacked by its first bytes, whatever its name says.

gzip with several members, zstd with several frames; of a torn end, all that was whole. What is
unpacked at a time is bounded, so that a small file cannot fill the memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol, cast

from baodai.errors import FileTooLargeError, UnreadableFileError

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 20
_GZIP_BITES = 1 << 16
"""Compressed bytes unpacked at a time; deflate grows a thousandfold at most."""
_ZSTD_BITES = 1 << 11
"""zstd grows more than thirty-thousandfold."""


class _Decoder(Protocol):
    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes, /) -> bytes: ...


class Unpacked:
    """The chunks of a stream, unpacked. After the last one `torn` tells whether its end is missing.

    Raises:
        UnreadableFileError: it looks compressed and nothing of it can be unpacked.
        FileTooLargeError: it unpacks to more than `most` bytes.
    """

    def __init__(self, stream: BinaryIO, name: str, most: int) -> None:
        self._stream = stream
        self._name = name
        self._most = most
        self.torn = False

    def __iter__(self) -> Iterator[bytes]:
        head = self._stream.read(len(_ZSTD))
        chunks = self._plain(head)
        if head.startswith(_GZIP):
            chunks = self._members(head, _gzip, _GZIP_BITES)
        elif head == _ZSTD:
            chunks = self._members(head, _zstd, _ZSTD_BITES)
        total = 0
        for chunk in chunks:
            total += len(chunk)
            if total > self._most:
                raise FileTooLargeError(self._name, self._most)
            yield chunk
        if self.torn and not total:
            raise UnreadableFileError(self._name, "the compressed data is damaged")

    def _plain(self, head: bytes) -> Iterator[bytes]:
        if head:
            yield head
        while chunk := self._stream.read(_CHUNK):
            yield chunk

    def _bites(self, head: bytes, size: int) -> Iterator[bytes]:
        for chunk in self._plain(head):
            for at in range(0, len(chunk), size):
                yield chunk[at : at + size]

    def _members(self, head: bytes, new: Callable[[], _Decoder], size: int) -> Iterator[bytes]:
        """What all members or frames hold, one behind the other."""
        decoder: _Decoder | None = None
        try:
            for bite in self._bites(head, size):
                data = bite
                while data:
                    if decoder is None:
                        data = data.lstrip(b"\0")  # padding between members, as gzip allows
                        if not data:
                            break
                        decoder = new()
                    yield decoder.decompress(data)
                    data = decoder.unused_data if decoder.eof else b""
                    decoder = None if decoder.eof else decoder
        except _damages():
            self.torn = True
        self.torn = self.torn or decoder is not None


def _gzip() -> _Decoder:
    return cast("_Decoder", zlib.decompressobj(zlib.MAX_WBITS | 16))


def _zstd() -> _Decoder:
    import zstandard  # noqa: PLC0415 - only compressed input pays for it

    decoder = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
    return cast("_Decoder", decoder)


def _damages() -> tuple[type[Exception], ...]:
    import zstandard  # noqa: PLC0415 - as above

    return zlib.error, zstandard.ZstdError
