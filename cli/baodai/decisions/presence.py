"""Whether a text still says a decision: judged inside windows of one or two sentences."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import pairwise

from baodai.decisions import Decision
from baodai.decisions.keys import keys_of
from baodai.decisions.values import values_of

_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_ENOUGH = 0.45
"""Share of a decision's keys that a window must hold (QUALITY, section 1)."""

_HEDGE = re.compile(
    r"\b(?:may|might|maybe|perhaps|consider|try (?:to|not)|if possible|suggest(?:ed|s)?|ideally|optional|where practical)\b"
    r"|也许|可能|考虑|尽量|建议|最好|视情况",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|no|don'?t|without|avoid|forbid\w*|exclude\w*|mustn'?t|can'?t|cannot)\b|不|别|禁|勿|避免|无需",
    re.IGNORECASE,
)


class Verdict(StrEnum):
    """What a text says of a decision."""

    VERBATIM = "verbatim"
    NORMALISED = "normalised"
    PARAPHRASED = "paraphrased"
    WEAKENED = "weakened"
    CONTRADICTED = "contradicted"
    ABSENT = "absent"


KEPT = frozenset({Verdict.VERBATIM, Verdict.NORMALISED, Verdict.PARAPHRASED})
"""The verdicts by which a decision is kept."""


def present(decision: Decision, text: str) -> Verdict:
    """The verdict, cheap checks first."""
    if decision.quote in text:
        return Verdict.VERBATIM
    if _flat(decision.quote) in _flat(text):
        return Verdict.NORMALISED
    window = _best_window(keys_of(decision.quote), text)
    return _compared(decision, window) if window else Verdict.ABSENT


def _best_window(wanted: frozenset[str], text: str) -> str:
    """The window that holds most of the keys; empty where none holds enough."""
    best, share = "", 0.0
    for window in _windows(text) if wanted else ():
        found = len(wanted & keys_of(window)) / len(wanted)
        if found > share:
            best, share = window, found
    return best if share >= _ENOUGH else ""


def _compared(decision: Decision, window: str) -> Verdict:
    """The window against the decision: values, polarity, hedges."""
    if not set(decision.values) <= set(values_of(window)):
        return Verdict.CONTRADICTED
    if bool(_NEGATED.search(window)) != bool(_NEGATED.search(decision.quote)):
        return Verdict.CONTRADICTED
    if _HEDGE.search(window) and not _HEDGE.search(decision.quote):
        return Verdict.WEAKENED
    return Verdict.PARAPHRASED


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text.lower()).strip()


def _windows(text: str) -> list[str]:
    parts = [p for p in _SENTENCE.split(text) if p.strip()]
    return [*parts, *(f"{a} {b}" for a, b in pairwise(parts))]
