"""Files and artifacts, for the summary: each file with its last state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baodai.digests.files import FileEvent
from baodai.summarizers._candidates import Candidate
from baodai.summarizers._work import Done

_PASSING = re.compile(r"^/tmp/|/te?mp/|scratch|\.(?:exe|log|tmp|pid|out)$", re.IGNORECASE)
"""Files that are made in passing; what was asked for lies elsewhere."""

_WORDS = {
    "wrote": "已写入",
    "created": "新建",
    "edited": "修改",
    "deleted": "已删除",
    "moved": "移动",
    "reverted": "已还原",
}


@dataclass(slots=True)
class _State:
    last: FileEvent
    turn: int
    at: float
    created: bool = False
    edits: int = 0
    added: int = 0
    removed: int = 0


def files(done: Sequence[Done], language: str) -> Iterator[Candidate]:
    """One candidate for each file that was changed, with what it has come to."""
    states: dict[str, _State] = {}
    for one in done:
        for event in one.events:
            state = states.setdefault(event.path, _State(event, one.turn, one.at))
            _happen(state, event, one)
    for path, state in states.items():
        weight = 1.0 + min(1.0, 0.15 * state.edits) + 0.5 * state.at
        if _PASSING.search(path):
            weight *= 0.3
        # The whole path: a shorter one can't be opened, and two summaries would name it unlike.
        yield Candidate("files", state.turn, (_told(path, state, language),), weight, state.at)


def _happen(state: _State, event: FileEvent, one: Done) -> None:
    state.created = state.created or (event.action in {"created", "wrote"} and not state.edits)
    state.last, state.turn, state.at = event, one.turn, one.at
    state.edits += 1
    state.added += event.added
    state.removed += event.removed


def _told(name: str, state: _State, language: str) -> str:
    zh = language == "zh"
    action = state.last.action
    word = _WORDS[action] if zh else action
    if action == "moved":
        word += f" → {state.last.to}"
    elif action in {"edited", "wrote", "created"}:
        times = f"{state.edits} 次" if zh else f"{state.edits} times"
        started = ("新建" if zh else "created") if state.created else ("修改" if zh else "edited")
        word = started if state.edits == 1 else f"{started}, {times}"
        if state.added or state.removed:
            word += f", +{state.added} -{state.removed}"
    return f"`{name}`: {word}"
