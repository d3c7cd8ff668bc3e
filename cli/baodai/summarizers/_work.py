"""What was done, for the summary: outcomes of calls and the assistant's own conclusions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import one_line
from baodai.digests.files import FileEvent, file_events
from baodai.digests.plan import Item, items_of
from baodai.digests.prose import CONCLUDES, gist
from baodai.digests.render import line
from baodai.model import Message, Role, Text, ToolCall, ToolResult, Turn, Voice
from baodai.structure import pair
from baodai.summarizers._candidates import Candidate
from baodai.tools import Kind

_ANNOUNCES = re.compile(
    r"\s*(?:now |ok(?:ay)?[,.]? |good[,.]? |great[,.!]? |first,? |next,? )*(?:let me|let's|i'll|i will|i need to|i'm going to|now)\b[^.!?]*[:.]?\s*$"
    r"|\s*(?:现在)?(?:让我|我来|我先|先|接下来|下面)[^。！？]*[:：。]?\s*$",
    re.IGNORECASE,
)
_WEIGHTS = {
    "command": 1.0,
    "agent": 1.6,
    "fetch": 0.7,
    "search": 0.25,
    "other": 0.8,
    "question": 1.5,
}
_TOLD = re.compile(
    r"passed|failed|error|commit|push|merged?|PR|pull/|build|通过|失败|提交|推送", re.IGNORECASE
)
_PROSE = (180, 420, 1_100)
"""Characters of the forms in which prose may stand."""


Read = Callable[[ToolCall | None, ToolResult], Outcome]
"""Reads the outcome of a call."""


@dataclass(frozen=True, slots=True)
class Done:
    """One call with its outcome, and where in time it stands."""

    turn: int
    at: float
    outcome: Outcome
    events: tuple[FileEvent, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Everything that was done in the folded turns."""

    done: tuple[Done, ...]
    prose: tuple[Candidate, ...]
    closing: tuple[tuple[int, str], ...]
    items: tuple[Item, ...]
    items_turn: int


def work_of(turns: Sequence[Turn], read: Read) -> Work:
    """Read the folded turns once."""
    total = max(1, sum(len(t.steps) for t in turns))
    done: list[Done] = []
    prose: list[Candidate] = []
    closing: list[tuple[int, str]] = []
    items: tuple[Item, ...] = ()
    items_turn = index = 0
    for turn in turns:
        said: list[tuple[float, str]] = []
        for step in turn.steps:
            at = index / total
            index += 1
            for call, result in _pairs(step.messages):
                came = read(call, result)
                events = file_events(call, result, Kind(came.kind))
                done.append(Done(turn.number, at, came, events))
                if came.kind == Kind.PLAN and (listed := items_of(call)):
                    items, items_turn = listed, turn.number
            prose.extend(_printed(step.messages, turn.number, at))
            text = "\n".join(m.text for m in step.messages if m.role is Role.ASSISTANT and m.text)
            if text.strip():
                said.append((at, text))
        for i, (at, text) in enumerate(said):
            prose.extend(_prose(text, turn.number, at, closes=i == len(said) - 1))
        if said:
            closing.append((turn.number, said[-1][1]))
    return Work(tuple(done), tuple(prose), tuple(closing), items, items_turn)


def _pairs(messages: Sequence[Message]) -> Iterator[tuple[ToolCall, ToolResult]]:
    for (c, k), (r, j) in pair(messages).result_of.items():
        call, result = messages[c].blocks[k], messages[r].blocks[j]
        if isinstance(call, ToolCall) and isinstance(result, ToolResult):
            yield call, result


def _printed(messages: Sequence[Message], turn: int, at: float) -> Iterator[Candidate]:
    """Tool output that stands as text in a message, where a runtime has no results of its own."""
    for message in messages:
        for block in message.blocks:
            if isinstance(block, Text) and block.voice is Voice.TOOL:
                forms = (gist(block.text, 200), gist(block.text, 700), gist(block.text, 2_000))
                yield Candidate("results", turn, forms, 0.6, at)


def _prose(text: str, turn: int, at: float, *, closes: bool) -> Iterator[Candidate]:
    """What the assistant said: at the end of a turn it concludes, before that where it finds."""
    if len(text) < 200 and _ANNOUNCES.match(text):
        return
    telling = len(CONCLUDES.findall(text[:4_000]))
    if not closes and (telling == 0 or len(text) < 40):
        return
    weight = 2.2 if closes else min(1.2, 0.45 + 0.12 * telling)
    forms = tuple(gist(text, most) for most in _PROSE)
    yield Candidate("closing" if closes else "results", turn, forms, weight, at)


def results(work: Work, language: str) -> Iterator[Candidate]:
    """Outcomes worth a line: what ran and failed or passed, what agents and pages said."""
    later: set[tuple[str, str]] = set()
    found: list[Candidate] = []
    for one in reversed(work.done):
        kind = one.outcome.kind
        weight = _WEIGHTS.get(kind, 0.0)
        if not weight:
            continue
        key = (kind, one.outcome.target)
        told = " ".join(one.outcome.conclusions)
        if _TOLD.search(told):
            weight += 0.5
        elif kind == "command" and one.outcome.exit_code is None:
            weight -= 0.4
        if one.outcome.status is Status.FAILED:
            weight += 0.2
        if key in later:
            weight *= 0.4
        later.add(key)
        short = line(one.outcome, language, most=160)
        long = line(one.outcome, language, most=420)
        found.append(Candidate("results", one.turn, (short, long), weight, one.at))
    yield from reversed(found)


def errors(work: Work, language: str) -> Iterator[Candidate]:
    """Failures with their lines verbatim, and whether the same thing worked later."""
    solved: dict[str, Done] = {}
    found: list[Candidate] = []
    for one in reversed(work.done):
        o = one.outcome
        key = f"{o.kind} {o.target}"
        if o.status is Status.OK:
            solved[key] = one
        if o.status is not Status.FAILED or o.kind == "question":
            continue
        said = (*o.errors, *o.conclusions)[:2]
        if not said:
            continue
        text = f"{one_line(o.target, 100)}: {one_line('; '.join(said), 260)}"
        end = _ending(solved.get(key), language)
        weight = 1.0 if o.kind == "command" else 0.4
        found.append(Candidate("errors", one.turn, (f"{text} → {end}",), weight, one.at))
    yield from reversed(found)


def _ending(after: Done | None, language: str) -> str:
    if after is None:
        return "其后未见成功" if language == "zh" else "no success of the same call after it"
    return f"第 {after.turn} 轮成功" if language == "zh" else f"worked in t{after.turn}"
