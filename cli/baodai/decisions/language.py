"""Which language a text, and a conversation, is in: the one its human writes."""

from __future__ import annotations

import re

from baodai.model import Conversation

_HAN = re.compile(r"[㐀-鿿豈-﫿]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_ENOUGH = 0.5
"""Han characters per Latin word from which a text is Chinese: technical Chinese is full of English
names, and a Han character is about half a word."""

_LOOKED_AT = 40_000


def language_of_text(text: str) -> str:
    """`zh` or `en`."""
    part = text[:_LOOKED_AT]
    han = len(_HAN.findall(part))
    return "zh" if han and han >= _ENOUGH * len(_WORD.findall(part)) else "en"


def has_han(text: str) -> bool:
    """Whether any Han character is in the text."""
    return _HAN.search(text) is not None


def language_of(conversation: Conversation) -> str:
    """The language most of the human's messages are in; tool output does not count.

    Where the human wrote nothing, what the model wrote decides.
    """
    votes = {"zh": 0, "en": 0}
    for message in conversation.messages:
        if message.starts_turn:
            words = message.words[:4_000]
            votes[language_of_text(words)] += min(len(words), 400)
    if not any(votes.values()):
        text = "\n".join(m.text[:500] for m in conversation.messages[:20] if not m.is_summary)
        return language_of_text(text)
    return "zh" if votes["zh"] >= votes["en"] else "en"
