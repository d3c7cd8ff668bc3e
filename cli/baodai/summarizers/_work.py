"""What was done, for the summary: outcomes of calls and the assistant's own conclusions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import one_line
from baodai.digests.files import FileEvent, file_events
from baodai.digests.outcome import outcome
from baodai.digests.plan import Item, items_of
from baodai.digests.render import line
from baodai.model import Message, Role, Text, ToolCall, ToolResult, Turn, Voice
from baodai.structure import pair
from baodai.summarizers._candidates import Candidate
from baodai.tools import Kind, ToolTable

_CONCLUDES = re.compile(
    r"\b(?:found|root cause|the (?:issue|problem|bug|reason)|because|turns out|fixed|works?|working|passes|passed|fails?|"
    r"failed|done|complete[d]?|confirmed|verified|decided|implemented|added|removed|created|committed|pushed|"
    r"released|conclusion|summary|result|instead|cannot|missing|wrong|correct|error)\b"
    r"|发现|原因|问题|因为|所以|因此|修复|解决|完成|通过|失败|确认|验证|已(?:经)?|结论|结果|实现|新增|删除|提交|推送|错误|不支持|缺少",
    re.IGNORECASE,
)
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
_PROSE_SHORT, _PROSE_LONG = 260, 1_100


@dataclass(frozen=True, slots=True)
class Done:
    """One call with its outcome, and where in time it stands."""

    turn: int
    at: float
    outcome: Outcome
    call: ToolCall
    events: tuple[FileEvent, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Everything that was done in the folded turns."""

    done: tuple[Done, ...]
    prose: tuple[Candidate, ...]
    closing: tuple[tuple[int, str], ...]
    items: tuple[Item, ...]
    items_turn: int


def work_of(turns: Sequence[Turn]) -> Work:
    """Read the folded turns once."""
    table = ToolTable()
    total = max(1, sum(len(t.steps) for t in turns))
    done: list[Done] = []
    prose: list[Candidate] = []
    closing: list[tuple[int, str]] = []
    items: tuple[Item, ...] = ()
    items_turn = index = 0
    for turn in turns:
        last = ""
        for i, step in enumerate(turn.steps):
            at = index / total
            index += 1
            for call, result in _pairs(step.messages):
                kind = table.kind_of(call)
                events = file_events(call, result, kind)
                done.append(Done(turn.number, at, outcome(call, result, kind), call, events))
                if kind is Kind.PLAN and (listed := items_of(call)):
                    items, items_turn = listed, turn.number
            prose.extend(_printed(step.messages, turn.number, at))
            text = "\n".join(m.text for m in step.messages if m.role is Role.ASSISTANT and m.text)
            if text.strip():
                last = text
                prose.extend(_prose(text, turn.number, at, closes=i == len(turn.steps) - 1))
        if last:
            closing.append((turn.number, last))
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
    telling = len(_CONCLUDES.findall(text[:4_000]))
    if not closes and (telling == 0 or len(text) < 40):
        return
    weight = 2.2 if closes else min(1.2, 0.45 + 0.12 * telling)
    yield Candidate(
        "results", turn, (gist(text, _PROSE_SHORT), gist(text, _PROSE_LONG)), weight, at
    )


def gist(text: str, most: int) -> str:
    """The lines that say most of a prose text, in order, in at most `most` characters."""
    lines = [one_line(raw, 400) for raw in text.splitlines() if any(c.isalnum() for c in raw)]
    if sum(len(line) + 1 for line in lines) <= most:
        return " / ".join(lines)
    ranked = sorted(
        range(len(lines)),
        key=lambda i: (-len(_CONCLUDES.findall(lines[i])) - (i == 0) * 2 - _head(lines[i]), i),
    )
    chosen: set[int] = set()
    room = most
    for i in ranked:
        cost = len(lines[i]) + 3
        if cost <= room:
            chosen.add(i)
            room -= cost
    if not chosen:
        return one_line(lines[0], most) if lines else ""
    return " / ".join(lines[i] for i in sorted(chosen))


def _head(line_: str) -> float:
    return 0.5 if line_.startswith(("#", "-", "*", "|")) or line_[:1].isdigit() else 0.0


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
