"""Hears one answer: what may be passed on at once, what must wait for its seam or its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from baodai.providers import CallPiece, End, Event, TextPiece, ThinkingPiece
from baodai.recovery import Answer, Call
from baodai.recovery.seam import Seam, join


@dataclass(slots=True)
class Listener:
    """Collects an answer. Text goes through once its seam with `standing` is known.

    `standing` is `None` where nothing stands before it; `enough` are the characters from which the
    seam is sure. Calls wait: a cut one must never be handed on.
    """

    standing: str | None
    enough: int
    anchor: str = ""
    seam: Seam = field(default_factory=lambda: Seam(""))
    _text: list[str] = field(default_factory=list)
    _thinking: list[str] = field(default_factory=list)
    _calls: dict[int, Call] = field(default_factory=dict)
    _end: End = field(default_factory=lambda: End(""))
    _size: int = 0
    _joined: bool = False

    def heard(self, event: Event) -> Iterator[Event]:
        """Take an event in; what of it may be passed on."""
        match event:
            case TextPiece():
                yield from self._said(event)
            case ThinkingPiece():
                self._thinking.append(event.text)
                yield event
            case CallPiece():
                known = self._calls.get(event.index, Call("", "", ""))
                self._calls[event.index] = Call(
                    known.id or event.id,
                    known.name or event.name,
                    known.arguments + event.arguments,
                )
            case End():
                self._end = event

    def _said(self, piece: TextPiece) -> Iterator[Event]:
        self._text.append(piece.text)
        self._size += len(piece.text)
        if self.standing is None or self._joined:
            yield piece
        elif self._size >= self.enough:
            yield from self._join()

    def _join(self) -> Iterator[Event]:
        self._joined = True
        self.seam = join(self.standing or "", "".join(self._text), self.anchor)
        if self.seam.text:
            yield TextPiece(self.seam.text)

    def rest(self) -> Iterator[Event]:
        """What was held back when the answer ended; the seam is whole now."""
        if self.standing is not None and not self._joined:
            yield from self._join()
        whole = "".join(self._text)
        self.seam = replace(self.seam, text=whole[self.seam.removed :])

    def answer(self) -> Answer:
        """All that came."""
        usage = self._end.usage
        return Answer(
            "".join(self._text),
            "".join(self._thinking),
            tuple(self._calls[i] for i in sorted(self._calls)),
            self._end.reason,
            usage.output if usage else 0,
            usage.input if usage else 0,
        )
