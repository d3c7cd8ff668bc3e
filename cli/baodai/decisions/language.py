"""Which language a text, and a conversation, is in: the one its human writes."""

from __future__ import annotations

import re

from baodai.decisions.pasted import own_words
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


def language_of(conversation: Conversation) -> str:
    """The language the human writes; tool output and what was pasted do not count.

    Who writes Chinese among English logs and names writes Chinese: two messages in five decide.
    Where the human wrote nothing, what the model wrote does.
    """
    said = [own_words(m.words)[:4_000] for m in conversation.messages if m.starts_turn]
    votes = [language_of_text(words) == "zh" for words in said if words.strip()]
    if not votes:
        text = "\n".join(m.text[:500] for m in conversation.messages[:20] if not m.is_summary)
        return language_of_text(text)
    return "zh" if sum(votes) * 5 >= len(votes) * 2 else "en"
