"""Strategy `head_tail`: beginning and end, whole lines, and the error lines between them.

More of the end where it speaks of errors, since a command's last words tell what came of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from baodai.truncation import Count, CutContext
from baodai.truncation._fit import fit, head_of, tail_of
from baodai.truncation._marker import mark, measured
from baodai.truncation.failures import error_lines, speaks_of_errors
from baodai.truncation.unlike import unlike_lines

_HEAD_SHARE = 0.4
_HEAD_SHARE_OF_ERRORS = 0.25
_ERROR_SHARE = 0.25
_MOST_ERRORS = 8
_LONG_LINE = 600

Span = tuple[int, int]
"""Begin and end of a line."""


@dataclass(frozen=True, slots=True)
class HeadTail:
    """Keeps 40% from the beginning, 60% from the end, what failed or stands out in the middle."""

    name: str = "head_tail"
    errors_first: bool = False

    def cut(self, text: str, limit: int, count: Count, context: CutContext) -> str:
        """Beginning, error lines and end in at most `limit` tokens; each gap has its marker."""
        share = _HEAD_SHARE
        if speaks_of_errors(text[-4000:]):
            share = _HEAD_SHARE_OF_ERRORS
        # Only asked for where the text is too long.
        apart = cache(lambda: tuple(unlike_lines(text, 0, len(text))))
        return fit(text, limit, count, lambda size: self._made(text, size, share, apart(), context))

    def _made(
        self, text: str, size: int, share: float, apart: Sequence[Span], context: CutContext
    ) -> str:
        rest = size * (0.3 if self.errors_first else 1.0)
        head = head_of(text, int(rest * share))
        tail = tail_of(text[len(head) :], int(rest * (1 - share)))
        start, end = len(head), len(text) - len(tail)
        room = int(size * (0.7 if self.errors_first else _ERROR_SHARE))
        pieces = [head]
        at = start
        most = 200 if self.errors_first else _MOST_ERRORS
        errors = error_lines(text, start, end, most)
        told = {(b, e) for b, e in apart if start <= b and e <= end}
        for begin, stop in _with_context(text, end, room, errors, told):
            if begin > at:
                pieces.append(mark(measured(text[at:begin]), context) + "\n")
            pieces.append(text[begin:stop])
            at = stop
        if at < end:
            pieces.append(mark(measured(text[at:end]), context))
        return _joined(pieces, tail)


def _joined(pieces: list[str], tail: str) -> str:
    body = ""
    for piece in (*pieces, tail):
        glue = "\n" if body and piece and not body.endswith("\n") else ""
        body += glue + piece
    return body


def _with_context(
    text: str, end: int, room: int, errors: Iterable[Span], apart: set[Span]
) -> Iterator[Span]:
    """Lines that stand out, and error lines with the line behind each, in order, up to `room`."""
    at = 0
    for begin, stop in sorted(apart.union(errors)):
        if begin < at or stop - begin > _LONG_LINE:
            continue
        after = stop if (begin, stop) in apart else text.find("\n", stop + 1, end)
        close = after + 1 if 0 <= after <= stop + _LONG_LINE else min(stop + 1, end)
        if close - begin > room:
            return
        room -= close - begin
        yield begin, close
        at = close


STRATEGY = HeadTail()
