"""Which lines of an output say that something failed."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ERROR = re.compile(
    r"^.*?(?:\b(?:error|errors|fatal|failed|failure|failures|exception|traceback|panic|panicked|"
    r"abort(?:ed)?|critical|denied|undefined reference|cannot|not found|no such file)\b|"
    r"\b[A-Z]\w*(?:Error|Exception)\b|\bE_[A-Z]+|错误|失败|异常|报错|崩溃).*$",
    re.IGNORECASE | re.MULTILINE,
)
_HARMLESS = re.compile(
    r"\b(?:0|no) (?:errors?|failures?|failed)\b|errors?: 0|没有错误|error(?:s)?\.(?:py|ts|go|rs|js)\b",
    re.IGNORECASE,
)


def error_lines(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Begin and end of the error lines between two places, at most `most` of them."""
    found = 0
    for line in _ERROR.finditer(text, start, end):
        if _HARMLESS.search(text, line.start(), min(line.end(), line.start() + 2000)):
            continue
        yield line.start(), line.end()
        found += 1
        if found >= most:
            return


def speaks_of_errors(text: str) -> bool:
    """Whether an error line stands in the text."""
    return next(error_lines(text, 0, len(text), 1), None) is not None
