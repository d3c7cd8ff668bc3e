"""What the user said, for the summary: every word they typed, once, pasted matter cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from baodai.decisions import Decision, Kind, State
from baodai.decisions.pasted import spans
from baodai.model import Message, Turn
from baodai.summarizers import Line, SummaryTask
from baodai.summarizers._leaner import leaner, size_of
from baodai.truncation import CutContext
from baodai.truncation.head_tail import HeadTail

_PREFERENCES = frozenset({Kind.PREFERENCE, Kind.CONVENTION})
_SPACE = re.compile(r"\s+")
_OPENING_OF_PASTED = 100
_ROOMS = (
    (6_000, 100_000),
    (2_000, 100_000),
    (700, 100_000),
    (0, 100_000),
    *((0, cap) for cap in (6_000, 3_000, 1_500, 700, 300, 150, 80)),
)
"""Characters that stay of one pasted part and of one message, ever fewer while all of them are over
their share: what was pasted yields first, what was typed last."""

_SHARE = 0.6
_ALL = 0.9
"""Share of the summary that the user's words may take before some of them are left out."""

_TELLING = 12
"""Bytes from which a quote is known again inside a line: four Chinese characters, two words."""
_OVER = frozenset({State.SUPERSEDED.value, State.WITHDRAWN.value})
_REPLACED = {
    "en": "(of this, superseded: “{quote}”)",
    "zh": "（其中已被取代：“{quote}”）",
}
_MARKS = tuple(f"” {mark.partition('“')[0]}" for mark in _REPLACED.values())
_REQUESTS = frozenset({"goal", "requirements"})
_CHARS_PER_TOKEN = {"en": 3.6, "zh": 1.4}


def user_lines(
    task: SummaryTask, carried: Sequence[tuple[str, Line]] = ()
) -> list[tuple[str, Line]]:
    """The lines that must stay: decisions, preferences, and all else the user typed.

    `carried` are the lines of the user that an earlier summary told; they come first, word for
    word, but for what was pasted, which yields as that of newer messages does. Where even short
    quotes are more than the summary holds, what decides nothing is left out (`_leaner`).
    """
    pasted, fitting = _fitting(task, carried)
    earlier = list(_shrunk(carried, pasted, task.language))
    known = {line.text for _, line in earlier}
    lines = [*earlier, *(told for told in _told(task, fitting) if told[1].text not in known)]
    room = task.limit * _ALL * _CHARS_PER_TOKEN[task.language]
    return lines if size_of(lines) <= room else leaner(lines, task, room)


def _told(
    task: SummaryTask, fitting: Sequence[tuple[int, Message, str]]
) -> Iterator[tuple[str, Line]]:
    """Decisions in lines of their own, then what else was said."""
    by_message: dict[str, list[Decision]] = {}
    for decision in task.decisions:
        by_message.setdefault(decision.message_id, []).append(decision)
    first = True
    for turn, message, kept in fitting:
        decisions = by_message.get(message.id, [])
        listed = [d for d in decisions if _listed(d)]
        # A softer request stands among the requests, unless the cut took it out of there.
        cut = [d for d in decisions if d not in listed and d.quote not in kept]
        yield from ((section(d), decided(d, task.language)) for d in (*listed, *cut))
        if listed and not _beside(typed(message.words, task.language, 0), listed):
            continue
        name = "goal" if first and task.earlier is None else "requirements"
        first = False
        yield name, Line(turn, quoted(kept), keep=True)


def _fitting(
    task: SummaryTask, carried: Sequence[tuple[str, Line]]
) -> tuple[int, list[tuple[int, Message, str]]]:
    """What the user said, cut as little as their share of the summary allows.

    With it the characters of one pasted part that this leaves.
    """
    room = task.limit * _SHARE * _CHARS_PER_TOKEN[task.language]
    said: list[tuple[int, Message, str]] = []
    most = 0
    for pasted, cap in _ROOMS:
        said = [(n, m, _capped(text, cap)) for n, m, text in _said(task, pasted)]
        told = sum(len(line.text) for _, line in _shrunk(carried, pasted, task.language))
        most = pasted
        if told + sum(len(text) for _, _, text in said) <= room:
            break
    return most, said


