"""A provider that speaks a known answer, cut off at a cap, as well behaved as its profile.

For trying a recovery offline: seeded, so that the same call gives the same events. The providers'
stop reasons and overflow errors are data (`voices.toml`).
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from baodai.model import Usage
from baodai.providers import CallPiece, End, Event, ProviderError, Request, TextPiece, ThinkingPiece

PROFILES = (
    "clean", "overlap", "apology", "restart", "skip", "fence", "wrong-stop-reason", "cut-tool-call",
    "no-progress", "endless", "overflow", "disconnect", "mixed",
)  # fmt: skip
_MIXED = ("clean", "overlap", "apology", "fence", "wrong-stop-reason")
_PIECE = 400
_OVERLAPS = (24, 400)
_SKIPS = (10, 80)
_APOLOGIES = {
    "en": (
        "Sorry about the cut-off. Continuing:\n",
        "I apologize for being cut off. ",
        "Continuing from where I left off:\n",
        "Sure, here is the rest, continuing where it stopped: ",
    ),
    "zh": (
        "抱歉，输出被截断了。继续：\n",
        "接着刚才被中断的地方继续：\n",
        "好的，从中断处继续：\n",
    ),
}


@dataclass(frozen=True, slots=True)
class Voice:
    """How a provider says: done, with calls, cut off; and that the input is too long."""

    done: str
    calls: str
    cut: str
    overflow: str
    status: int = 400

    def refusal(self, asked: int, limit: int) -> ProviderError:
        """The error for an input of `asked` tokens where `limit` are allowed."""
        return ProviderError(self.status, self.overflow % {"asked": asked, "limit": limit})


@cache
def voices() -> Mapping[str, Voice]:
    """The providers by name."""
    path = Path(__file__).with_name("voices.toml")
    return {name: Voice(**told) for name, told in tomllib.loads(path.read_text("utf-8")).items()}


@dataclass(frozen=True, slots=True)
class Line:
    """What the provider would say if nothing cut it: text, then calls as (id, name, arguments)."""

    text: str
    calls: tuple[tuple[str, str, str], ...] = ()
    thinking: str = ""


@dataclass(slots=True)
class ScriptedProvider:
    """Speaks one line over several requests.

    `count` counts tokens; `window` refuses longer inputs under the profile `overflow`; `language`
    is that of its apologies.
    """

    line: Line
    count: Callable[[str], int]
    profile: str = "clean"
    voice: Voice = field(default_factory=lambda: voices()["openai-chat"])
    seed: int = 0
    window: int = 0
    language: str = "en"
    name: str = "scripted"
    at: int = 0
    calls_done: int = 0
    asked: int = 0
    piece: int = 0
    _dice: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        self._dice = random.Random(f"{self.seed}|{self.profile}|{self.line.text[:200]}")  # noqa: S311 - no secret

    def stream(self, request: Request) -> Iterator[Event]:
        """The next piece of the line, within the request's cap."""
        size = sum(self.count(str(m.get("content") or "")) for m in request.messages)
        if self.profile == "overflow" and self.window and size > self.window:
            raise self.voice.refusal(size, self.window)
        first = self.asked == 0
        self.asked += 1
        profile = self.profile
        if profile == "mixed" and not first:
            profile = self._dice.choice(_MIXED)
        cap = request.max_output_tokens or 10**9
        yield from self._spoken(request, cap, "clean" if first else profile, size)

    def _spoken(self, request: Request, cap: int, profile: str, size: int) -> Iterator[Event]:
        if self.asked == 1 and self.line.thinking:
            yield ThinkingPiece(self.line.thinking)
        lead, start = self._begun(request, profile)
        if profile == "no-progress":
            yield End(self.voice.cut, usage=Usage(size, 0))
            return
        whole = lead + self.line.text[start:]
        if profile == "endless" or self.profile == "endless":
            whole += "And so it goes on. " * 400
        said = whole[: self._fits(whole, cap)]
        self.piece = len(said)
        broken = self.profile == "disconnect" and self._dice.random() < 0.5 and len(said) > 1
        if broken:
            said = said[: self._dice.randint(1, len(said) - 1)]
        self.at = max(start + len(said) - len(lead), self.at if profile == "restart" else 0)
        for i in range(0, len(said), _PIECE):
            yield TextPiece(said[i : i + _PIECE])
        if broken:
            return
        left = cap - self.count(said)
        cut = len(said) < len(whole)
        if not cut:
            cut = yield from self._called(max(0, left))
        yield End(self._reason(cut=cut), usage=Usage(size, cap if cut else self._spent(said)))

    def _begun(self, request: Request, profile: str) -> tuple[str, int]:
        """What stands before the next piece, and where in the line it begins."""
        at, dice = min(self.at, len(self.line.text)), self._dice
        anchor = str(request.messages[-2].get("content") or "") if len(request.messages) > 1 else ""
        if profile == "overlap" and at:
            # More than half a piece said again and it would never come to an end.
            least, most = _OVERLAPS
            return "", max(0, at - dice.randint(least, max(least, min(most, self.piece // 2))))
        if profile == "apology":
            return dice.choice(_APOLOGIES[self.language]), at
        if profile == "skip":
            return "", min(len(self.line.text), at + dice.randint(*_SKIPS))
        if profile == "restart" and at:
            return "", max(0, self.line.text.rfind(anchor, 0, at + len(anchor)))
        if profile == "fence":
            return self._fence(at), at
        return "", at

    def _fence(self, at: int) -> str:
        """The open fence at a place, opened again."""
        open_line = ""
        for line in self.line.text[:at].split("\n"):
            marks = line.lstrip(" ")
            if marks.startswith("```"):
                closes = not marks.strip("`").strip()
                open_line = "" if open_line and closes else open_line or marks
        return f"{open_line}\n" if open_line.strip("`").strip() else ""

    def _called(self, left: int) -> Generator[Event, None, bool]:
        """The calls that are left; whether the cap cut them."""
        for index, (call_id, name, arguments) in enumerate(self.line.calls):
            if index < self.calls_done:
                continue
            if left <= 0:
                # Whoever asks again drops the last call that came, since it may be cut.
                self.calls_done = max(self.calls_done, index - 1)
                return True
            room = self._fits(arguments, max(0, left - self.count(name)))
            yield CallPiece(index - self.calls_done, call_id, name, arguments[:room])
            left -= self.count(name) + self.count(arguments[:room])
            if room < len(arguments):
                self.calls_done = index
                return True
        return False

    def _reason(self, *, cut: bool) -> str:
        lies = self.profile in {"wrong-stop-reason", "cut-tool-call"}
        if not cut or (lies or (self.profile == "mixed" and self._dice.random() < 0.3)):
            return self.voice.calls if self.line.calls else self.voice.done
        return self.voice.cut

    def _spent(self, said: str) -> int:
        return self.count(said) + sum(self.count(n + a) for _, n, a in self.line.calls)

    def _fits(self, text: str, cap: int) -> int:
        """Characters of a text that take at most `cap` tokens."""
        if len(text) <= cap or self.count(text) <= cap:
            return len(text)
        low, high = 0, min(len(text), cap * 12 + 12)
        while low < high:
            middle = (low + high + 1) // 2
            if self.count(text[:middle]) <= cap:
                low = middle
            else:
                high = middle - 1
        return low
