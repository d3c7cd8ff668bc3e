"""JSON text to values and back, tolerant of what real writers produce.

orjson reads nearly everything; what it refuses (NaN, half surrogates, control characters, huge
numbers) the standard library takes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import orjson

_BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile("[\ud800-\udfff]")
_FLOAT_OF_INT = re.compile(rb"[0-9]e\+?[0-9]{2}")
_ESCAPE = re.compile(rb"\\u[0-9a-fA-F]{4}")
_NON_ASCII = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Style:
    """How a writer spaces and escapes: the two separators, and whether it escapes non-ASCII."""

    comma: str = ","
    colon: str = ":"
    ascii_only: bool = False


def loads(raw: bytes) -> object:
    """The value of a JSON text; a BOM, NUL bytes around it and line ends are allowed.

    Half surrogates become U+FFFD, NaN and infinities floats, integers beyond 64 bits integers.

    Raises:
        ValueError: it is not JSON; a `json.JSONDecodeError` that knows the position.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        text = raw.removeprefix(_BOM).decode("utf-8", "replace").strip("\0 \t\r\n")
        return whole(json.loads(text, strict=False))


def exact(raw: bytes) -> object:
    """As `loads`, with integers beyond 64 bits exact (orjson makes them floats without a word)."""
    text = raw.removeprefix(_BOM).decode("utf-8", "replace").strip("\0 \t\r\n")
    return whole(json.loads(text, strict=False))


def lossy(dumped: bytes) -> bool:
    """Whether a dumped value may hold a float that was a huge integer in its source."""
    return _FLOAT_OF_INT.search(dumped) is not None


def whole(value: object) -> object:
    """The value with each half surrogate in its strings replaced by U+FFFD."""
    match value:
        case str():
            return _SURROGATE.sub("�", value) if _SURROGATE.search(value) else value
        case list():
            return [whole(item) for item in value]
        case dict():
            return {str(whole(key)): whole(item) for key, item in value.items()}
        case _:
            return value


def dumps(value: object, style: Style | None = None) -> bytes:
    """The value as JSON text in a style (compact, not escaped where none is given)."""
    style = style or Style()
    if style == Style():
        try:
            return orjson.dumps(value)
        except TypeError:
            pass  # integers beyond 64 bits: the standard library writes them
    text = json.dumps(value, ensure_ascii=style.ascii_only, separators=(style.comma, style.colon))
    return text.encode("utf-8", "replace")


def style_of(raw: bytes) -> Style:
    """The style of a record, read off its first 64 kB."""
    head = raw[:65536]
    spaced = b'": ' in head and b'":"' not in head
    comma = ", " if b', "' in head and b',"' not in head else ","
    ascii_only = _NON_ASCII.search(head) is None and _ESCAPE.search(head) is not None
    return Style(comma, ": " if spaced else ":", ascii_only)
