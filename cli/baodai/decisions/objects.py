"""What a decision is about: the noun that the cue governs, and what it rules out.

"Use A, not B" is about A and against B; "A must be C" is about A and C.
"""

from __future__ import annotations

import re

from baodai.decisions.judging import Ruling, unfolded

_MOST = 120
_AGAINST = re.compile(
    r",?\s*\b(?:instead of|rather than|and not|not|over|as opposed to|in place of|never)\s+(?P<out>[^,;.。]{1,60})"
    r"|[，,]?\s*(?:不用|别用|不要用?|而不是|不是|代替|取代|而非)\s?(?P<out2>[^，,；。]{1,40})",
    re.IGNORECASE,
)
_FIRST_OUT = re.compile(
    r"^(?:(?:please |just )?(?:do not|don't|not|no)\s+(?:use |want )?(?P<out>[^,;.]{1,40}?)[,;]?\s+(?:but|use|rather)\s+(?P<in>[^,;.]{1,60})"
    r"|(?:不是(?:不?要|用)?|不用|不要|别用)\s?(?P<out2>[^，,；。]{1,24})[，,]\s?(?:而?是(?:必须|要)?|改?用|换成?|要)\s?(?P<in2>[^，,；。]{1,40}))",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:to|the|an?|any|that|with|on|for|of|in|is|are|be|it|our|my|all|every|each|use|using|have|go|going|just|only|also|then|please|add|write|run)\s+|[:：,，=\s]|(?:用(?!户)|使用|为|成|到|是|叫|把|将|在|去|个|一个|一下|要|再|就|必须|一律|统一))+",
    re.IGNORECASE,
)
_STOP = re.compile(
    r"\s+(?:for|in|on|at|as|to|when|if|because|since|so|before|after|until|by|from|with|under|over|instead|rather|then|and then|here|there|please|now|everywhere|anywhere)\b.*|[,，;；.。!！?？].*|(?<=\w)\s?(?:来(?=$|做|写)|做|写|吧|来|即可|就行).*",
    re.IGNORECASE | re.DOTALL,
)
_PRONOUN = re.compile(
    r"it|that|this|them|these|those|so|here|there|one|它|这|那|这个|那个|这样", re.IGNORECASE
)
_SUBJECT = frozenset({"obligation", "limit", "setting", "permission", "exception"})
_END = " .。!！?？,，;；:：\"'“”「」"


def object_of(ruling: Ruling) -> tuple[str, str]:
    """What the ruling is about and what it rules out (empty where it rules out nothing)."""
    part = unfolded(ruling.whole or ruling.part, ruling.kept).strip()
    first = _FIRST_OUT.search(part)
    if first is not None:
        wanted = first.group("in") or first.group("in2")
        return _noun(wanted), _noun(first.group("out") or first.group("out2"))
    against = _AGAINST.search(part) if ruling.sign > 0 else None
    out = _noun(against.group("out") or against.group("out2")) if against is not None else ""
    kept = ruling.part
    if out and against is not None:
        # The cue was found in the masked text; both begin alike as far as no mask stands before.
        at = ruling.part.find(against.group().strip()[:8])
        kept = ruling.part[:at] if at > 0 else ruling.part
    return _about(ruling, kept), out


def _about(ruling: Ruling, part: str) -> str:
    before = unfolded(part[: ruling.start], ruling.kept)
    after = unfolded(part[ruling.end :], ruling.kept)
    if ruling.because == "conditional rule":
        return unfolded(part, ruling.kept).strip(_END)[:_MOST]
    if ruling.because in _SUBJECT:
        return f"{_noun(before, whole=True)} {_noun(after, whole=True)}".strip()[:_MOST]
    noun = _noun(after) or _noun(before, whole=True)
    if noun and not _PRONOUN.fullmatch(noun):
        return noun
    return unfolded(part, ruling.kept).strip(_END)[:_MOST]


def _noun(text: str, *, whole: bool = False) -> str:
    """A text from its first noun to where another phrase begins."""
    bare = _LEAD.sub("", text.strip())
    return (bare if whole else _STOP.sub("", bare)).strip(_END)[:_MOST]
