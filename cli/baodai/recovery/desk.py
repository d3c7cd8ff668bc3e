"""`replay --serve`: which answer a request gets from an endpoint that speaks many.

A request that goes on from an answer it gave (the end of it as the last assistant message) gets the
next piece of that; any other gets the next answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from baodai.decisions.language import language_of_text
from baodai.model import Conversation
from baodai.providers import JSON, Event, Request
from baodai.providers.scripted import Line, ScriptedProvider, voice_of
from baodai.recovery.engine import Count
from baodai.recovery.replay import Play, answers

_OPEN = 64
"""Answers that may be gone on with at a time."""


def lines_of(conversation: Conversation) -> Iterator[Line]:
    """The assistant's answers as the provider will speak them."""
    for _, message in answers(conversation):
        yield Line(message.text, tuple((c.id, c.name, c.arguments) for c in message.calls))


@dataclass(slots=True)
class Desk:
    """A provider of many answers; `play` tells how each is cut where a request names no cap."""

    lines: Sequence[Line]
    play: Play
    count: Count
    name: str = "desk"
    _begun: list[ScriptedProvider] = field(default_factory=list)
    _next: int = 0
    _lock: Lock = field(default_factory=Lock)

    def stream(self, request: Request) -> Iterator[Event]:
        """The events of the answer that is due."""
        cap = request.max_output_tokens or self.play.cap
        capped = replace(request, max_output_tokens=cap)
        return self._provider(request.messages).stream(capped)

    def _provider(self, messages: Sequence[JSON]) -> ScriptedProvider:
        with self._lock:
            anchor = _anchor(messages)
            for known in reversed(self._begun if anchor else []):
                said = known.line.text[: known.at].rstrip()
                if said.endswith(anchor) or (said and anchor.endswith(said)):
                    return known
            line = self.lines[self._next % len(self.lines)] if self.lines else Line("")
            self._next += 1
            play, language = self.play, language_of_text(line.text or "en")
            made = ScriptedProvider(
                line,
                self.count,
                play.profile,
                voice_of(play.provider),
                play.seed,
                play.window,
                language,
            )
            self._begun = [*self._begun[-_OPEN:], made]
            return made


def _anchor(messages: Sequence[JSON]) -> str:
    """The end of an answer that the request goes on from; empty: it does not."""
    tail = [m for m in messages if m.get("role") in {"assistant", "user"}][-2:]
    going = [m.get("role") for m in tail] == ["assistant", "user"]
    return str(tail[0].get("content") or "").rstrip() if going else ""
