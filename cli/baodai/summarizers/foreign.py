"""Summaries that others wrote: taken over as an earlier summary, section by section.

An agent's own compaction ("Primary Request and Intent", "All user messages", "Pending Tasks", …) is
prose under headings. It is merged like ours, so that nothing it carries is summarised again.
"""

from __future__ import annotations

import re

from baodai.summarizers import SECTIONS, Line, Summary
from baodai.summarizers.document import parse

_HEADING = re.compile(
    r"^\s{0,3}(?:#{1,6}\s+|\d+[.)]\s+|\*\*)(?P<title>[^\n:*]{2,60}?)(?:\*\*)?:?\s*$"
)
_TITLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "requirements",
        re.compile(r"user (messages|feedback)|用户(消息|反馈)|request history", re.IGNORECASE),
    ),
    (
        "preferences",
        re.compile(r"preference|convention|constraint|guideline|偏好|约定|约束", re.IGNORECASE),
    ),
    (
        "goal",
        re.compile(
            r"\b(goal|intent|request|objective|task overview)|目标|任务|意图", re.IGNORECASE
        ),
    ),
    ("decisions", re.compile(r"decision|决定|决策", re.IGNORECASE)),
    ("files", re.compile(r"files?\b|code sections|artifact|文件|代码", re.IGNORECASE)),
    ("errors", re.compile(r"errors?|problems?|fix|错误|问题|修复", re.IGNORECASE)),
    (
        "open",
        re.compile(r"pending|todo|open|next step|remaining|待办|未完成|下一步|后续", re.IGNORECASE),
    ),
    (
        "state",
        re.compile(r"current (work|state|status)|where things|现状|当前|进展", re.IGNORECASE),
    ),
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def adopt(text: str, last_turn: int, language: str) -> Summary:
    """The summary in `text`: parsed where it is ours, else its lines under the nearest sections."""
    own = parse(text)
    if own is not None:
        return own
    found: dict[str, list[Line]] = {}
    section = "results"
    turn = max(last_turn, 0)
    paragraph: list[str] = []

    def close() -> None:
        said = "\n".join(paragraph).strip()
        if said:
            found.setdefault(section, []).append(Line(turn, said))
        paragraph.clear()

    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading is not None:
            close()
            section = _section(heading.group("title"))
        elif not line.strip() or _BULLET.match(line):
            close()
            paragraph.append(_BULLET.sub("", line))
        else:
            paragraph.append(line.strip())
    close()
    sections = tuple((name, tuple(found[name])) for name in SECTIONS if name in found)
    return Summary(1, turn, language, sections)


def _section(title: str) -> str:
    return next((name for name, pattern in _TITLES if pattern.search(title)), "results")
