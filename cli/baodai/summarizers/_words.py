"""What the user said, for the summary: every word they typed, once, pasted matter cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from baodai.decisions import Decision, Kind, State
from baodai.decisions.pasted import spans
from baodai.model import Message, Turn
from baodai.summarizers import Line, SummaryTask

_PREFERENCES = frozenset({Kind.PREFERENCE, Kind.CONVENTION})
_SPACE = re.compile(r"\s+")
_OPENING_OF_PASTED = 100
_CAPS = (100_000, 6_000, 3_000, 1_500, 700, 300, 150, 80)
"""Characters of one message that stay, ever fewer while all of them are over their share."""

_SHARE = 0.6
_OVER = frozenset({State.SUPERSEDED.value, State.WITHDRAWN.value})
_REPLACED = {
    "en": "(superseded since: “{quote}”)",
    "zh": "（其中已被取代：“{quote}”）",
}
_CHARS_PER_TOKEN = {"en": 3.6, "zh": 1.4}


def user_lines(task: SummaryTask) -> Iterator[tuple[str, Line]]:
    """The lines that must stay: decisions, preferences, and all else the user typed."""
    by_message: dict[str, list[Decision]] = {}
    for decision in task.decisions:
        by_message.setdefault(decision.message_id, []).append(decision)
    said = list(_said(task))
    room = task.limit * _SHARE * _CHARS_PER_TOKEN[task.language]
    cap = next((c for c in _CAPS if sum(min(len(t), c) for _, _, t in said) <= room), _CAPS[-1])
    first = True
    for turn, message, text in said:
        decisions = by_message.get(message.id, [])
        listed = [d for d in decisions if _listed(d)]
        alone = any(_same(d.quote, text) for d in listed)
        kept = _capped(text, cap)
        # A softer request stands among the requests, unless the cut took it out of there.
        cut = [d for d in decisions if d not in listed and d.quote not in kept]
        yield from ((section(d), decided(d, task.language)) for d in (*listed, *cut))
        if alone:
            continue
        name = "goal" if first and task.earlier is None else "requirements"
        first = False
        yield name, Line(turn, quoted(kept, task.language), keep=True)


def _said(task: SummaryTask) -> Iterator[tuple[int, Message, str]]:
    """Each message in which the user speaks, with what they typed; repeated ones once."""
    seen: set[str] = set()
    for turn in task.turns:
        for message in _messages(turn):
            text = typed(message.words, task.language)
            if text and text not in seen:
                seen.add(text)
                yield turn.number, message, text


def _messages(turn: Turn) -> Iterator[Message]:
    if turn.prompt is not None:
        yield turn.prompt
    for step in turn.steps:
        yield from (m for m in step.messages if m.words)


def typed(text: str, language: str) -> str:
    """What was typed; each pasted part is told by its size and first line."""
    parts: list[str] = []
    for span in spans(text):
        part = text[span.start : span.end]
        parts.append(_pasted(part, language) if span.pasted and len(part) > 200 else part)
    return "".join(parts).strip()


def _pasted(part: str, language: str) -> str:
    lines = [line.strip() for line in part.strip().splitlines() if line.strip(" `~")]
    opening = _SPACE.sub(" ", lines[0])[:_OPENING_OF_PASTED] if lines else ""
    if language == "zh":
        return f"[粘贴内容，{len(lines)} 行：{opening} …]\n"
    return f"[pasted, {len(lines)} lines: {opening} …]\n"


def _capped(text: str, cap: int) -> str:
    if len(text) <= cap:
        return text
    cut = max(text.rfind(" ", 0, cap), text.rfind("。", 0, cap), text.rfind("\n", 0, cap), cap // 2)
    return f"{text[:cut].rstrip()} […]"


def _same(quote: str, text: str) -> bool:
    return _SPACE.sub(" ", quote).strip() == _SPACE.sub(" ", text).strip()


def _listed(decision: Decision) -> bool:
    """Whether it gets a line of its own; softer requests stand among the requests."""
    return decision.tier >= 2 or decision.kind in _PREFERENCES


def section(decision: Decision) -> str:
    """The section a decision stands in."""
    return "preferences" if decision.kind in _PREFERENCES else "decisions"


def decided(decision: Decision, language: str) -> Line:
    """The line of a decision: the quote, what it picks, whether it holds."""
    text = quoted(decision.quote, language)
    if decision.accepted:
        text += f" ({'即' if language == 'zh' else 'that is'}: {decision.accepted})"
    live = decision.state is State.LIVE
    return Line(decision.turn, text, 2.0 if live else 1.0, keep=True, status=decision.state.value)


def quoted(text: str, language: str) -> str:
    """A quote in the marks of the summary."""
    del language
    return f"“{text}”"


def replaced_marked(lines: Sequence[tuple[str, Line]], task: SummaryTask) -> list[tuple[str, Line]]:
    """The lines with what no longer holds told behind each longer quote that still says it."""
    gone = [d.quote for d in task.decisions if d.state is not State.LIVE]
    gone.extend(_said_in(line) for _, line in lines if line.status in _OVER)
    mark = _REPLACED[task.language]
    notes = [(quote, mark.format(quote=quote)) for quote in dict.fromkeys(gone) if quote]
    told: list[tuple[str, Line]] = []
    for name, line in lines:
        text = line.text
        for quote, note in notes if name in {"goal", "requirements"} else ():
            if quote in text and note not in text:
                text = f"{text} {note}"
        told.append((name, replace(line, text=text)))
    return told


def _said_in(line: Line) -> str:
    return line.text[1:].partition("”")[0] if line.text.startswith("“") else ""
