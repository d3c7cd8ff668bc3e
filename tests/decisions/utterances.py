"""The utterances beside this file: what is decided in each, if anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Utterance:
    """One labelled utterance. `sign` is +1, -1 or 0 for nothing; `kind` where it matters."""

    group: str
    sign: int
    kind: str
    text: str


def utterances(language: str) -> list[Utterance]:
    """Those of a language, in the order of the file."""
    path = Path(__file__).with_name(f"utterances.{language}.txt")
    found: list[Utterance] = []
    group = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            group = line.strip("[]")
        elif " | " in line:
            head, _, text = line.partition(" | ")
            sign, _, kind = head.partition(" ")
            found.append(Utterance(group, {"+": 1, "-": -1, "0": 0}[sign], kind, text))
    return found
