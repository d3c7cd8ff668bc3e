"""Compares a sentence of a summary with what was decided: values, things, outcomes, sign, force.

The words are data (`lexicon/verdicts.toml`). Owns no search: which sentence is compared is
`presence`'s.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from baodai.decisions import Decision, Kind
from baodai.decisions.keys import keys_of
from baodai.decisions.topics import Topic, topic_in
from baodai.decisions.values import values_of

_THING = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?:[\w.-]+)?(?:/[\w.-]+)+/?|\b\w+(?:[-_.]\w+)*[-_.]?\d[\w-]*(?:\.\w+)*"
    r"|\b\w+(?:_\w+)+\b|\b\w+\.(?:com|org|net|io|dev|cn|py|js|ts|go|rs|md|json|ya?ml|toml|sh|sql)\b"
)
"""Names that are one thing and no other: paths, hosts, addresses, ids with a number."""

_CODED = re.compile(r"['\"`‘“「](?P<name>[\w./@-]{2,40})['\"`’”」]")
_LATIN = re.compile(r"[A-Za-z][\w.+#/-]*")
_HAN = re.compile(r"[㐀-鿿]")
_TOKEN = re.compile(r"\w[\w./@#+'-]*\w|\w")
_ALIGNED = 4
"""Words of a quote from which a changed one can be told from another wording."""

_ASIDE = re.compile(r"[(（][^()（）]*[)）]")
_DROPPED = 2
"""Words that may be gone of a quote that still is the same sentence."""

_BEFORE_A_THING = frozenset(
    ["to", "from", "on", "in", "at", "with", "use", "using", "into", "onto", "by", "for", "under"]
)
_WORKED = 1
"""The pair of `opposites` that tells of success and failure."""

_RULES = frozenset({Kind.CONSTRAINT, Kind.REQUIREMENT, Kind.CONVENTION})


@dataclass(frozen=True, slots=True)
class Words:
    """The patterns of `verdicts.toml`."""

    hedge: re.Pattern[str]
    attributed: re.Pattern[str]
    permits: re.Pattern[str]
    bounds: re.Pattern[str]
    not_negative: re.Pattern[str]
    against: re.Pattern[str]
    negation: re.Pattern[str]
    opposites: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]


@cache
def words() -> Words:
    """The patterns, compiled once."""
    path = Path(__file__).with_name("lexicon") / "verdicts.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    pairs = data.pop("opposites")
    joined = {name: _pattern("|".join(f"(?:{p})" for p in data[name])) for name in data}
    opposites = tuple((_pattern(a), _pattern(b)) for a, b in pairs.values())
    return Words(**joined, opposites=opposites)


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def softened(quote: str, around: str) -> bool:
    """Whether the words around make less of a quote, or another's: "we may consider: …"."""
    w = words()
    if w.attributed.search(around):
        return True
    return w.hedge.search(around) is not None and w.hedge.search(quote) is None


def same_things(decision: Decision, window: str) -> bool:
    """Whether all values and all names of things stand in the window."""
    low = window.lower()
    things = [t for t in _things(decision.quote) if not t.isdigit()]
    bound = {value.rstrip("./") for value in decision.values}
    return all(_stands(t, low) for t in things) and bound <= _values(window)


def _things(text: str) -> list[str]:
    found = [m.group().strip("./").lower() for m in _THING.finditer(text)]
    found.extend(m["name"].lower() for m in _CODED.finditer(text))
    # A number with its unit is a value, and compared as one.
    return [t for t in found if not values_of(t) or not t[0].isdigit()]


def _stands(thing: str, low: str) -> bool:
    return re.search(rf"(?<![\w@]){re.escape(thing)}(?![\w]|[.-]\w)", low) is not None


def _values(window: str) -> set[str]:
    return {value.rstrip("./") for value in values_of(window)}


def same_object(decision: Decision, window: str) -> bool:
    """Whether the Latin name that a Chinese or a short statement turns on stands in the window."""
    if _HAN.search(decision.quote):
        names = {m.group().lower() for m in _LATIN.finditer(decision.quote)}
        return all(_stands(name, window.lower()) for name in names if len(name) > 1)
    wanted = keys_of(decision.object) if len(decision.object.split()) <= 2 else frozenset()
    return not wanted or bool(wanted & keys_of(window))


