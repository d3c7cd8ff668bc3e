"""Which lines of an output say that something failed."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ERROR = re.compile(
    r"error|fatal|fail|exception|traceback|panic|abort|critical|denied|undefined reference|cannot"
    r"|not found|no such file|\be_[a-z]+|错误|失败|异常|报错|崩溃"
)
"""Words of failure in lower case; the line around one is looked at whole."""

_LINE = re.compile(
    r"\b(?:errors?|fatal|failed|failures?|fail|exception|traceback|panic|panicked|abort(?:ed)?|critical|denied|cannot)\b"
    r"|undefined reference|not found|no such file|\b[a-z]\w*(?:error|exception)\b|\be_[a-z]+|错误|失败|异常|报错|崩溃",
    re.IGNORECASE,
)
_LONG = 2_000
_HARMLESS = re.compile(
    r"\b(?:0|no) (?:errors?|failures?|failed)\b|errors?: 0|没有错误|error(?:s)?\.(?:py|ts|go|rs|js)\b",
    re.IGNORECASE,
)


def error_lines(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Begin and end of the error lines between two places, at most `most` of them."""
    low = text.lower()
    if len(low) != len(text):
        low = text  # a letter whose lower case is longer would move the places
    found, at = 0, start
    while found < most and (word := _ERROR.search(low, at, end)) is not None:
        begin = text.rfind("\n", start, word.start()) + 1 or start
        stop = text.find("\n", word.end(), end)
        stop = end if stop < 0 else stop
        at = stop + 1
        near = min(stop, begin + _LONG)
        if _LINE.search(text, begin, near) and not _HARMLESS.search(text, begin, near):
            found += 1
            yield begin, stop


def speaks_of_errors(text: str) -> bool:
    """Whether an error line stands in the text."""
    return next(error_lines(text, 0, len(text), 1), None) is not None
