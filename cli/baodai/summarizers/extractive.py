"""The default summarizer: deterministic, offline, no model.

Takes what the user said whole, and fills the rest of its share with conclusions, files, errors and
open work by priority, covering the folded part from its beginning to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from baodai.decisions import Decision, Kind, State
from baodai.decisions.detect import detect_text
from baodai.decisions.keys import keys_of
from baodai.decisions.supersession import resolve
from baodai.decisions.values import values_of
from baodai.digests.prose import gist
from baodai.summarizers import Line, Summary, SummaryTask, lines_of
from baodai.summarizers._candidates import Candidate
from baodai.summarizers._earlier import left_out, told_before
from baodai.summarizers._files import files
from baodai.summarizers._words import replaced_marked, user_lines
from baodai.summarizers._work import Work, errors, results, work_of
from baodai.summarizers.document import fitted, render, sectioned, written

_SHARES = {
    "state": 0.10,
    "open": 0.08,
    "closing": 0.45,
    "files": 0.25,
    "errors": 0.20,
    "results": 1.0,
}
"""Share of the room that is left for each kind of line, in the order in which they are filled. How
the assistant closed a turn tells most of it; those lines stand among the results."""

_IN = {"closing": "results"}
_SEGMENTS = 10
"""Stretches of the folded part of which each gets the same room, so that the middle is covered."""

_FOCUS = 3.0
"""How much more a line weighs that bears on what the caller focuses on."""

_PENDING = re.compile(
    r"\b(?:next steps?|remaining|to ?do|not yet|still (?:need|have|to)|pending|follow[- ]?up|later|unverified|unpushed|left to)\b"
    r"|下一步|待(?:办|做|确认|修复)|尚未|还(?:没|需)|后续|剩(?:余|下)|未(?:完成|推送|验证)",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"^“(?P<said>.*)”", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Extractive:
    """Takes lines over, word for word; says nothing that the source does not say."""

    name: str = "extractive"

    def floor(self, task: SummaryTask) -> int:
        """Tokens of the opening and of the user's own words."""
        return task.count(render(_base(task)))

    def summarize(self, task: SummaryTask) -> Summary:
        """The summary of the task, the earlier one merged into it."""
        return filled(task, candidates_of(task))


def filled(task: SummaryTask, fresh: Sequence[Candidate]) -> Summary:
    """The user's words, and of what an earlier summary tells and of `fresh` as much as fits."""
    base = _base(task)
    text = render(base)
    used = task.count(text)
    ratio = len(text) / max(1, used)
    room = max(0.0, (task.limit - used) * ratio * 0.97)
    if task.earlier is not None:
        fresh = told_before(task.earlier, fresh, len(task.turns))
    chosen = _chosen(_focused(fresh, task.focus), room, task.language)
    words = [(n, line) for n, lines in base.sections for line in lines]
    summary = replace(base, sections=sectioned([*words, *chosen]))
    summary = fitted(summary, task.limit, task.count)
    return replace(summary, coarser=left_out(task.earlier, summary))


def candidates_of(task: SummaryTask) -> list[Candidate]:
    """What may be told of the folded turns, in the order of time."""
    work = work_of(task.turns, task.outcome)
    return [
        *_state(work),
        *_open(work, task.language),
        *files(work.done, task.language),
        *errors(work, task.language),
        *results(work, task.language),
        *work.prose,
    ]


def _focused(candidates: Sequence[Candidate], focus: Sequence[str]) -> Sequence[Candidate]:
    """The candidates with those that bear on the focus weighing more."""
    wanted = frozenset().union(*(keys_of(text) for text in focus))
    if not wanted:
        return candidates
    return [
        replace(c, weight=c.weight * _FOCUS) if wanted & keys_of(c.forms[-1]) else c
        for c in candidates
    ]


def _base(task: SummaryTask) -> Summary:
    """What must be there: the user's words, and those an earlier summary carries."""
    carried = _carried(task) if task.earlier is not None else []
    lines = list(user_lines(task, carried))
    lines.extend(("requirements", Line(0, f"“{pin}”", keep=True)) for pin in task.pins)
    first, last = _range(task)
    told = replaced_marked(lines, task)
    return Summary(first, last, task.language, sectioned(told), task.ref, measure=task.measure)


def _range(task: SummaryTask) -> tuple[int, int]:
    numbers = [turn.number for turn in task.turns]
    whole = [t.number for t in task.turns if t.prompt is not None]
    first = max(1, min(numbers, default=1))
    if task.earlier is not None:
        return task.earlier.first_turn, max(task.earlier.last_turn, *whole, 0)
    # A turn whose prompt stays is not behind us: turn numbers go on from the last whole one.
    return first, max(whole, default=first - 1)