def another_of_its_kind(decision: Decision, window: str) -> bool:
    """Whether the window names another alternative of the same family and not the one decided."""
    mine, theirs = _topic(main_part(decision.quote)), _topic(window)
    for family in mine.families:
        named = {n for f, n in theirs.kinds if f == family}
        if named and not named & {n for f, n in mine.kinds if f == family}:
            return True
    return False


@cache
def _topic(text: str) -> Topic:
    return topic_in(text)


def outcomes(text: str) -> set[str]:
    """Names of the outcomes that a text tells of, one of each pair."""
    pairs = enumerate(words().opposites)
    return {f"@{n}{i}" for n, pair in pairs for i, side in enumerate(pair) if side.search(text)}


def opposite_outcome(quote: str, window: str) -> bool:
    """Whether one says it was made, passed or on where the other says deleted, failed or off."""
    for one, other in words().opposites:
        for a, b in ((one, other), (other, one)):
            if (
                a.search(quote)
                and not b.search(quote)
                and b.search(window)
                and not a.search(window)
            ):
                return True
    return False


def lets_it(decision: Decision, window: str) -> bool:
    """Whether the window permits what a rule bounds."""
    w = words()
    if w.permits.search(decision.quote) or decision.kind not in _RULES:
        return False
    found = w.permits.search(window)
    if found is None:
        return False
    rest = window[: found.start()] + window[found.end() :]
    return not w.bounds.search(w.not_negative.sub(" ", rest))


def turned(decision: Decision, window: str) -> bool:
    """Whether the sign is the other one, "B, not A" taken as asking for B."""
    if _failed(decision.quote) and _failed(window):
        return False  # "broke because x is not installed" tells of the same failure
    quote, window = decision.quote, _ASIDE.sub(" ", window)
    if decision.polarity <= 0:
        return _negative(quote) != _negative(window)
    asked = main_part(quote)
    main = keys_of(asked)
    rest = _without_contrast(window, main)
    if _negative(asked) != _negative(rest):
        return True
    ruled_out = keys_of(decision.against) - main
    return bool(ruled_out) and ruled_out <= keys_of(rest) and not _negative(rest)


def main_part(quote: str) -> str:
    """What is asked for, without what is set against it: "B" of "B, not A"."""
    return _without_contrast(quote, frozenset())


def _without_contrast(text: str, main: frozenset[str]) -> str:
    """The text without "…, not A", unless A is what was asked for."""
    return words().against.sub(
        lambda m: m.group() if keys_of(m.group()) & main else " ",
        words().not_negative.sub(" ", text),
    )


def _negative(text: str) -> bool:
    w = words()
    return w.negation.search(w.not_negative.sub(" ", text)) is not None


def _failed(text: str) -> bool:
    return words().opposites[_WORKED][1].search(text) is not None


def changed_word(quote: str, sentence: str) -> str:
    """What one changed word makes of a sentence that is the quote otherwise.

    `"another"`: another thing stands behind a preposition; `"less"`: a word that narrows it is
    gone; empty: neither.
    """
    mine, theirs = _TOKEN.findall(quote.casefold()), _TOKEN.findall(sentence.casefold())
    if len(mine) < _ALIGNED:
        return ""
    steps = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    # What stands before and behind the quote in a longer sentence does not matter.
    steps = [s for n, s in enumerate(steps) if s[0] != "insert" or 0 < n < len(steps) - 1]
    changes = [step for step in steps if step[0] != "equal"]
    if len(changes) != 1:
        return ""
    change, begin, end, to, until = changes[0]
    if change == "delete":
        gone = end - begin
        slight = gone <= _DROPPED and len(mine) >= _ALIGNED + gone
        return "less" if slight and keys_of(" ".join(mine[begin:end])) else ""
    one = end - begin == until - to == 1
    behind = begin > 0 and mine[begin - 1] in _BEFORE_A_THING
    new = keys_of(" ".join(theirs[to:until])) - keys_of(quote)
    return "another" if change == "replace" and one and behind and new else ""
