"""Conversations whose calls record usage, as a provider would report it."""

from __future__ import annotations

import random
from dataclasses import replace

from baodai.model import Conversation, Message, Usage
from baodai.tokens import Meter, counter_for
from build import human, says, talk


def recorded(
    factor: float, overhead: int, *, calls: int = 20, noise: float = 0.0, size: int = 300
) -> Conversation:
    """A conversation whose calls report usage by this factor and overhead."""
    draw = random.Random(7)  # noqa: S311  # a fixed seed is the point
    parts: list[Message] = []
    for i in range(calls):
        parts += [human(f"request {i}: " + "run the tests again " * size), says("done " * 40)]
    conversation = talk(*parts)
    meter = Meter(counter_for("o200k_base"))
    counted, messages = meter.fixed(conversation), []
    for message in conversation.messages:
        if message.role == "assistant":
            off = 1 + draw.uniform(-noise, noise)
            usage = Usage(input=round((factor * counted + overhead) * off), output=40)
            messages.append(replace(message, usage=usage))
        else:
            messages.append(message)
        counted += meter.message(message)
    return conversation.with_messages(messages)
