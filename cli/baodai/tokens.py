"""Counting tokens: the only tiktoken import; vocabulary offline; every text counted once."""

from __future__ import annotations

from typing import Protocol

from baodai.model import Conversation, Message


class TokenCounter(Protocol):
    """Counts the tokens of a text. `exact`: it is the model's own tokenizer."""

    name: str
    exact: bool

    def count(self, text: str) -> int:
        """Tokens of `text`, special-token text counted as plain text. Never raises."""
        ...


class Meter(Protocol):
    """Counts blocks, messages and conversations by documented rules, each text once."""

    counter: TokenCounter

    def text(self, text: str) -> int:
        """Tokens of a text, as the model would count it."""
        ...

    def message(self, message: Message) -> int:
        """Tokens of a message, overhead of its role and its calls included."""
        ...

    def conversation(self, conversation: Conversation) -> int:
        """Tokens of all messages and tool schemas, and the overhead."""
        ...
