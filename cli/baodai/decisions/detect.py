"""Finds what the user decided, in what the user said. Tool output never counts.

A message is read as an answer first ("B.", "yes"), then sentence by sentence (`judging`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from baodai.decisions import Decision, Kind, State
from baodai.decisions.acceptance import Answer, answer, told, without_told
from baodai.decisions.judging import Judge
from baodai.decisions.language import language_of_text
from baodai.decisions.lexicon import NO_EXTRAS, Extras, lexicon
from baodai.decisions.objects import object_of
from baodai.decisions.sentences import sentences
from baodai.decisions.supersession import resolve, scope_of
from baodai.decisions.values import values_of
from baodai.model import Conversation, Message, Role
from baodai.structure import turn_numbers

_HAN = re.compile(r"[㐀-鿿]")
_POINTED, _POINTED_MOST = 2, 400
"""Sentences and characters before one that points back ("let's not do that")."""

_ANSWERED = 4_000
"""Characters of a message that may be the answers of a question tool."""


@dataclass(frozen=True, slots=True)
class Found:
    """A decision in one sentence, before it is known where the sentence stands."""

    kind: Kind
    tier: int
    polarity: int
    quote: str
    accepted: str = ""
    object: str = ""
    against: str = ""
    because: str = ""

    @classmethod
    def plain(cls, quote: str, accepted: str = "") -> Found:
        """A decision that is known to be one: an answer, with what it accepts."""
        return cls(Kind.CHOICE, 2, 1, quote, accepted, accepted, "", "answer")


def detect(conversation: Conversation, extras: Extras = NO_EXTRAS) -> tuple[Decision, ...]:
    """All decisions of a conversation, in order, with their states.

    `extras` are the user's own patterns (`[decisions]` in the settings).
    """
    return resolve(found_in(conversation, extras))


def found_in(conversation: Conversation, extras: Extras = NO_EXTRAS) -> list[Decision]:
    """All decisions of a conversation, in order, as if each still held."""
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
            decision_of(one, turn=numbers[message.id], message=message)
            for one in detect_text(words, previous=said, extras=extras)
        )
    return found


def detect_text(text: str, *, previous: str = "", extras: Extras = NO_EXTRAS) -> Iterator[Found]:
    """The decisions in one utterance; `previous` is what the assistant said before it."""
    if '"="' in text[:_ANSWERED]:
        yield from (_answered(one) for one in told(text))
        text = without_told(text)
    reply = answer(text, previous)
    if reply is not None:
        yield _answered(reply)
        text = reply.rest
    before: list[str] = []
    for sentence in sentences(text):
        judge = Judge(lexicon(han=_HAN.search(sentence.text) is not None, extras=extras))
        ruling = judge.ruling(sentence.text, formal=sentence.formal)
        if ruling is not None:
            about, against = object_of(ruling)
            yield Found(
                ruling.kind,
                ruling.tier,
                ruling.sign,
                sentence.text,
                _meant(before) if judge.points(sentence.text) else "",
                about,
                against,
                ruling.because,
            )
        before.append(sentence.text)


def _meant(before: Sequence[str]) -> str:
    """What a sentence that points back means: the sentences before it, the last two at most."""
    near = before[-_POINTED:]
    while near and sum(map(len, near)) > _POINTED_MOST:
        near = near[1:]
    return " ".join(near)


def _answered(reply: Answer) -> Found:
    return Found(
        Kind.CHOICE, 2, reply.sign, reply.quote, reply.accepted, reply.accepted, "", "answer"
    )


def decision_of(
    found: Found, *, turn: int, message: Message | None = None, state: State = State.LIVE
) -> Decision:
    """The decision at its place. Its id comes from words and turn alone, so that it outlives folds."""
    canonical = f"{' '.join(found.quote.lower().split())}|{turn}"
    return Decision(
        id="d" + blake2b(canonical.encode("utf-8", "replace"), digest_size=5).hexdigest(),
        kind=found.kind,
        polarity=found.polarity,
        object=(found.object or found.quote)[:120],
        quote=found.quote,
        turn=turn,
        message_id=message.id if message is not None else "",
        line=message.line if message is not None else 0,
        language=language_of_text(found.quote),
        values=values_of(found.quote),
        scope=scope_of(found.quote),
        tier=found.tier,
        accepted=found.accepted,
        against=found.against,
        because=found.because,
        state=state,
    )