def _shrunk(
    carried: Sequence[tuple[str, Line]], pasted: int, language: str
) -> Iterator[tuple[str, Line]]:
    """Earlier lines of the user with what was pasted in them cut; their own words stay."""
    for name, line in carried:
        text = line.text
        if name in _REQUESTS and text.startswith("“") and len(text) > pasted:
            ends = [text.find(mark) for mark in _MARKS]
            end = min((at for at in ends if at > 0), default=text.rfind("”"))
            text = quoted(typed(text[1:end], language, pasted)) + text[end + 1 :]
        yield name, replace(line, text=text)


def _said(task: SummaryTask, pasted: int) -> Iterator[tuple[int, Message, str]]:
    """Each message in which the user speaks, with what they typed; repeated ones once."""
    seen: set[str] = set()
    for turn in task.turns:
        for message in _messages(turn):
            text = typed(message.words, task.language, pasted)
            if text and text not in seen:
                seen.add(text)
                yield turn.number, message, text


def _messages(turn: Turn) -> Iterator[Message]:
    if turn.prompt is not None:
        yield turn.prompt
    for step in turn.steps:
        yield from (m for m in step.messages if m.words)


def typed(text: str, language: str, pasted: int) -> str:
    """What was typed; of each pasted part at most `pasted` characters, else its size and opening."""
    parts: list[str] = []
    for span in spans(text):
        part = text[span.start : span.end]
        if not span.pasted or len(part) <= max(pasted, 200):
            parts.append(part)
        elif pasted:
            parts.append(HeadTail().cut(part, pasted, len, CutContext(language=language)) + "\n")
        else:
            parts.append(_pasted(part, language))
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


def _beside(text: str, decisions: Sequence[Decision]) -> bool:
    """Whether a message says more than its decisions."""
    rest = _SPACE.sub(" ", text)
    for decision in decisions:
        rest = rest.replace(_SPACE.sub(" ", decision.quote), " ")
    return any(c.isalnum() for c in rest)


def _listed(decision: Decision) -> bool:
    """Whether it gets a line of its own; softer requests stand among the requests."""
    return decision.tier >= 2 or decision.kind in _PREFERENCES


def section(decision: Decision) -> str:
    """The section a decision stands in."""
    return "preferences" if decision.kind in _PREFERENCES else "decisions"


def decided(decision: Decision, language: str) -> Line:
    """The line of a decision: the quote, what it picks, whether it holds."""
    text = quoted(decision.quote)
    if decision.accepted:
        text += f" ({'即' if language == 'zh' else 'that is'}: {decision.accepted})"
    live = decision.state is State.LIVE
    return Line(decision.turn, text, 2.0 if live else 1.0, keep=True, status=decision.state.value)


def quoted(text: str) -> str:
    """A quote in the marks of the summary."""
    return f"“{text}”"


def replaced_marked(lines: Sequence[tuple[str, Line]], task: SummaryTask) -> list[tuple[str, Line]]:
    """The lines with what no longer holds told behind each longer quote that still says it."""
    gone = [d.quote for d in task.decisions if d.state is not State.LIVE]
    gone.extend(_said_in(line) for _, line in lines if line.status in _OVER)
    mark = _REPLACED[task.language]
    # A "yes" stands in many lines that have nothing to do with it.
    telling = [quote for quote in dict.fromkeys(gone) if len(quote.encode()) >= _TELLING]
    notes = [(quote, mark.format(quote=quote)) for quote in telling]
    told: list[tuple[str, Line]] = []
    for name, line in lines:
        text = line.text
        for quote, note in notes if name in _REQUESTS else ():
            if quote in text and note not in text:
                text = f"{text} {note}"
        told.append((name, replace(line, text=text)))
    return told


def _said_in(line: Line) -> str:
    return line.text[1:].partition("”")[0] if line.text.startswith("“") else ""
