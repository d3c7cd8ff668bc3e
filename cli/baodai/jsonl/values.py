"""JSON text to values and back, tolerant of what real writers produce.

orjson reads nearly everything; what it refuses (NaN, half surrogates, control characters) or reads
inexactly (integers beyond 64 bits become floats without a word) the standard library takes.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass

import orjson

from baodai.jsonl.archive import MAGIC, unpacked

BOM = b"\xef\xbb\xbf"
_AROUND = "\0 \t\r\n"
_SURROGATE = re.compile("[\ud800-\udfff]")
# A long run of digits where a number may start. Two passes in C beat a pattern eight times.
_SIGNS = bytes.maketrans(b"123456789:,[- \t\r\n", b"000000000::::::::")
_HUGE = b":" + 20 * b"0"
_COLON = re.compile(rb'[{,]\s*+"[^"\\]*+"(\s*+:\s*+)')
_COMMA = re.compile(rb'(,\s*+)"[^"\\]*+"\s*+:')
# Escapes that an ASCII writer needs; control characters, <, > and & are escaped by others too.
_ESCAPE = re.compile(rb"\\u(?!00[0-7]|202[89])[0-9a-fA-F]{4}")
_NON_ASCII = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Style:
    """How a writer spaces and escapes: the two separators, and whether it escapes non-ASCII."""

    comma: str = ","
    colon: str = ":"
    ascii_only: bool = False


def loads(raw: bytes) -> object:
    """The value of a JSON text; a BOM, NUL bytes around it and line ends are allowed.

    Half surrogates become U+FFFD, NaN and infinities floats, integers are exact at any size.

    Raises:
        ValueError: it is not JSON; a `json.JSONDecodeError` that knows the position.
    """
    return read(raw)[0]


def read(raw: bytes) -> tuple[object, int]:
    """As `loads`, with the number of half surrogates that became U+FFFD.

    Raises:
        ValueError: as `loads`.
    """
    text = unpacked(raw) if raw.startswith(MAGIC) else raw.removeprefix(BOM)
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _tolerant(text)
    if len(text) > len(_HUGE) and _HUGE in text.translate(_SIGNS):
        return _tolerant(text)
    return value, 0


def _tolerant(raw: bytes) -> tuple[object, int]:
    text = raw.decode("utf-8", "replace").strip(_AROUND)
    try:
        value = json.loads(text, strict=False)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:  # nested too deep; a number of 5,000 digits
        raise json.JSONDecodeError(f"Not readable: {error}", text, 0) from error
    if "\\u" not in text:
        return value, 0
    return _whole(value)


def _whole(value: object) -> tuple[object, int]:
    """The value with each half surrogate in its strings replaced by U+FFFD, and their number."""
    match value:
        case str():
            return _SURROGATE.subn("\ufffd", value)
        case list():
            items = [_whole(item) for item in value]
            return [item for item, _ in items], sum(count for _, count in items)
        case dict():
            pairs = [(_whole(key), _whole(item)) for key, item in value.items()]
            return {str(k): v for (k, _), (v, _) in pairs}, sum(a + b for (_, a), (_, b) in pairs)
        case _:
            return value, 0


def dumps(value: object, style: Style | None = None) -> bytes:
    """The value as JSON text in a style (compact, not escaped where none is given)."""
    style = style or Style()
    if style == Style():
        try:
            text = orjson.dumps(value)
        except TypeError:
            pass  # integers beyond 64 bits, half surrogates: the standard library writes them
        else:
            if b"null" not in text or _finite(value):
                return text
    value = _whole(value)[0]
    separators = style.comma, style.colon
    return json.dumps(value, ensure_ascii=style.ascii_only, separators=separators).encode()


def _finite(value: object) -> bool:
    """Whether no NaN or infinity is in the value, which orjson would write as null."""
    match value:
        case float():
            return math.isfinite(value)
        case list():
            return all(map(_finite, value))
        case dict():
            return all(map(_finite, value.values()))
        case _:
            return True


def style_of(raw: bytes) -> Style:
    """The style of a record, read off its first 64 kB."""
    head = raw[:65536]
    colon, comma = _COLON.search(head), _COMMA.search(head)
    wide = comma is not None and len(comma.group(1)) > 1
    spaced = colon is not None and len(colon.group(1)) > 1
    ascii_only = _NON_ASCII.search(head) is None and _ESCAPE.search(head) is not None
    return Style(", " if wide else ",", ": " if spaced else ":", ascii_only)
