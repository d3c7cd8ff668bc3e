"""The gate that a summary of a model must pass: what is wrong with it, in words for the model.

A summary may say less than its source, never more: numbers, paths and identifiers that the source
lacks are inventions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from baodai.decisions import Decision, State
from baodai.decisions.language import language_of_text
from baodai.decisions.presence import KEPT, present
from baodai.stops import Stop, stop_of
from baodai.summarizers import SECTIONS, VERBATIM, Count

Lines = Mapping[str, tuple[tuple[int, str], ...]]
"""Lines by section: turn and text."""

_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(?P<body>.*?)\n?```\s*$", re.DOTALL)
_REPLY = re.compile(
    r"\s*(?:sure|certainly|of course|okay|i'?ll|i will|i can|let me|here(?:'s| is)|sorry|i apologi[sz]e|as an ai|great|thanks)\b"
    r"|\s*(?:好的|当然|没问题|我来|我会|我将|让我|抱歉|对不起|作为(?:一个)?(?:AI|人工智能)|谢谢)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)*")
_NAME = re.compile(
    r"[\w.@+~-]*(?:/[\w.@+-]+)+/?|\b[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}\b(?!\()"
    r"|\b[0-9a-f]{7,40}\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+\b|https?://\S+",
)
_SPACE = re.compile(r"\s+")
_MOST_NAMED = 6
"""Inventions that are named to the model, of all that were found."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a summary was made of: its text, the turns in it, the decisions it must hold."""

    text: str
    turns: frozenset[int]
    decisions: tuple[Decision, ...]
    language: str


@dataclass(frozen=True, slots=True)
class Judged:
    """The lines of an answer, and what is wrong with it; `missing` are decisions it leaves out."""

    lines: Lines
    reasons: tuple[str, ...]
    missing: tuple[Decision, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether nothing is wrong but for decisions, which can be put in word for word."""
        return not self.reasons


def judge(answer: str, reason: str, source: Source, count: Count) -> Judged:
    """An answer against its source; `reason` is the provider's word for why it ended."""
    stop = stop_of(reason)
    if stop in {Stop.REFUSED, Stop.FAILED, Stop.OVERFLOW} or not answer.strip():
        return Judged({}, ("there is no answer",))
    if stop is Stop.CUT or not reason:
        return Judged({}, ("it is cut off; be shorter",))
    lines = _read(answer)
    if lines is None:
        replied = _REPLY.match(answer) is not None
        told = "it answers the conversation instead of recording it" if replied else ""
        return Judged({}, (told or "it is not the JSON object that was asked for",))
    missing = tuple(
        d
        for d in source.decisions
        if d.state is State.LIVE and present(d, _text(lines, "decisions")) not in KEPT
        and present(d, _text(lines)) not in KEPT
    )  # fmt: skip
    return Judged(lines, tuple(_wrong(lines, answer, source, count)), missing)


def _wrong(lines: Lines, answer: str, source: Source, count: Count) -> list[str]:
    text = _text(lines)
    if not text.strip():
        return ["it says nothing"]
    wrong: list[str] = []
    told = [name for name in ("results", "files", "state", "open") if lines.get(name)]
    if not told:
        wrong.append("it does not say what was done and where things stand")
    if any(_REPLY.match(line) for _, line in lines.get("state", ())):
        wrong.append("it answers the conversation instead of recording it")
    turns = {turn for section in lines.values() for turn, _ in section} - source.turns
    if turns:
        wrong.append(f"it names turns that are not in the part: {sorted(turns)[:_MOST_NAMED]}")
    invented = inventions(text, source.text)
    if invented:
        wrong.append(f"it says what the part does not: {', '.join(invented[:_MOST_NAMED])}")
    if count(answer) >= count(source.text):
        wrong.append("it is longer than the part itself")
    # The user's own words are quoted as they are, whatever the language around them.
    own = _text(lines, *(name for name in lines if name not in VERBATIM))
    if own and language_of_text(own) != source.language:
        wrong.append("it is in another language")
    return wrong


def inventions(text: str, source: str) -> list[str]:
    """Numbers, paths and identifiers of a text that its source lacks, each once, in order."""
    known_numbers = {_plain(n) for n in _NUMBER.findall(source)}
    flat = _SPACE.sub("", source).lower()
    found = [n for n in _NUMBER.findall(text) if _plain(n) not in known_numbers]
    names = (name.rstrip("./").lower() for name in _NAME.findall(text))
    found.extend(name for name in names if name and name not in flat)
    return list(dict.fromkeys(found))


def _plain(number: str) -> str:
    whole = number.replace(",", "").rstrip(".")
    return whole.rstrip("0").rstrip(".") if whole.count(".") == 1 else whole


def _read(answer: str) -> Lines | None:
    """The lines of an answer; `None` where it is not in the form that was asked for."""
    fenced = _FENCE.match(answer)
    body = fenced.group("body") if fenced else answer
    start, end = body.find("{"), body.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        value = json.loads(body[start : end + 1])
    except ValueError:
        return None
    if not isinstance(value, dict) or not set(value) & set(SECTIONS):
        return None
    return {name: tuple(_lines(value.get(name))) for name in SECTIONS if value.get(name)}


def _lines(listed: object) -> Sequence[tuple[int, str]]:
    """The lines of one section; a bare text has no turn."""
    found: list[tuple[int, str]] = []
    for one in listed if isinstance(listed, list) else [listed]:
        if isinstance(one, dict):
            turn, text = one.get("turn"), one.get("text")
            if isinstance(text, str) and text.strip():
                found.append((turn if isinstance(turn, int) else 0, text.strip()))
        elif isinstance(one, str) and one.strip():
            found.append((0, one.strip()))
    return found


def _text(lines: Lines, *sections: str) -> str:
    chosen = sections or tuple(lines)
    return "\n".join(text for name in chosen for _, text in lines.get(name, ()))
