"""Plays the answers of a transcript again through a provider that cuts them, and compares.

Offline: what is recovered is held against what the transcript says, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from baodai.decisions.language import language_of_text
from baodai.formats import Format
from baodai.model import Conversation, Message, Role
from baodai.overflow import Diagnosis
from baodai.pipeline import Options
from baodai.providers import JSON, Request
from baodai.providers.scripted import Line, ScriptedProvider, voices
from baodai.reactive import Ladder
from baodai.recovery import Outcome, Policy, Recovered
from baodai.recovery.engine import Count, Recovery, Shorter
from baodai.structure import turn_numbers

_CONTEXT = 6
"""Messages before an answer that go along; more would only cost time offline."""

_ROUNDS = 200
"""Handles followed to the end of one answer."""


class Verdict(StrEnum):
    """How what was recovered stands to what the transcript says.

    `AMBIGUOUS`: a seam was flagged; `exact` of the row says how it came out. `DIFFERS`: unflagged
    and wrong.
    """

    EXACT = "exact"
    AMBIGUOUS = "ambiguous-seam"
    CONTINUED = "continued"
    GAVE_UP = "gave-up"
    EXCEEDS = "call-exceeds-cap"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Play:
    """What is played: cap in tokens, profile, provider, seed; `window` for the profile overflow."""

    cap: int = 256
    profile: str = "clean"
    provider: str = "openai-chat"
    seed: int = 0
    window: int = 0
    raise_to: int | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """One answer, played. Tokens by the counter; `chars` of the answer's text.

    `exact`: text and calls equal the transcript's at the end, after `rounds` handles were followed.
    """

    message: str
    turn: int
    line: int
    chars: int
    tokens: int
    calls: int
    verdict: Verdict
    outcome: Outcome
    exact: bool
    continuations: int
    rounds: int
    ambiguous: bool
    removed: int
    input: int
    output: int
    whole: int

    @property
    def saved(self) -> int:
        """Input tokens saved against sending the whole answer with each continuation."""
        return self.whole - self.input


def answers(conversation: Conversation) -> Iterator[tuple[int, Message]]:
    """The assistant's messages with text or calls, and their places."""
    for i, message in enumerate(conversation.messages):
        said = message.text.strip() or message.calls
        if message.role is Role.ASSISTANT and said and not message.is_summary:
            yield i, message


def replayed(
    conversation: Conversation, codec: Format, play: Play, count: Count
) -> Iterator[Replayed]:
    """Every answer of a conversation that is longer than the cap, played once."""
    numbers = turn_numbers(conversation)
    for place, message in answers(conversation):
        line = Line(message.text, tuple((c.id, c.name, c.arguments) for c in message.calls))
        tokens = count(line.text) + sum(count(n + a) for _, n, a in line.calls)
        if tokens <= play.cap:
            continue
        before = conversation.messages[max(0, place - _CONTEXT) : place]
        shown = _Shown(message, line, tokens, numbers[message.id], _chat(before))
        yield _judged(shown, _rounds(shown, play, count, _Shorter(conversation, codec, place)))


@dataclass(frozen=True, slots=True)
class _Shown:
    """One answer to play, with what stood before it."""

    message: Message
    line: Line
    tokens: int
    turn: int
    before: tuple[JSON, ...]


def _rounds(shown: _Shown, play: Play, count: Count, shorter: Shorter) -> list[Recovered]:
    """The recovery, then what its handle gives, to the end of the answer."""
    language = language_of_text(shown.line.text or "en")
    voice = voices()[play.provider]
    provider = ScriptedProvider(
        shown.line, count, play.profile, voice, play.seed, play.window, language
    )
    policy = Policy(language=language, raise_to=play.raise_to)
    request = Request(shown.before, "replay", play.cap)
    rounds: list[Recovered] = []
    standing = ""
    while len(rounds) < _ROUNDS:
        recovery = Recovery(provider, policy, count, shorter, standing)
        for _ in recovery.stream(request):
            pass
        if recovery.result is None:
            break
        rounds.append(recovery.result)
        stuck = recovery.result.text == standing
        standing = recovery.result.text
        if recovery.result.outcome is not Outcome.TRUNCATED or stuck:
            break
    return rounds


def _judged(shown: _Shown, rounds: Sequence[Recovered]) -> Replayed:
    last, line, message = rounds[-1], shown.line, shown.message
    said = tuple((c.name, c.arguments) for r in rounds for c in r.calls)
    exact = last.text == line.text and said == tuple((n, a) for _, n, a in line.calls)
    ambiguous = any(r.ambiguous for r in rounds)
    segments = [s for r in rounds for s in r.segments]
    return Replayed(
        message.id,
        shown.turn,
        message.line,
        len(line.text),
        shown.tokens,
        len(line.calls),
        _verdict(last.outcome, exact=exact, ambiguous=ambiguous, rounds=len(rounds)),
        last.outcome,
        exact,
        sum(r.continuations for r in rounds),
        len(rounds),
        ambiguous,
        sum(s.removed for s in segments),
        sum(s.input for s in segments),
        sum(s.output for s in segments),
        sum(s.whole for s in segments),
    )


def _verdict(outcome: Outcome, *, exact: bool, ambiguous: bool, rounds: int) -> Verdict:
    if outcome is Outcome.CALL_EXCEEDS_CAP:
        return Verdict.EXCEEDS
    if outcome not in {Outcome.WHOLE, Outcome.RECOVERED}:
        return Verdict.GAVE_UP
    if ambiguous:
        return Verdict.AMBIGUOUS
    if not exact:
        return Verdict.DIFFERS
    return Verdict.EXACT if rounds == 1 else Verdict.CONTINUED


def _chat(messages: Sequence[Message]) -> tuple[JSON, ...]:
    """Messages in the form of chat completions, for a request; tool results as they read."""
    made: list[JSON] = []
    for message in messages:
        text = message.text or "\n".join(r.text for r in message.results)
        role = "user" if message.role is Role.TOOL else message.role.value
        if text.strip():
            made.append({"role": role, "content": text})
    return tuple(made)


@dataclass(slots=True)
class _Shorter:
    """Answers an overflow by the ladder, on the conversation up to the answer."""

    conversation: Conversation
    codec: Format
    place: int
    _ladder: Ladder | None = None

    def __call__(self, refused: Diagnosis) -> tuple[JSON, ...] | None:
        if self._ladder is None:
            until = self.conversation.with_messages(self.conversation.messages[: self.place])
            self._ladder = Ladder(until, self.codec, Options(), "replay")
        rung = self._ladder.answer(refused)
        return None if rung is None else _chat(rung.compaction.after.messages)
