"""Marker lines: how much was left out, and how to get it back. The one place that writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baodai.truncation import CutContext

_MARK = re.compile(
    r"\[… (?:(?P<lines>[\d,]+) (?:lines|行), )?(?P<chars>[\d,]+) (?:characters|字符)"
    r"(?: left out|已省略)(?: · (?P<ref>bd:[0-9a-f]{8}))?(?P<hint> · [^\]\n]*)? …\]"
)


@dataclass(frozen=True, slots=True)
class Gap:
    """What a marker stands for: whole lines (0 where a line was cut inside) and characters."""

    lines: int
    chars: int


def mark(gap: Gap, context: CutContext, hint: str = "") -> str:
    """The marker of a gap, in the language of the context."""
    zh = context.language == "zh"
    lines = f"{gap.lines:,} {'行' if zh else 'lines'}, " if gap.lines else ""
    chars = f"{gap.chars:,} {'字符已省略' if zh else 'characters left out'}"
    ref = f" · {context.ref}" if context.ref else ""
    return f"[… {lines}{chars}{ref}{' · ' + hint if hint else ''} …]"


def gaps(text: str) -> Gap:
    """The sum of what the markers in a text say."""
    lines = chars = 0
    for found in _MARK.finditer(text):
        lines += int((found.group("lines") or "0").replace(",", ""))
        chars += int(found.group("chars").replace(",", ""))
    return Gap(lines, chars)


def measured(cut: str) -> Gap:
    """What leaving out `cut` leaves out: its lines and characters, those behind its markers too."""
    inner = gaps(cut)
    if not inner.chars:
        return Gap(cut.count("\n") + (not cut.endswith("\n")) if cut else 0, len(cut))
    bare = _MARK.sub("", cut)
    lines = sum(1 for line in bare.splitlines() if line.strip())
    return Gap(lines + inner.lines, len(bare) + inner.chars)


def ref_in(text: str) -> str:
    """The reference that the first marker of a text shows; empty where it has none."""
    found = _MARK.search(text)
    return (found.group("ref") or "") if found else ""
