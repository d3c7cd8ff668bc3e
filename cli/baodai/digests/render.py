"""Outcomes as text: the digest that stands in the history, and one line for a summary."""

from __future__ import annotations

import re
from collections.abc import Iterator

from baodai.digests import Outcome, Status
from baodai.digests._lines import one_line

_HEAD = re.compile(r"\[baodai · (?P<ref>bd:[0-9a-f]{8}) · ")
_WORDS = {
    "ran": "运行",
    "read": "读取",
    "wrote": "写入",
    "created": "新建",
    "edited": "修改",
    "deleted": "删除",
    "moved": "移动",
    "searched": "搜索",
    "fetched": "抓取",
    "asked the user": "询问用户",
    "planned": "计划",
    "delegated": "委派",
    "called": "调用",
}
_SHOWN = {0: 1, 1: 3, 2: 8}
_ERRORS = {0: 2, 1: 3, 2: 4}
_TARGET = {0: 160, 1: 240, 2: 400}


def render(outcome: Outcome, *, detail: int, language: str, ref: str) -> str:
    """The digest: a head in brackets, then conclusions and error lines.

    `detail` 2 is for recent results (up to 8 lines), 1 for older, 0 for the oldest (one line and
    the first errors). Error lines stay verbatim.
    """
    head = f"[baodai · {ref} · {_doing(outcome, language, _TARGET[detail])}]"
    told = outcome.conclusions[: _SHOWN[detail]]
    errors = [e for e in outcome.errors if e not in told][: _ERRORS[detail]]
    return "\n".join((head, *told, *errors))


def line(outcome: Outcome, language: str, *, most: int = 300) -> str:
    """One line for a summary: what was done, then what came of it."""
    doing = _doing(outcome, language, 120, size=False)
    told = "; ".join(one_line(c, 160) for c in (*outcome.conclusions[:3], *outcome.errors[:1]))
    return one_line(f"{doing}: {told}" if told else doing, most)


def _doing(outcome: Outcome, language: str, most: int, *, size: bool = True) -> str:
    zh = language == "zh"
    action = _WORDS.get(outcome.action, outcome.action) if zh else outcome.action
    if outcome.kind == "other":
        action = f"{action} {outcome.tool}"
    target = one_line(outcome.target, most)
    parts = [f"{action} {f'`{target}`' if outcome.kind == 'command' else target}".strip()]
    parts.extend(_result(outcome, zh=zh))
    if size and outcome.size:
        parts.append(outcome.size.replace(" lines", " 行") if zh else outcome.size)
    return ", ".join(parts)


def _result(outcome: Outcome, *, zh: bool) -> Iterator[str]:
    if outcome.change:
        yield outcome.change
    if outcome.exit_code is not None:
        yield f"{'退出码' if zh else 'exit'} {outcome.exit_code}"
    elif outcome.status is Status.FAILED:
        yield "失败" if zh else "failed"


def is_digest(text: str) -> bool:
    """Whether a text is a digest of ours."""
    return _HEAD.match(text) is not None and len(text) < 8_000


def shorten(text: str) -> str:
    """An older digest, shorter: its head and the lines that speak of failure, else the first."""
    lines = text.split("\n")
    return "\n".join(lines[:2]) if len(lines) > 3 else text
