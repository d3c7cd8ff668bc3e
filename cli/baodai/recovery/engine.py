"""The state machine of a recovery: ask, see what was cut, ask to go on, join, stop in time.

Whoever reads the stream sees one uninterrupted answer: text as it is sure, calls when they are
whole. The counter starts anew with each answer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from baodai.overflow import COMPACTS, Diagnosis, Trouble, classify
from baodai.providers import (
    JSON,
    CallPiece,
    End,
    Event,
    Provider,
    ProviderError,
    Request,
    TextPiece,
)
from baodai.recovery import Answer, Call, Cut, Outcome, Policy, Recovered, Segment
from baodai.recovery import instruct as say
from baodai.recovery.detect import cut_of
from baodai.recovery.listening import Listener
from baodai.recovery.seam import Seam

Count = Callable[[str], int]
Shorter = Callable[[Diagnosis], Sequence[JSON] | None]
"""Gives the conversation compacted harder, `None` where nothing more can go."""

_SMALLEST_ANCHOR = 125
_GOING_ON = frozenset({"continue", "call again", "shorter anchor"})
_LOOPING = 3
"""Times that a text may come at the end of what stands before it is a loop."""


@dataclass(slots=True)
class Recovery:
    """Finishes one answer. `count` counts tokens; `shorter` answers an overflow.

    `standing` is text that came earlier, where an earlier recovery is continued.
    """

    provider: Provider
    policy: Policy
    count: Count
    shorter: Shorter | None = None
    standing: str = ""
    result: Recovered | None = None
    _calls: list[Call] = field(default_factory=list)
    _segments: list[Segment] = field(default_factory=list)
    _thinking: str = ""
    _anchor: int = 0
    _tries: int = 0
    _failed_calls: int = 0

    def stream(self, request: Request) -> Iterator[Event]:
        """The events of the whole answer; `result` holds it with its provenance afterwards.

        Raises:
            ProviderError: the first request was refused for another reason than its length.
        """
        self._anchor = self.policy.anchor
        asked = "continue" if self.standing else "answer"
        before = request.messages
        now = self._next(request, before, Cut.TEXT) if self.standing else request
        while True:
            seam_open = asked in _GOING_ON
            seam, answer, error = yield from self._ask(now, seam_open=seam_open)
            if error is not None and not answer.text and not answer.calls:
                given = self._refused(error, before)
                if given is None:
                    yield from self._ended(Outcome.OVERFLOW, request)
                    return
                if given is not before:
                    before, asked = given, "shorter input"
                    now = replace(now, messages=(*before, *now.messages[len(request.messages) :]))
                    request = replace(request, messages=before)
                    self._note("shorter input", Cut.OVERFLOW, answer, now, Seam(""))
                    continue
            cut = cut_of(answer, now.max_output_tokens)
            self._note(asked, cut, answer, now, seam)
            outcome = self._taken(cut, answer, seam, now)
            if outcome is not None:
                yield from self._ended(outcome, request)
                return
            asked, now = self._step(cut, answer, seam, replace(request, messages=before), now)

    def _ask(
        self, request: Request, *, seam_open: bool
    ) -> Generator[Event, None, tuple[Seam, Answer, ProviderError | None]]:
        """One request: passes on what is sure; the seam, what came, and the error if any."""
        anchor = say.anchor_of(self.standing, self._anchor) if seam_open else ""
        held = 2 * self._anchor + 1_000
        listener = Listener(self.standing if seam_open else None, held, anchor)
        error: ProviderError | None = None
        try:
            for event in self.provider.stream(request):
                yield from listener.heard(event)
        except ProviderError as refused:
            error = refused
        yield from listener.rest()
        return listener.seam, listener.answer(), error

    def _refused(self, error: ProviderError, before: tuple[JSON, ...]) -> tuple[JSON, ...] | None:
        """The conversation to send after a refusal: shorter, the same again, or none."""
        found = classify(error.status, error.body)
        if found.trouble in COMPACTS:
            shorter = self.shorter(found) if self.shorter is not None else None
            return None if shorter is None else tuple(shorter)
        if found.trouble is Trouble.TRANSPORT and self._tries < self.policy.continuations:
            return before
        raise error

    def _note(self, asked: str, cut: Cut, answer: Answer, sent: Request, seam: Seam) -> None:
        going = asked in _GOING_ON
        size = answer.input or sum(self.count(str(m.get("content") or "")) for m in sent.messages)
        anchor = str(sent.messages[-2].get("content") or "") if going and self.standing else ""
        whole = size - self.count(anchor) + self.count(self.standing) if going else size
        self._segments.append(
            Segment(
                asked,
                cut,
                len(seam.text),
                seam.removed,
                ", ".join(seam.why),
                seam.ambiguous,
                size,
                answer.output or self.count(answer.text),
                whole,
            )
        )

    def _taken(self, cut: Cut, answer: Answer, seam: Seam, sent: Request) -> Outcome | None:
        """Take in what came; how it ended, `None` where it goes on."""
        before = self.standing
        self.standing += seam.text
        self._thinking += answer.thinking
        whole = list(answer.calls)
        if cut in {Cut.CALL, Cut.BROKEN} and whole:
            whole.pop()
            self._failed_calls += 1
        self._calls.extend(c for c in whole if not self._known(c))
        if cut is Cut.NOT:
            first = len(self._segments) == 1
            return Outcome.WHOLE if first else Outcome.RECOVERED
        if cut is Cut.OVERFLOW and self.shorter is None:
            return Outcome.OVERFLOW
        return self._stops(cut, seam, before, sent)

    def _stops(self, cut: Cut, seam: Seam, before: str, sent: Request) -> Outcome | None:
        can_raise = self.policy.raise_to not in {None, sent.max_output_tokens}
        again = self._failed_calls > 1 and not seam.text
        if not can_raise and (cut is Cut.THINKING or (cut is Cut.CALL and again)):
            return Outcome.THINKING_ONLY if cut is Cut.THINKING else Outcome.CALL_EXCEEDS_CAP
        if 0 < self.policy.max_calls <= len(self._segments):
            return Outcome.BUDGET
        if self._tries >= self.policy.continuations:
            return Outcome.CALL_EXCEEDS_CAP if cut is Cut.CALL else Outcome.TRUNCATED
        return self._stuck(cut, seam, before) if self._tries else None

    def _stuck(self, cut: Cut, seam: Seam, before: str) -> Outcome | None:
        """Nothing new, or the same again and again."""
        if cut is not Cut.CALL and seam.nothing_new:
            return Outcome.NO_PROGRESS if self._anchor <= _SMALLEST_ANCHOR else None
        text = seam.text.strip()
        looping = len(text) > _SMALLEST_ANCHOR and before.count(text) >= _LOOPING - 1
        return Outcome.LOOP if looping else None

    def _known(self, call: Call) -> bool:
        """Whether a call came before: some models make the whole ones again too."""
        return any((c.name, c.arguments) == (call.name, call.arguments) for c in self._calls)

    def _step(
        self, cut: Cut, answer: Answer, seam: Seam, request: Request, sent: Request
    ) -> tuple[str, Request]:
        """What to ask next."""
        self._tries += 1
        raise_to = self.policy.raise_to
        if cut is Cut.THINKING or (cut is Cut.CALL and self._failed_calls > 1):
            request = replace(request, max_output_tokens=raise_to or sent.max_output_tokens)
            if cut is Cut.THINKING:
                return "more room", request
        if self._tries > 1 and seam.nothing_new and cut is not Cut.CALL:
            # It began the anchor again and did not come to its end: a shorter one is passed.
            self._anchor = max(_SMALLEST_ANCHOR, self._anchor // 8)
            return "shorter anchor", self._next(request, request.messages, Cut.TEXT)
        asked = "call again" if cut is Cut.CALL or answer.calls else "continue"
        kind = Cut.CALL if asked == "call again" else Cut.TEXT
        return asked, self._next(request, request.messages, kind)

    def _next(self, request: Request, before: Sequence[JSON], kind: Cut) -> Request:
        language = self.policy.language
        words = self.policy.instruction or say.CONTINUE[language]
        if kind is Cut.CALL:
            words = say.AGAIN[language]
            if self._calls:
                names = ", ".join(c.name for c in self._calls)
                words += say.CAME[language].format(names=names)
        return replace(
            request, messages=(*before, *say.going_on(self.standing, words, self._anchor))
        )

    def _ended(self, outcome: Outcome, request: Request) -> Iterator[Event]:
        handle = notice = ""
        if outcome not in {Outcome.WHOLE, Outcome.RECOVERED}:
            handle = handle_of(request, self.standing)
            n = self._tries
            notice = say.NOTICE[self.policy.language].format(n=n, handle=handle)
        self.result = Recovered(
            self.standing,
            tuple(self._calls),
            outcome,
            tuple(self._segments),
            notice,
            handle,
            thinking=self._thinking,
        )
        for i, call in enumerate(self._calls):
            yield CallPiece(i, call.id, call.name, call.arguments)
        if notice:
            yield TextPiece(f"\n\n{notice}")
        yield End("stop" if not notice else "length")


def handle_of(request: Request, standing: str) -> str:
    """The handle by which an unfinished answer is continued; the same for the same state."""
    seen = blake2b(digest_size=6)
    for message in request.messages:
        seen.update(repr(sorted(message.items())).encode("utf-8", "replace"))
    seen.update(standing.encode("utf-8", "replace"))
    return f"rc:{seen.hexdigest()}"
