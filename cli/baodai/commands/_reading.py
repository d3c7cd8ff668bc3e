"""Conversations for the verbs that only look; what cannot be read is reported, the rest goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from baodai.batch import Failure, Reading
from baodai.commands._compacting import chosen
from baodai.commands._telling import Teller
from baodai.diagnostics import Diagnostics
from baodai.errors import BaodaiError
from baodai.model import Conversation


def each(
    named: Sequence[str] | None,
    format_name: str,
    diagnostics: Diagnostics,
    *,
    strict: bool = False,
) -> Iterator[tuple[str, Conversation]]:
    """Every conversation of every input, with the name of its input.

    `strict`: an unreadable line fails its input, as the settings may ask.
    """
    teller = Teller(diagnostics)
    for inp in chosen(tuple(named or ()), diagnostics):
        reading = Reading(inp, format_name, strict)
        try:
            for conversation in reading.conversations():
                yield inp.name, conversation
        except BaodaiError as error:
            diagnostics.report(Failure.of(error, inp.name))
        teller.unread(inp.name, tuple(reading.unread))