def _carried(task: SummaryTask) -> list[tuple[str, Line]]:
    """The earlier summary's words of the user, with decisions marked anew by what came after."""
    assert task.earlier is not None  # noqa: S101 - only called where there is one
    kept = [
        (name, line) for name in ("goal", "requirements") for line in lines_of(task.earlier, name)
    ]
    old = [
        (name, line)
        for name in ("decisions", "preferences")
        for line in lines_of(task.earlier, name)
    ]
    states = _states([line for _, line in old], task.decisions)
    kept.extend((name, replace(line, status=states[i])) for i, (name, line) in enumerate(old))
    return [(name, replace(line, keep=True)) for name, line in kept]


def _states(lines: Sequence[Line], decisions: Sequence[Decision]) -> list[str]:
    """The states of earlier decisions with the newer ones behind them."""
    said = [_as_decision(i, line) for i, line in enumerate(lines)]
    live = [d for d in said if d.state is State.LIVE]
    after = {d.id: d.state for d in resolve([*live, *decisions])}
    # What was read back from the summary (`carrying`) is settled already.
    known = {(d.quote, d.turn): d.state for d in decisions if not d.message_id}
    return [known.get((d.quote, d.turn), after.get(d.id, d.state)).value for d in said]


def _as_decision(index: int, line: Line) -> Decision:
    found = _QUOTE.match(line.text)
    quote = found.group("said") if found else line.text
    read = next(iter(detect_text(quote)), None)
    state = State(line.status) if line.status else State.LIVE
    return Decision(
        id=f"earlier-{index}",
        kind=read.kind if read else Kind.CHOICE,
        polarity=read.polarity if read else 1,
        object=quote[:120],
        quote=quote,
        turn=line.turn,
        message_id="",
        line=0,
        language="en",
        values=values_of(quote),
        state=state,
    )


def _state(work: Work) -> Iterator[Candidate]:
    """Where things stand: the last conclusion."""
    if work.closing:
        turn, text = work.closing[-1]
        yield Candidate("state", turn, (gist(text, 300), gist(text, 900)), 3.0, 1.0)


def _open(work: Work, language: str) -> Iterator[Candidate]:
    """Open items of the last plan, and what the last conclusions say is left."""
    mark = "未完成" if language == "zh" else "open"
    for item in work.items:
        if item.is_open:
            yield Candidate("open", work.items_turn, (f"{mark}: {item.text}",), 2.0, 1.0)
    for turn, text in work.closing[-4:]:
        for raw in text.splitlines():
            if _PENDING.search(raw) and len(raw.strip()) > 12:
                yield Candidate("open", turn, (gist(raw, 240),), 1.0, 1.0)


def _chosen(candidates: Sequence[Candidate], room: float, language: str) -> list[tuple[str, Line]]:
    """The lines that fit the room (in characters): each section its share, each stretch its part."""
    picked: dict[int, int] = {}
    seen: set[str] = set()
    left = room
    for section, share in _SHARES.items():
        own = [i for i, c in enumerate(candidates) if c.section == section and c.forms[0]]
        left -= _spread(candidates, own, left * share, picked, seen, language)
    _lengthen(candidates, picked, left)
    return [
        (_IN.get(candidates[i].section, candidates[i].section), _line(candidates[i], form))
        for i, form in sorted(picked.items())
    ]


def _lengthen(candidates: Sequence[Candidate], picked: dict[int, int], room: float) -> None:
    """Longer forms while there is room: all one step longer before any is two, by weight."""
    order = sorted(picked, key=lambda i: (-candidates[i].weight, i))
    for form in range(1, max((len(candidates[i].forms) for i in picked), default=1)):
        for i in order:
            forms = candidates[i].forms
            if form >= len(forms) or picked[i] != form - 1:
                continue
            cost = len(forms[form]) - len(forms[form - 1])
            if cost <= room:
                picked[i] = form
                room -= cost


def _line(candidate: Candidate, form: int) -> Line:
    return Line(candidate.turn, candidate.forms[form], candidate.weight)


def _spread(
    candidates: Sequence[Candidate],
    own: Sequence[int],
    room: float,
    picked: dict[int, int],
    seen: set[str],
    language: str,
) -> float:
    """Pick from each stretch of time by weight, then whatever is left over all; what it cost."""
    stretches: dict[int, list[int]] = {}
    for i in own:
        stretches.setdefault(min(_SEGMENTS - 1, int(candidates[i].at * _SEGMENTS)), []).append(i)
    used = 0.0
    quota = room / max(1, len(stretches))
    for pool, most in (*((p, quota) for p in stretches.values()), (list(own), room)):
        spent = used if len(pool) == len(own) and most == room else 0.0
        for i in sorted(pool, key=lambda i: (-candidates[i].weight, i)):
            text = candidates[i].forms[0]
            cost = len(written(_line(candidates[i], 0), language)) + 1
            if i in picked or text in seen or spent + cost > most:
                continue
            picked[i] = 0
            seen.add(text)
            spent += cost
            used += cost
    return used


SUMMARIZER = Extractive()
