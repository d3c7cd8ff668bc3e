"""Strategy `repeat`: runs of repeated or near-same log lines collapse to one line and a count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from baodai.truncation import Count, CutContext
from baodai.truncation.head_tail import HeadTail

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_OVERWRITTEN = re.compile(r"^[^\n]*\r(?!\n)", re.MULTILINE)
_VARYING = re.compile(r"\d+(?:[.:,/-]\d+)*|0x[0-9a-f]+|[█▉▊▋▌▍▎▏░▒▓#=.>-]{4,}", re.IGNORECASE)
_SOME = 3
_NOTE = {
    "en": "[… {n:,} more lines like the one above …]",
    "zh": "[… 另有 {n:,} 行与上一行相似 …]",
}


@dataclass(frozen=True, slots=True)
class Repeat:
    """Collapses what repeats; cuts head and tail of what is still too long."""

    name: str = "repeat"

    def cut(self, text: str, limit: int, count: Count, context: CutContext) -> str:
        """The text without its repetitions, in at most `limit` tokens."""
        if count(text) <= limit:
            return text
        plain = _OVERWRITTEN.sub("", _ANSI.sub("", text))
        shorter = "".join(_collapsed(plain, context.language))
        return HeadTail().cut(shorter, limit, count, context)


def _collapsed(text: str, language: str) -> Iterator[str]:
    for _, run in groupby(text.splitlines(keepends=True), lambda line: _VARYING.sub("0", line)):
        lines = list(run)
        if len(lines) < _SOME:
            yield from lines
            continue
        yield lines[0]
        yield _NOTE[language].format(n=len(lines) - 1) + "\n"


STRATEGY = Repeat()
