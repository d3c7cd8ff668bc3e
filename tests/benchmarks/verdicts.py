"""Measures whether a text is rightly said to state a decision: the sets of `../shared/evals`.

- compint: summaries that models wrote, with a person's word on whether the constraint survives.
- guard: compaction-guard's cases: kept, weakened, contradicted, dropped.
- mutations: the seed's pairs of source and summary, in both languages.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from measure import ROOT

from baodai.decisions.detect import Found, decision_of, detect_text
from baodai.decisions.presence import KEPT, Verdict, present

EVALS = ROOT.parent / "shared" / "evals"
HELD = frozenset({"preserved", "paraphrased"})
"""Labels of what is kept."""


def rows(*parts: str) -> Iterator[dict[str, object]]:
    """The rows of a file of the sets."""
    for line in EVALS.joinpath(*parts).read_text("utf-8").splitlines():
        yield json.loads(line)


def verdict(statement: str, text: str) -> Verdict:
    """What a text says of a statement; a statement of several sentences is as its worst."""
    found = [f for f in detect_text(statement) if f.quote]
    whole = [decision_of(f, turn=1) for f in found] or [decision_of(Found.plain(statement), turn=1)]
    order = list(Verdict)
    return max((present(d, text) for d in whole), key=order.index)


class Board:
    """Counts by set, and the rows that went wrong."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self.wrong: list[str] = []

    def see(self, name: str, label: str, said: Verdict, told: str) -> None:
        """One row: its label, the verdict."""
        self.counts[name][label, said.value] += 1
        if (label in HELD) != (said in KEPT):
            self.wrong.append(f"{name} {label} -> {said.value}: {told}")

    def lines(self) -> Iterator[str]:
        """Kept-recall, false certificates, accuracy, then the verdicts by label."""
        for name, counts in self.counts.items():
            kept = sum(n for (label, said), n in counts.items() if label in HELD and said in KEPT)
            held = sum(n for (label, _), n in counts.items() if label in HELD)
            gone = sum(n for (label, _), n in counts.items() if label not in HELD)
            false = sum(
                n for (label, said), n in counts.items() if label not in HELD and said in KEPT
            )
            right = (kept + gone - false) / (held + gone)
            yield (
                f"{name:16} accuracy {right:.3f}  kept {kept}/{held}"
                f"  false certificates {false}/{gone}"
            )
            for (label, said), n in sorted(counts.items()):
                yield f"    {label:14} {said:14} {n}"


def compint(board: Board) -> None:
    """A person said whether the constraint stands in the summary."""
    for row in rows("compint", "balanced_blind_labeled.jsonl"):
        statement, text = str(row["sssc_message"]), str(row["compacted_summary"])
        label = "preserved" if row["label"] else "dropped"
        board.see("compint", label, verdict(statement, text), f"{row['id']} {statement}")


def guard(board: Board) -> None:
    """Seven labels over one invariant."""
    for row in rows("compaction_guard", "corpus.jsonl"):
        after = [m for m in _list(row["after"]) if isinstance(m, dict)]
        text = "\n".join(str(m["content"]) for m in after if m["role"] != "system")
        said = verdict(str(row["invariant"]), text)
        told = f"{row['operator']} {row['invariant']} | {row['summary']}"
        board.see("guard", str(row["label"]), said, told)


def mutations(board: Board) -> None:
    """The seed's mutations, by language."""
    for row in rows("seed", "summary_mutations.jsonl"):
        said = verdict(str(row["source"]), str(row["summary"]))
        told = f"{row['operator']} {row['source']} | {row['summary']}"
        board.see(f"mutations {row['lang']}", str(row["label"]), said, told)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


SETS = {"compint": compint, "guard": guard, "mutations": mutations}


def main() -> int:
    """Print the figures; with `--errors`, the rows that went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*SETS, []], help="all by default")
    parser.add_argument("--errors", type=int, default=0, help="how many wrong rows to print")
    given = parser.parse_args()
    if not Path(EVALS).is_dir():
        sys.stderr.write("the shared sets are not beside the project\n")
        return 2
    board = Board()
    for name in given.sets or SETS:
        SETS[name](board)
    for line in (*board.lines(), *board.wrong[: given.errors]):
        sys.stdout.write(f"{line[:400]}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
