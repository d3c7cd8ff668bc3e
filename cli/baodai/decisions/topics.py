"""What a decision speaks of, so that two can be compared: topics, specific words, alternatives, numbers.

The tables are data (`lexicon/things.toml`): words for one topic ("spend", "budget", 预算), and things
of which one takes the place of another (tabs, spaces). Owns no judgement about two decisions.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from baodai.decisions import Decision
from baodai.decisions.keys import keys_of
from baodai.decisions.lexicon import Look, lexicon
from baodai.decisions.values import Quantity, quantities_of, without_quantities

_WORD = re.compile(r"[a-z][a-z0-9+#.-]*[a-z0-9+#]|[a-z]")
_HAN = re.compile(r"[㐀-鿿]")
_HAN_RUN = re.compile(r"[㐀-鿿]+")
_MIX = re.compile(r"(?<=[㐀-鿿])(?=[A-Za-z\d])|(?<=[A-Za-z\d])(?=[㐀-鿿])")
_PROPER = re.compile(
    r"(?<![.!?]\s)(?<!^)\b[A-Z][A-Za-z]+\b|\b[\w-]*\d[\w-]*\b|`[^`]+`|https?://\S+|\b\w+(?:[/_]\w+)+\b|\b[A-Z]{2,}\b"
)
_LITTLE_HAN = re.compile(
    "我们|你们|咱们|不要|不用|不再|不是|必须|一定|需要|使用|采用|就用|改成|改用|改为|改到|换成|换用|换为|还是|而是|应该|可以|允许|现在|以后|今后|从|起|算了|不对|其实|更正|说错|刚才|之前|那条|这条|"
    "禁止|控制|以内|之内|以上|以下|不超过|至少|最多|左右|统一|全部|其他|保留|所有|任何|一下|那个|这个|什么|确定|决定|选择|回到|调到|[的了吧呢啊吗用到在把再先是为和与及或要不别勿也都就请去给对让被于之其它他她我你您这那个条]"
)
_MARKS = (
    "override",
    "permit",
    "withdraw",
    "everything",
    "plan",
    "replacing",
    "naming",
    "revoking",
    "opening",
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a decision is about.

    `names` are the words left over, `kinds` the members of families of alternatives, `proper` names
    and identifiers, which are values more than topics.
    """

    topics: frozenset[str]
    names: frozenset[str]
    kinds: frozenset[tuple[str, str]]
    proper: frozenset[str]
    quantities: tuple[Quantity, ...]
    marks: frozenset[str]
    scope: str

    @property
    def about(self) -> frozenset[str]:
        """Topics and specific words together."""
        return self.topics | self.names

    @property
    def families(self) -> frozenset[str]:
        """The families of alternatives that are named."""
        return frozenset(family for family, _ in self.kinds)

    @property
    def keys(self) -> frozenset[str]:
        """All by which another decision on the same thing can be found."""
        return self.about | {f"family {f}" for f in self.families} | {k for _, k in self.kinds}


def topic_of(decision: Decision) -> Topic:
    """What a decision is about, as it was said and as it was accepted."""
    return topic_in(decision.quote, decision.accepted, decision.scope)


def topic_in(quote: str, accepted: str = "", scope: str = "") -> Topic:
    """What a statement is about."""
    said = _MIX.sub(" ", quote.replace("’", "'"))
    text = f"{said} {accepted}" if accepted else said
    bare = without_quantities(text)
    look = lexicon(han=_HAN.search(text) is not None).look(said)
    topics, kinds, rest = _known(bare.lower())
    proper = frozenset(m.group().lower().strip("`") for m in _PROPER.finditer(bare))
    names = _names(rest) - _stems(proper)
    marks = frozenset(_marks(look, said))
    return Topic(topics, names, kinds, proper, quantities_of(text), marks, scope)


def _marks(look: Look, said: str) -> set[str]:
    return {mark for mark in _MARKS if look.find(mark, said)}


def _known(low: str) -> tuple[frozenset[str], frozenset[tuple[str, str]], str]:
    """Topics and alternatives by the tables, and the text without their words."""
    topics, alternatives, han = _tables()
    found: set[str] = set()
    kinds: set[tuple[str, str]] = set()
    rest = low
    for word in _WORD.findall(low):
        if word in topics:
            found.add(f"@{topics[word]}")
        elif word in alternatives:
            kinds.add((alternatives[word], word))
        else:
            continue
        rest = re.sub(rf"(?<![a-z]){re.escape(word)}(?![a-z])", " ", rest)
    for word, (table, name) in han if _HAN.search(low) else ():
        if word in rest:
            found.add(f"@{name}") if table == "topics" else kinds.add((name, word))
            rest = rest.replace(word, " ")
    return frozenset(found), frozenset(kinds), rest


def _stems(words: frozenset[str]) -> frozenset[str]:
    return words | keys_of(" ".join(sorted(words))) if words else words


def _names(rest: str) -> frozenset[str]:
    whole = _WORD.findall(rest)
    parts = [part for word in whole for part in word.split("-") if len(part) > 1 or word == part]
    words = {w for w in (*whole, *parts) if w not in _little()}
    latin = keys_of(" ".join(sorted(words))) if words else frozenset()
    runs = [r for r in _HAN_RUN.findall(_LITTLE_HAN.sub(" ", rest)) if r]
    pairs = {r[i : i + 2] for r in runs for i in range(max(1, len(r) - 1))}
    return frozenset(latin | pairs)


@cache
def _things() -> dict[str, dict[str, str]]:
    path = Path(__file__).with_name("lexicon") / "things.toml"
    return tomllib.loads(path.read_text("utf-8"))


@cache
def _little() -> frozenset[str]:
    """Words that every statement may have."""
    return frozenset(_things()["little"]["words"].split())


@cache
def _tables() -> tuple[dict[str, str], dict[str, str], tuple[tuple[str, tuple[str, str]], ...]]:
    """Topic and family of each Latin word; of the Chinese ones, longest first."""
    data = _things()
    latin: dict[str, dict[str, str]] = {"topics": {}, "alternatives": {}}
    han: list[tuple[str, tuple[str, str]]] = []
    for table, words in latin.items():
        for name, line in data[table].items():
            for word in line.split():
                if word[0].isascii():
                    words[word] = name
                else:
                    han.append((word, (table, name)))
    han.sort(key=lambda item: (-len(item[0]), item[0]))
    return latin["topics"], latin["alternatives"], tuple(han)
