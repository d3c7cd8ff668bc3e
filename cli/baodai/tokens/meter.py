"""Counting blocks, messages and conversations by documented rules, each text once.

The rules, all in tokens of the counter before the factor:

- a message: 3, its role 1, and what its blocks hold; a conversation: 3 for the reply it primes
  (OpenAI's chat format; matched 32 of 32 recorded prompts, o3-mini and gpt-5 come out one less);
- text: its tokens; special-token text in it is plain text;
- a tool call: name, arguments, and 8 for the frame; a result: its parts and 4 (providers do not
  publish their frames; both are estimates, not checked against recorded prompts);
- thinking: its text, or what its signature says where that is more: a signature carries the
  thinking in encrypted form, byte for byte after a frame of 174 (measured on 755 signed blocks), so
  thinking whose text the API withheld or only summed up still has a size;
- an image: width x height / 750, at least 85 and at most 1,600 (Anthropic's rule; OpenAI's
  smallest is 85); with unknown size, and for other media without visible text, 1,600;
- another opaque block: the text the model reads of it;
- tool schemas: their JSON as text.
"""

from __future__ import annotations

import math
from typing import assert_never

from baodai.model import (
    Block,
    Conversation,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from baodai.tokens.engines import TokenCounter

PER_MESSAGE = 4
REPLY = 3
PER_CALL = 8
PER_RESULT = 4
IMAGE_FLAT = 1600
IMAGE_LEAST = 85
IMAGE_PIXELS = 750
_MEDIA = ("image", "document", "file", "audio", "video", "pdf")
_SIGNATURE_FRAME = 174
_BYTES_PER_TOKEN = 4.4
"""Of a signature (its frame, in bytes) and of thinking (measured with `o200k_base`)."""

_SHORT = 2048
"""Characters up to which a memoised text is its own key; longer ones are known by hash and length,
so that the memo keeps no big text alive."""


def surely_within(text: str, limit: int) -> bool:
    """Whether a text is within `limit` tokens for certain: none is shorter than a byte.

    A character takes up to four bytes.
    """
    return len(text) * 4 <= limit


class Meter:
    """Counts with one counter, factor and overhead; all numbers are whole tokens.

    `factor` scales a message (or a text) as a whole and rounds up, so that messages add up:
    `conversation(c) == fixed(c) + sum(message(m) for m in c.messages)`, always. `overhead` stands
    for what the transcript does not show (system prompt, tool schemas) and is not scaled.
    """

    __slots__ = ("_counter", "_factor", "_messages", "_overhead", "_own", "_texts")

    def __init__(
        self, counter: TokenCounter, factor: float = 1.0, overhead: int = 0, *, own: bool = True
    ) -> None:
        self._counter = counter
        self._factor = factor
        self._overhead = overhead
        self._own = own
        self._texts: dict[str | tuple[int, int], int] = {}
        # By identity, since comparing long messages costs more than it saves; the message is kept
        # so that its identity is not given to another one.
        self._messages: dict[int, tuple[Message, int]] = {}

    def adjusted(self, factor: float, overhead: int, *, own: bool = True) -> Meter:
        """Another meter over the same counter that knows all this one has counted."""
        other = Meter(self._counter, factor, overhead, own=own)
        other._texts, other._messages = self._texts, self._messages
        return other

    @property
    def counter(self) -> TokenCounter:
        """The counter under the factor."""
        return self._counter

    @property
    def factor(self) -> float:
        """The model's tokens for each token of the counter."""
        return self._factor

    @property
    def overhead(self) -> int:
        """Tokens counted in for what the transcript does not show."""
        return self._overhead

    @property
    def name(self) -> str:
        """How a number was counted: "o200k_base", "o200k_base x1.18"."""
        suffix = "" if self._factor == 1.0 else f" x{self._factor:.2f}"
        return self._counter.name + suffix

    @property
    def exact(self) -> bool:
        """Whether a text's count is the model's own (`own`: the counter is its tokenizer)."""
        return self._own and self._counter.exact and self._factor == 1.0

    def raw(self, text: str) -> int:
        """Tokens of the counter itself, each text counted once."""
        key = text if len(text) <= _SHORT else (hash(text), len(text))
        known = self._texts.get(key)
        if known is None:
            known = self._texts[key] = self._counter.count(text)
        return known

    def text(self, text: str) -> int:
        """Tokens of a text, as the model would count it."""
        return self._scaled(self.raw(text))

    def message(self, message: Message) -> int:
        """Tokens of a message, with its frame and those of its calls and results."""
        known = self._messages.get(id(message))
        if known is not None:
            return self._scaled(known[1])
        total = PER_MESSAGE + sum(map(self._block, message.blocks))
        self._messages[id(message)] = (message, total)
        return self._scaled(total)

    def block(self, block: Block) -> int:
        """Tokens of one block; rounded up by itself, so blocks can exceed their message."""
        return self._scaled(self._block(block))

    def fixed(self, conversation: Conversation) -> int:
        """What no compaction can save: overhead, tool schemas, the reply's frame."""
        schemas = self.text(conversation.tools) if conversation.tools else 0
        return self._overhead + schemas + REPLY

    def conversation(self, conversation: Conversation) -> int:
        """Tokens of the whole prompt: `fixed` and all messages."""
        return self.fixed(conversation) + sum(map(self.message, conversation.messages))

    def _scaled(self, tokens: int) -> int:
        return tokens if self._factor == 1.0 else math.ceil(tokens * self._factor)

    def _block(self, block: Block) -> int:
        match block:
            case Text():
                return self.raw(block.text)
            case Thinking():
                return max(self.raw(block.text), withheld(block.signature))
            case ToolCall():
                return PER_CALL + self.raw(block.name) + self.raw(block.arguments)
            case ToolResult():
                return PER_RESULT + sum(map(self._block, block.parts))
            case Opaque():
                return self._opaque(block)
            case _:
                assert_never(block)

    def _opaque(self, block: Opaque) -> int:
        visible = self.raw(block.visible) if block.visible else 0
        if block.pixels is not None:
            return visible + image(*block.pixels)
        kind = block.kind.lower()
        if any(word in kind for word in _MEDIA) and not (visible and "image" not in kind):
            return visible + IMAGE_FLAT
        return visible


def image(width: int, height: int) -> int:
    """Tokens of an image of this size in pixels."""
    return min(IMAGE_FLAT, max(IMAGE_LEAST, math.ceil(width * height / IMAGE_PIXELS)))


def withheld(signature: str) -> int:
    """Tokens of the thinking inside a signature (base64)."""
    return max(0, round((len(signature) * 3 / 4 - _SIGNATURE_FRAME) / _BYTES_PER_TOKEN))
