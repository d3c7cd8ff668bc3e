"""Images and other media in a transcript: where their bytes are, and how large an image is."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from dataclasses import dataclass

from baodai.formats._layouts import at
from baodai.model import Opaque, Path

_DATA_URL = re.compile(r"data:(?P<type>[\w./+-]+);base64,")
_HEAD = 64 * 1024


@dataclass(frozen=True, slots=True)
class Media:
    """Something that is not text: base64 data with its type, or a link."""

    type: str
    data: str = ""
    url: str = ""

    @property
    def link(self) -> str:
        """A link; for data one that holds it."""
        return self.url or f"data:{self.type};base64,{self.data}"


_DATA: tuple[tuple[Path, Path], ...] = (
    (("source", "data"), ("source", "media_type")),
    (("inlineData", "data"), ("inlineData", "mimeType")),
    (("inline_data", "data"), ("inline_data", "mime_type")),
    (("file", "file_data"), ("file", "mime_type")),
    (("data",), ("mimeType",)),
    (("content",), ("mime_type",)),
)
"""Where formats keep base64 data and its type."""
_LINKS: tuple[Path, ...] = (
    ("image_url", "url"),
    ("image_url",),
    ("source", "url"),
    ("fileData", "fileUri"),
    ("file_data", "file_uri"),
    ("url",),
    ("uri",),
)


def media_of(value: object) -> Media | None:
    """The media in a block of any format, told by its shape; `None` where there is none."""
    if at(value, ("source", "type")) == "text":
        return None  # a document of plain text
    for place, kind in _DATA:
        data, media_type = at(value, place), at(value, kind)
        if isinstance(data, str) and isinstance(media_type, str) and data:
            return Media(media_type, data)
    for place in _LINKS:
        link = at(value, place)
        if isinstance(link, str) and link:
            return _linked(link, value)
    return None


def _linked(link: str, value: object) -> Media:
    found = _DATA_URL.match(link[:128])
    if found is not None:
        return Media(found.group("type"), link[found.end() :])
    said = next((at(value, (k,)) for k in ("mediaType", "mimeType") if at(value, (k,))), "")
    guess = "image/*" if at(value, ("type",)) in {"image", "image_url", "input_image"} else ""
    return Media(said if isinstance(said, str) and said else guess, url=link)


def image(data: str, media_type: str, path: Path) -> Opaque:
    """An image block from base64 text or a data URL; sizes unknown where it is only a link."""
    found = _DATA_URL.match(data[:128])
    if found is not None:
        media_type = found.group("type")
        data = data[found.end() : found.end() + _HEAD]
    elif data.startswith(("http:", "https:", "file:")):
        return Opaque("image", note=data[:200], path=path)
    pixels = _pixels(data[:_HEAD])
    size = f", {pixels[0]} x {pixels[1]}" if pixels else ""
    return Opaque("image", pixels=pixels, note=f"{media_type or 'image'}{size}", path=path)


def _pixels(data: str) -> tuple[int, int] | None:
    try:
        raw = base64.b64decode(data[: len(data) // 4 * 4])
    except (binascii.Error, ValueError):
        return None
    if raw.startswith(b"\x89PNG") and len(raw) >= 24:
        width, height = struct.unpack(">II", raw[16:24])
        return width, height
    if raw.startswith(b"GIF8") and len(raw) >= 10:
        width, height = struct.unpack("<HH", raw[6:10])
        return width, height
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP" and len(raw) >= 30:
        return _webp(raw)
    return _jpeg(raw) if raw.startswith(b"\xff\xd8") else None


def _webp(raw: bytes) -> tuple[int, int] | None:
    """The size in the first chunk: extended, lossless or lossy."""
    kind = raw[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(raw[24:27], "little"), 1 + int.from_bytes(raw[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(raw[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", raw[26:30])
    return (width & 0x3FFF, height & 0x3FFF) if kind == b"VP8 " else None


def _jpeg(raw: bytes) -> tuple[int, int] | None:
    """The size in the frame header, past the segments before it."""
    at = 2
    while at + 9 < len(raw) and raw[at] == 0xFF:
        marker = raw[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = struct.unpack(">HH", raw[at + 5 : at + 9])
            return width, height
        at += 2 + int.from_bytes(raw[at + 2 : at + 4], "big")
    return None
