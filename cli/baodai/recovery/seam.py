"""Joins what stands with what came: takes out what was said twice, nothing that merely occurred.

A true overlap is the end of what stands at the start of what came. Besides it the preamble that the
instruction forbade, a fence opened again, a table head or a list item begun again. Where overlap
and honest repetition cannot be told apart (short, periodic, or there before) all is kept and the
seam is `ambiguous`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from baodai.recovery.fences import fence_line, open_fence

_CHANCE = 8
"""Characters below which two texts that meet are alike by chance."""

_SURE = 20
"""Characters of an overlap that is no chance any more (half as many in Chinese)."""

_RESTART = 24
"""Characters of an anchor begun again that are no chance."""

_HAN = re.compile(r"[㐀-鿿]")
_PREAMBLE = re.compile(
    r"\A\s*(?:(?:(?:i(?:'m| am)? )?(?:sorry|apologi[sz]e|apologies)|my apologies|of course|sure|certainly|okay|ok|right|understood|no problem)\b[^\n]{0,160}?"
    r"|(?:continuing|picking up|resuming|here(?:'s| is) the (?:rest|continuation|remainder)|let me continue|i(?:'ll| will) (?:continue|pick up|go on))\b[^\n]{0,160}?"
    r"|(?:抱歉|对不起|不好意思|好的|当然|没问题|明白)[^\n]{0,80}?|(?:接着|继续|下面继续|接上文|从中断处)[^\n]{0,60}?)"
    r"(?:[.:!…。：！]+(?:\n|[ \t]|(?=\S))|\n)",
    re.IGNORECASE,
)
"""What an apology or an announcement looks like, up to its end."""

_OF_THE_CUT = re.compile(
    r"\b(?:cut[- ]?offs?|being cut|was cut|truncat\w+|left off|where (?:i|it|we) (?:stopped|ended)|interrupt\w+)\b"
    r"|\bcontinuing(?: from here| the (?:answer|response|output))?:|截断|中断|续写|没有?(?:说|写|输出)完|继续(?:上文|刚才|之前|输出)",
    re.IGNORECASE,
)
"""An answer does not speak of its own cut: only such a preamble is taken out."""

_GOES_ON = re.compile(rf"{_OF_THE_CUT.pattern}|\\bcontinuing\\b|继续|接着", re.IGNORECASE)
"""What a preamble's further sentences say."""

_SENTENCES = 3
"""Sentences that a preamble has at most."""

_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_ITEM = re.compile(r"^\s*(?:\d{1,4}[.)]|[-*+])\s")


@dataclass(frozen=True, slots=True)
class Seam:
    """What to do at a seam: drop `back` characters from what stands, then append `text`.

    `removed` characters were taken out of what came, for the reasons in `why`.
    """

    text: str
    back: int = 0
    removed: int = 0
    why: tuple[str, ...] = ()
    ambiguous: bool = False

    @property
    def nothing_new(self) -> bool:
        """Whether what came brought nothing."""
        return not self.text.strip()


def join(standing: str, came: str, anchor: str = "") -> Seam:
    """The seam between a text that was cut and what came to go on from its `anchor`."""
    seam = _preamble(Seam(came))
    again = seam.text.strip()
    if len(again) >= _RESTART and anchor.startswith(again):
        # It began the anchor again and did not come to its end.
        return replace(_taken(seam, len(seam.text), "restart"), ambiguous=True)
    found = _overlap(standing, seam)
    if found is not None:
        return found
    return _structure(standing, seam)


def _taken(seam: Seam, count: int, why: str) -> Seam:
    return replace(seam, text=seam.text[count:], removed=seam.removed + count, why=(*seam.why, why))


def _preamble(seam: Seam) -> Seam:
    """Without an apology or announcement that speaks of the cut."""
    for sentence in range(_SENTENCES):
        found = _PREAMBLE.match(seam.text)
        telling = _GOES_ON if sentence else _OF_THE_CUT
        if found is None or not telling.search(found.group()):
            break
        # One line end is the preamble's own; whose a second is nobody can tell.
        unsure = found.group().endswith("\n") and seam.text[found.end() :][:1] == "\n"
        seam = _taken(seam, found.end(), "preamble")
        seam = replace(seam, ambiguous=seam.ambiguous or unsure)
    return seam


def _repeated(standing: str, came: str) -> int:
    """Length of the longest end of what stands that what came begins with."""
    most = min(len(standing), len(came))
    if not most:
        return 0
    head, tail = came[:most], standing[-most:]
    # The failure function of "came | standing": linear, whatever repeats in them.
    border = _border(f"{head}\0{tail}")
    return border[-1]


def _border(text: str) -> list[int]:
    table = [0] * len(text)
    k = 0
    for i in range(1, len(text)):
        while k and text[i] != text[k]:
            k = table[k - 1]
        k += text[i] == text[k]
        table[i] = k
    return table


def _overlap(standing: str, seam: Seam) -> Seam | None:
    """The seam without what was said twice; `None` where nothing was."""
    length = _repeated(standing, seam.text)
    if length < _CHANCE:
        return None
    twice = seam.text[:length]
    if _telling(twice, standing):
        return _taken(seam, length, "overlap")
    return replace(seam, ambiguous=True)


def _telling(twice: str, standing: str) -> bool:
    """Whether an overlap is no honest repetition: long, not periodic, not there before."""
    bare = twice.strip()
    enough = _SURE // 2 if _HAN.search(bare) else _SURE
    if len(bare) < enough or len(set(bare)) < _CHANCE:
        return False
    border = _border(twice)[-1]
    if border * 2 >= len(twice):
        return False
    return standing.find(twice) == len(standing) - len(twice)


def _structure(standing: str, seam: Seam) -> Seam:
    """Fence, table head and list item begun again."""
    begun = seam
    fence = open_fence(standing)
    first, rest = _line(begun.text.lstrip("\n"))
    opened = fence_line(first) if fence is not None else None
    if fence is not None and opened is not None and opened.sign == fence.sign:
        lead = len(begun.text) - len(begun.text.lstrip("\n"))
        if opened.info and opened.info == fence.info:
            begun = _taken(begun, lead + len(first) + len(rest[:1]), "fence")
        elif not opened.info and not fence.info and rest.strip():
            begun = replace(begun, ambiguous=True)
    begun = _table_head(standing, begun)
    return _line_again(standing, begun, restarted=begun.removed > seam.removed)


def _line(text: str) -> tuple[str, str]:
    at = text.find("\n")
    return (text, "") if at < 0 else (text[:at], text[at:])


def _table_head(standing: str, seam: Seam) -> Seam:
    """Without a table head that stands above the open table already."""
    lines = seam.text.split("\n", 2)
    if len(lines) < 3 or not _ROW.match(lines[0]) or not _RULE.match(lines[1]):
        return seam
    head = f"{lines[0]}\n{lines[1]}\n"
    at = standing.rfind(head)
    if at < 0 or any(
        not line.lstrip().startswith("|") for line in standing[at:].split("\n") if line
    ):
        return seam
    return _taken(seam, len(head), "table head")


def _line_again(standing: str, seam: Seam, *, restarted: bool) -> Seam:
    """The unfinished last line, where what came begins it anew."""
    last = standing[standing.rfind("\n") + 1 :]
    first, _ = _line(seam.text)
    if not last.strip() or not first.startswith(last) or first == last:
        return seam
    item = _ITEM.match(last) is not None
    if not restarted and not item:
        return seam
    return _taken(seam, len(last), "line begun again")
