"""Finds what the user decided, in what the user said. Tool output never counts.

Every sentence is tried: first what makes it no decision (a question, a hypothesis, another's
words), then the cues of the lexicon, in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from baodai.decisions import Decision, Kind
from baodai.decisions import _lexicon as lexicon
from baodai.decisions._sentences import sentences
from baodai.decisions._triggers import may_decide
from baodai.decisions.language import language_of_text
from baodai.decisions.supersession import resolve
from baodai.decisions.values import values_of
from baodai.model import Conversation, Message, Role
from baodai.structure import turn_numbers

_SHORT = 100
_OPTION = re.compile(
    r"^\s*(?:[-*•]\s*)?(?:\*\*)?(?:option|方案|选项)?\s*(?P<key>[A-Ea-e1-9一二三四五])\s*[.):：、]\s*(?:\*\*)?\s*(?P<text>.+)$",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“「『][^\"”」』\n]{8,}[\"”」』]")
_ASKED = re.compile(r"[^.!?。！？\n]*[?？]")
_KEYS = re.compile(
    r"\b([A-Ea-e]|\d)\b|第([一二三四五])|方案([一二三四A-Da-d])|\b(first|second|third)\b",
    re.IGNORECASE,
)
_NUMBERS = {
    "一": "1",
    "二": "2",
    "三": "3",
    "四": "4",
    "五": "5",
    "first": "1",
    "second": "2",
    "third": "3",
}


@dataclass(frozen=True, slots=True)
class Found:
    """A decision in one sentence, before it is known where the sentence stands."""

    kind: Kind
    tier: int
    polarity: int
    quote: str
    accepted: str = ""


def detect(conversation: Conversation) -> tuple[Decision, ...]:
    """All decisions of a conversation, in order, with their states."""
    numbers = turn_numbers(conversation)
    found: list[Decision] = []
    said = ""
    for message in conversation.messages:
        if message.role is Role.ASSISTANT:
            said = message.text or said
            continue
        words = message.words
        if not words.strip() or message.is_summary:
            continue
        found.extend(
            _decision(one, message, numbers[message.id])
            for one in detect_text(words, previous=said)
        )
    return resolve(found)


def detect_text(text: str, *, previous: str = "") -> Iterator[Found]:
    """The decisions in one utterance; `previous` is what the assistant said before it."""
    bare = text.strip()
    if len(bare) <= _SHORT and previous:
        accepted = lexicon.ACCEPT.match(bare)
        if accepted is not None:
            yield Found(Kind.CHOICE, 2, 1, bare, _accepted(bare, previous))
            if not accepted.group("rest").strip(" .,!。，！"):
                return
    for sentence in sentences(text):
        if sentence == bare and previous and lexicon.ACCEPT.match(bare) and len(bare) <= _SHORT:
            continue
        one = _judge(sentence)
        if one is not None:
            yield one


def _judge(sentence: str) -> Found | None:
    """The decision a sentence makes; `None` where it makes none."""
    if len(sentence) < 2 or not may_decide(sentence) or _decides_nothing(sentence):
        return None
    # What stands in quotes is someone's words, a name or an error; the cue must stand outside.
    bare = _QUOTED.sub("", sentence)
    for cue in lexicon.CUES:
        if cue.pattern.search(bare):
            return Found(cue.kind, cue.tier, cue.polarity, sentence)
    # What was not refused above and is a rule by its form alone: a condition with what follows
    # from it, another's words that the user takes over.
    if lexicon.CONDITION.search(bare) or lexicon.REPORTED.search(bare):
        return Found(Kind.REQUIREMENT, 2, 1, sentence)
    return None


def _decides_nothing(sentence: str) -> bool:
    """Questions, hypotheses, others' words, stories, jokes and idioms."""
    polite = lexicon.POLITE.search(sentence) is not None
    asks = lexicon.QUESTION.search(sentence) or (
        lexicon.ASKING.search(sentence) and not sentence.endswith((".", "。", "!", "！"))
    )
    if asks and not polite:
        return True
    if lexicon.CONDITION.search(sentence) and not lexicon.CONSEQUENCE.search(sentence):
        return True
    if lexicon.REPORTED.search(sentence) and not lexicon.ADOPTED.search(sentence):
        return True
    return any(p.search(sentence) for p in (lexicon.SARCASM, lexicon.IDIOM, lexicon.PAST)) or bool(
        lexicon.HYPOTHETICAL.search(sentence)
    )


def _accepted(answer: str, previous: str) -> str:
    """The option an answer picks, in the assistant's words; else the question it answers."""
    options = {m.group("key").upper(): m.group("text").strip() for m in _OPTION.finditer(previous)}
    picked: list[str] = []
    for groups in _KEYS.findall(answer):
        key = next(g for g in groups if g)
        key = _NUMBERS.get(key.lower(), key.upper())
        option = options.get(key) or options.get("ABCDE"[int(key) - 1] if key in "12345" else key)
        if option:
            picked.append(f"{key}: {option[:200]}")
    if picked:
        return "; ".join(dict.fromkeys(picked))
    asked = _ASKED.findall(previous[-3_000:])
    return asked[-1].strip()[-300:] if asked else ""


def _decision(found: Found, message: Message, turn: int) -> Decision:
    canonical = f"{found.kind}|{found.polarity}|{' '.join(found.quote.lower().split())}|{turn}"
    language = language_of_text(found.quote)
    return Decision(
        id="d" + blake2b(canonical.encode("utf-8", "replace"), digest_size=5).hexdigest(),
        kind=found.kind,
        polarity=found.polarity,
        object=found.accepted[:120] or found.quote[:120],
        quote=found.quote,
        turn=turn,
        message_id=message.id,
        line=message.line,
        language=language,
        values=values_of(found.quote),
        tier=found.tier,
        accepted=found.accepted,
    )
