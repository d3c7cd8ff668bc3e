"""Whether a text still says a decision: judged inside windows of one or two sentences.

Cheap checks first (QUALITY, section 3): word for word, word for word but for signs, then the window
that holds most of what the decision speaks of, compared by values, things, outcome, sign and force.
A quote inside "we may consider: …" or "the assistant suggested: …" is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from baodai.decisions import Decision
from baodai.decisions import comparing as compare
from baodai.decisions.keys import keys_of
from baodai.decisions.topics import topic_in

_SPACE = re.compile(r"\s+")
_NO_SIGN = re.compile(r"[\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n+")
_ENOUGH = 0.45
"""Share of a decision's keys that a window must hold (QUALITY, section 1)."""

_TELLING = 4
"""Letters from which a text without its signs is known again."""


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
    word_for_word = _quoted(decision.quote, text)
    if word_for_word in KEPT:
        return word_for_word
    window = best_window(decision.quote, text)
    told = _compared(decision, window) if window else Verdict.ABSENT
    if word_for_word is Verdict.WEAKENED and told is Verdict.ABSENT:
        return word_for_word
    return told


def _quoted(quote: str, text: str) -> Verdict:
    """Word for word and meant so; weakened where every place makes less of it."""
    found = Verdict.ABSENT
    for verdict, bare in ((Verdict.VERBATIM, _as_is), (Verdict.NORMALISED, _unsigned)):
        wanted = bare(quote)
        if len(wanted) < _TELLING and verdict is Verdict.NORMALISED:
            continue
        if not _holds(wanted, bare(text)):
            continue
        lines = [line for line in text.split("\n") if _holds(wanted, bare(line))]
        if not lines:
            return verdict  # it goes over several lines: nothing stands around it
        for line in lines:
            at = line.find(quote)
            around = line[:at] if at >= 0 else _before(quote, line)
            if not compare.softened(quote, _last_sentence(around)):
                return verdict
        found = Verdict.WEAKENED
    return found


def _as_is(text: str) -> str:
    return _SPACE.sub(" ", text)


def _unsigned(text: str) -> str:
    return _NO_SIGN.sub("", text.casefold())


def _holds(wanted: str, text: str) -> bool:
    """Whether a text stands in another, not inside a longer number."""
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        cut = wanted[-1:].isdigit() and text[end : end + 1].isdigit()
        if not cut and not (wanted[:1].isdigit() and text[max(0, at - 1) : at].isdigit()):
            return True
        at = text.find(wanted, at + 1)
    return False


def _before(quote: str, line: str) -> str:
    """What stands before a quote of which only the letters are the same."""
    first = _NO_SIGN.sub(" ", quote).split()
    at = line.casefold().find(first[0].casefold()) if first else -1
    return line[:at] if at > 0 else ""


def _last_sentence(text: str) -> str:
    return _SENTENCE.split(text)[-1]


def best_window(statement: str, text: str) -> str:
    """The window of one or two sentences that holds most of a statement; empty: none enough."""
    wanted = _keys(compare.main_part(statement)) or _keys(statement)
    best, share = "", 0.0
    for window in _windows(text) if wanted else ():
        keys = _keys(window)
        # Of two windows with the same share the one with less beside it.
        found = len(wanted & keys) / len(wanted) - len(keys) / 10_000
        if found > share:
            best, share = window, found
    return best if share >= _ENOUGH - 0.05 and share > 0 else ""


@lru_cache(maxsize=4096)
def _keys(text: str) -> frozenset[str]:
    """Stems, bigrams, values, topics and outcomes: spend and budget, 花费 and 预算 are one."""
    topic = topic_in(text)
    outcomes = compare.outcomes(text)
    kinds = {part for family, name in topic.kinds for part in (name, f"family {family}")}
    return keys_of(text) | topic.topics | kinds | outcomes


def _compared(decision: Decision, window: str) -> Verdict:
    """The window against the decision."""
    quote = decision.quote
    if not compare.same_things(decision, window) or compare.another_of_its_kind(decision, window):
        return Verdict.CONTRADICTED
    if compare.opposite_outcome(quote, window) or not compare.same_object(decision, window):
        return Verdict.CONTRADICTED
    changed = {compare.changed_word(quote, part) for part in _SENTENCE.split(window)}
    turned = compare.lets_it(decision, window) or compare.turned(decision, window)
    if turned or "another" in changed:
        return Verdict.CONTRADICTED
    if compare.softened(quote, window) or "less" in changed:
        return Verdict.WEAKENED
    return Verdict.PARAPHRASED


def _windows(text: str) -> Iterator[str]:
    parts = [p for p in _SENTENCE.split(text) if p.strip()]
    yield from parts
    yield from (f"{a} {b}" for a, b in pairwise(parts))
