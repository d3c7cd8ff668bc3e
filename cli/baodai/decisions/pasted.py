"""What a human typed, told apart from what they pasted: logs, code, documents, stack traces.

An order of seven characters may stand before a very long log; only the order is the user's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_BLOCK = re.compile(
    r"<(?P<tag>pr_description|issue|file|document|code|log|output|example|instructions|diff)\b[^>]*>"
    r".*?</(?P=tag)>",
    re.DOTALL,
)
_LINE = re.compile(
    r"^\s*(?:>|\||\+\+\+|---|@@|diff --git|at (?:async )?[\w.$<>/]+ ?\(|at (?:https?|file):|File \"|Traceback|\$ |#include|import |from \S+ import"
    r"|\d{4}-\d\d-\d\d[T ]|\[\d|\d\d:\d\d:\d\d|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)\b|\d+[→|:]\s"
    r"|[{}\[\]();]+\s*$|(?:def|class|func|fn|const|let|var|public|private|return|if|for)\b.*[:;{(]\s*$"
    r"|\"[\w.-]+\"\s*:|</?\w+[^>]*>\s*$|[\w./-]+(?:\(\d+\)|:\d+(?::\d+)?\b)|(?:\w+ )?\w*(?:Error|Exception): |(?:GET|POST|PUT|DELETE) |Object$|(?:npm|error|warning|note)(?:\[\w+\])?[: ])"
)
_PRINTED = re.compile(
    r"\s*(?:>|\w*(?:Error|Exception|Warning)\b ?[:(\[]|Traceback|\$ |at \S+:\d+|\[?(?:ERROR|WARN|INFO|DEBUG)\b"
    r"|(?:fatal|error|warning|npm ERR!): |\d{4}-\d\d-\d\d[T ]\d\d:|[⎿⏺│➜❯●✓✗]|\d+\s*[+|-]\s|\d+\s{3,}|[+-]\s{2,}|<<?[A-Z][A-Z_-]+"
    r"|return\b.*;\s*$|(?:print|console\.log)\(|(?:const|let|var)\s+\w+\s*=|from \S+ import|import [\w{*]\S*;?\s*$|[\w.]+\([^)]*\)[;{]?\s*$|.*\\n\\?n?.*\\n|\s*[\w\"'-]+\s*[:=]\s*[\[{\"'].*[,\]}\"']\s*$)"
)
_CODE_END = re.compile(r"[;{}]\s*$")
_SENTENCE = re.compile(r"[.!?。！？]")
_FEW = 4
_TYPED_MOST = 12_000
"""Characters that a human types in one message at most; of a longer one only both ends are read for
what they say, the rest is a document."""

_LONG_LINE = 1_500


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text: where it is, and whether it was pasted."""

    start: int
    end: int
    pasted: bool


def spans(text: str) -> tuple[Span, ...]:
    """The parts of a text in order, joined they are the text."""
    found: list[Span] = []
    at = 0
    blocks = sorted(
        [(m.start(), m.end()) for p in (_FENCE, _BLOCK) for m in p.finditer(text)]
        if "```" in text or "~~~" in text or "</" in text
        else []
    )
    for start, end in blocks:
        if start < at:
            continue
        found.extend(_paragraphs(text, at, start))
        found.append(Span(start, end, pasted=True))
        at = end
    found.extend(_paragraphs(text, at, len(text)))
    return tuple(found)


def _paragraphs(text: str, start: int, end: int) -> list[Span]:
    found: list[Span] = []
    at = start
    for part in re.finditer(r".+?(?:\n[ \t]*\n\s*|\Z)", text[start:end], re.DOTALL):
        stop = start + part.end()
        found.append(Span(at, stop, _looks_pasted(part.group())))
        at = stop
    if at < end:
        found.append(Span(at, end, pasted=False))
    return found


def _looks_pasted(paragraph: str) -> bool:
    """Many lines of which most look like code or a log, or one endless line without a sentence."""
    lines = [line for line in paragraph.splitlines() if line.strip()]
    if len(lines) < _FEW:
        longest = max(map(len, lines), default=0)
        return longest > _LONG_LINE and len(_SENTENCE.findall(paragraph)) * 400 < longest
    odd = sum(1 for line in lines if _LINE.match(line) or _CODE_END.search(line))
    return odd * 2 >= len(lines)


def ends_of(text: str) -> str:
    """The text; of one longer than anyone types, its beginning and its end."""
    if len(text) <= _TYPED_MOST:
        return text
    half = _TYPED_MOST // 2
    head, tail = text[:half], text[-half:]
    return head[: head.rfind("\n") + 1 or half] + "\n" + tail[tail.find("\n") + 1 :]


def looks_printed(line: str) -> bool:
    """Whether a line looks like what a program printed, or a quote of someone."""
    return _PRINTED.match(line) is not None


def own_words(text: str) -> str:
    """What was typed, without what was pasted."""
    if len(text) < 80 and "\n" not in text:
        return text
    return "".join(text[s.start : s.end] for s in spans(text) if not s.pasted)
