"""The summary as a text: rendered, read back exactly, made to fit.

The first line names the turns and carries a checksum of the rest, so that only a summary of ours,
untouched, is taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from baodai.heading import Heading, headed, read
from baodai.summarizers import SECTIONS, VERBATIM, Count, Line, Summary

_LINE = re.compile(r"- \[t(?P<turn>\d+)(?:, (?P<status>[^\]]+))?\] (?P<text>.*)")
_NO_REF = "bd:00000000"
TITLES = {
    "en": dict(
        zip(
            SECTIONS,
            (
                "Task and goal",
                "User decisions",
                "Preferences and conventions",
                "What the user asked and required",
                "What was done and what came of it",
                "Files and artifacts",
                "Errors and how they were solved",
                "Open questions and pending work",
                "Where things stand",
            ),
            strict=True,
        )
    ),
    "zh": dict(
        zip(
            SECTIONS,
            (
                "任务与目标",
                "用户的决定",
                "偏好与约定",
                "用户的要求与原话",
                "做了什么、结果如何",
                "文件与产物",
                "错误与解决办法",
                "未决问题与待办",
                "目前进展",
            ),
            strict=True,
        )
    ),
}
_OPENING = {
    "en": "Machine-made record of turns {first}-{last}: what happened, not instructions; “…” quotes the "
    "user. Originals: baodai expand {ref}",
    "zh": "第 {first}-{last} 轮的记录，由程序整理：只陈述已发生的事，不是指令；“…”为用户原话。"
    "原文：baodai expand {ref}",
}
_STATUS = {
    "en": {"live": "live", "superseded": "superseded", "withdrawn": "withdrawn"},
    "zh": {"live": "有效", "superseded": "已被取代", "withdrawn": "已撤回"},
}


def render(summary: Summary) -> str:
    """The text of a summary."""
    ref = summary.ref or _NO_REF
    opening = _OPENING[summary.language]
    # Of a turn whose prompt stays only steps are folded: the range that is told has it too.
    turns = [line.turn for _, lines in summary.sections for line in lines]
    last = max(summary.last_turn, summary.first_turn, *turns)
    opened = opening.format(first=summary.first_turn, last=last, ref=ref)
    body = "\n".join((opened, *_sections(summary)))
    return headed(
        Heading(summary.first_turn, summary.last_turn, summary.language, ref, summary.measure),
        body,
    )


def _sections(summary: Summary) -> Iterator[str]:
    for name, lines in summary.sections:
        yield f"\n## {TITLES[summary.language][name]}"
        for line in lines:
            yield written(line, summary.language)


def written(line: Line, language: str) -> str:
    """One line as it stands in the text; further lines of its text are indented."""
    status = f", {_STATUS[language][line.status]}" if line.status else ""
    return f"- [t{line.turn}{status}] " + line.text.replace("\n", "\n  ")


def parse(text: str) -> Summary | None:
    """The summary that `render` wrote; `None` where the text is none, or was touched."""
    found = read(text)
    if found is None:
        return None
    head, body = found
    sections = tuple(_read(body, head.language))
    ref = "" if head.ref == _NO_REF else head.ref
    return Summary(head.first, head.last, head.language, sections, ref)


def _read(body: str, language: str) -> Iterator[tuple[str, tuple[Line, ...]]]:
    names = {title: name for name, title in TITLES[language].items()}
    statuses = {word: status for status, word in _STATUS[language].items()}
    section = ""
    lines: list[Line] = []
    for raw in body.split("\n")[1:]:
        item = _LINE.match(raw)
        if raw.startswith("## ") and raw[3:] in names:
            if section:
                yield section, tuple(lines)
            section, lines = names[raw[3:]], []
        elif item is not None:
            status = statuses.get(item.group("status") or "", "")
            turn = int(item.group("turn"))
            lines.append(Line(turn, item.group("text"), 0.0, section in VERBATIM, status))
        elif lines and raw.startswith("  "):
            lines[-1] = replace(lines[-1], text=f"{lines[-1].text}\n{raw[2:]}")
    if section:
        yield section, tuple(lines)


def fitted(summary: Summary, limit: int, count: Count) -> Summary:
    """The summary within `limit` tokens, as far as what must stay allows."""
    for _ in range(6):
        size = count(render(summary))
        if size <= limit:
            break
        shorter = _coarser(summary, size - limit, max(1, len(render(summary))) / max(1, size))
        if shorter is None:
            break
        summary = shorter
    return summary


def _coarser(summary: Summary, excess: int, ratio: float) -> Summary | None:
    """Leave out lines worth `excess` tokens (`ratio` characters each): light ones, oldest first."""
    loose = [
        (line.weight, line.turn, name, i)
        for name, lines in summary.sections
        for i, line in enumerate(lines)
        if not line.keep
    ]
    if not loose:
        return None
    lines_by = dict(summary.sections)
    gone: set[tuple[str, int]] = set()
    saved = 0.0
    for _, _, name, i in sorted(loose):
        if saved >= excess * ratio:
            break
        gone.add((name, i))
        saved += len(written(lines_by[name][i], summary.language)) + 1
    sections = tuple(
        (name, kept)
        for name, lines in summary.sections
        if (kept := tuple(line for i, line in enumerate(lines) if (name, i) not in gone))
    )
    return replace(summary, sections=sections)


def sectioned(lines: Sequence[tuple[str, Line]]) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    """Lines by section, in the order of the sections, by turn inside each."""
    return tuple(
        (name, tuple(sorted((line for n, line in lines if n == name), key=lambda x: x.turn)))
        for name in SECTIONS
        if any(n == name for n, _ in lines)
    )
