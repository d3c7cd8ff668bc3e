"""Cutting a huge text into pieces whose token counts add up.

Owns the one answer to runs of a million characters: whatever engine counts, it never sees more than
`PIECE` characters at once, so none panics (tiktoken does on a million blanks), none needs memory in
the size of a 50 MB line, and all give the same number, since the cuts are made here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PIECE = 3 * 2**16
"""Most characters an engine is given at once.

A run of equal characters that has no safe place is cut at multiples of `_GRID`: a multiple of 3
(digits are tokens of three) and of every power of two that is a token's length (blanks 128,
letters 8, rules 64), so that such runs come out right.
"""

_GRID = 3 * 2**13
_TAIL = 4096

_SAFE = re.compile(
    r"[A-Za-z0-9](?=[\x00-\x20!-&(-/:-@\[-`{-\x7f])"
    r"|[\u4e00-\u9fff](?=[，。！？；：、\n ])"
    r"|\n(?=[A-Za-z0-9])"
)
"""The character before a place where counts are additive, in both encodings.

After a letter or digit and before a character that is neither and no apostrophe, every pattern
ends its match (only contractions such as 's look further) and no look-ahead for blanks reaches
across; after a newline no match goes on into a letter or digit.
"""


def pieces(text: str) -> Iterator[str]:
    """`text` in pieces of at most `PIECE` characters.

    The counts of the pieces add up exactly where a safe place was found in each of them, and for
    runs of one letter, digit or blank; elsewhere (a megabyte of base64 or of rule characters) a
    cut moves the sum by at most a few tokens per piece.
    """
    start, size = 0, len(text)
    while size - start > PIECE:
        end = _safe_end(text, start) or _hard_end(text, start)
        yield text[start:end]
        start = end
    yield text[start:]


def _safe_end(text: str, start: int) -> int:
    """The last safe place within reach of `start`; 0 where there is none."""
    stop = start + PIECE
    # Nearly always it lies in the last few characters; the whole piece is searched only if not.
    for low in (stop - _TAIL, start):
        last = None
        for last in _SAFE.finditer(text, low, stop):  # noqa: B007  # the last one is wanted
            pass
        if last is not None and start < last.end() < stop:
            return last.end()
    return 0


def _hard_end(text: str, start: int) -> int:
    """Where to cut without a safe place: on the grid of the run that lies there, if one does."""
    stop = start + PIECE
    piece = text[start:stop]
    run = len(piece) - len(piece.rstrip(piece[-1]))
    return stop - run % _GRID if run >= _GRID else stop
