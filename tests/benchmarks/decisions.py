"""Measures what is found of what users decide, on the labelled sets of `../shared/evals`.

Rows are cut in two by a hash of their name: `dev`, whose errors may be read (`--errors`), and
`held`, whose errors are only counted. Figures are printed by set, language and class.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from measure import ROOT

from baodai.decisions import Decision, State
from baodai.decisions.detect import detect
from baodai.decisions.keys import keys_of
from baodai.decisions.values import values_of
from build import human, says, talk

EVALS = ROOT.parent / "shared" / "evals"
LABELS = {
    "decision": {"choice", "correction", "convention"},
    "constraint": {"constraint", "requirement", "convention"},
    "requirement": {"requirement", "constraint"},
    "preference": {"preference"},
}
_POLARITY = re.compile(r"\b(?:no|not|never|allowed)\b|不要|可以|不", re.IGNORECASE)


def half(name: str) -> str:
    """`dev` or `held`."""
    return "held" if sha256(name.encode()).digest()[0] % 2 else "dev"


@dataclass
class Tally:
    """Counts of one class, and the rows that went wrong."""

    right: int = 0
    missed: int = 0
    false: int = 0
    none: int = 0
    wrong: list[str] = field(default_factory=list)

    def see(self, row: str, *, wanted: bool, found: bool) -> None:
        """Count one row."""
        self.right += wanted and found
        self.missed += wanted and not found
        self.false += found and not wanted
        self.none += not wanted
        if wanted != found:
            self.wrong.append(("missed " if wanted else "false  ") + row)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        weight = 2 * self.right + self.missed + self.false
        return 2 * self.right / weight if self.right + self.missed else None

    def line(self) -> str:
        """The counts for people."""
        wanted = self.right + self.missed
        recall = f"recall {self.right / wanted:.3f} ({self.right}/{wanted})" if wanted else ""
        false = (
            f"false {self.false / self.none:.3f} ({self.false}/{self.none})" if self.none else ""
        )
        f1 = f"F1 {self.f1:.3f}" if self.f1 is not None else ""
        return "  ".join(part for part in (f1, recall, false) if part)


Board = dict[tuple[str, ...], Tally]


def rows(*parts: str) -> Iterator[dict[str, object]]:
    """The rows of a file of the sets."""
    for line in EVALS.joinpath(*parts).read_text("utf-8").splitlines():
        yield json.loads(line)


def decided(text: str, before: str = "") -> tuple[Decision, ...]:
    """What one utterance decides after the assistant said `before`."""
    opened = (human("Hello."), says(before)) if before else ()
    return tuple(
        d for d in detect(talk(*opened, human(text), says("Fine."))) if d.quote != "Hello."
    )


def utterances(board: Board) -> None:
    """seed/detection_utterances: found or not, then kind, polarity, object and value."""
    offer = {
        "en": "Two ways: A. one big change B. several small ones. Which one?",
        "zh": "两个方案：A. 一次改完 B. 分几次改。选哪个？",
    }
    for row in rows("seed", "detection_utterances.jsonl"):
        part, lang = half(str(row["id"])), str(row["lang"])
        text, label, kind = str(row["text"]), str(row["label"]), str(row["failure_class"])
        before = offer[lang] if kind == "elliptical_answer" else ""
        found = decided(text, before)
        told = f"{lang} {kind}: {text!r}"
        for key in ((part, lang), ("all", lang), ("class", kind)):
            board["utterances", *key].see(told, wanted=label != "none", found=bool(found))
        if label != "none" and found:
            _details(board, part, row, found)


def _details(board: Board, part: str, row: dict[str, object], found: Sequence[Decision]) -> None:
    label, lang = str(row["label"]), str(row["lang"])
    sign = 1 if row["polarity"] == "+" else -1
    told = f"{lang} {row['text']!r} {label} {row['polarity']} {row['object']} {row['value']}: " + (
        "; ".join(f"{d.kind} {d.polarity:+d} {d.object!r} {d.values}" for d in found)
    )
    kinds = {d.kind.value for d in found}
    checks = {
        "kind": bool(LABELS[label] & kinds),
        "polarity": any(d.polarity == sign for d in found),
        "object": any(str(row["object"]).casefold() in d.object.casefold() for d in found)
        or any(keys_of(str(row["object"])) <= keys_of(f"{d.object} {d.accepted}") for d in found),
    }
    if row["value"]:
        wanted = set(values_of(str(row["value"]))) or {str(row["value"])}
        checks["value"] = any(wanted <= set(d.values) for d in found)
    for name, good in checks.items():
        board[f"utterances.{name}", part, lang].see(told, wanted=True, found=good)


def holds(item: str, found: Sequence[Decision]) -> bool:
    """Whether a live decision says an item of the label."""
    core = keys_of(_POLARITY.sub(" ", item))
    negative = re.search(r"\b(?:no|not|never)\b|不要", item) is not None
    allowed = re.search(r"\ballowed\b|可以", item) is not None
    for d in found:
        if d.state is not State.LIVE:
            continue
        mine = keys_of(f"{d.quote} {d.accepted} {d.object}") | set(d.values)
        if core <= mine and not (negative and d.polarity > 0) and not (allowed and d.polarity < 0):
            return keys_of(d.against) != core if core else True
    return False


def supersession(board: Board) -> None:
    """seed/supersession: what is live is told as live, what is stale is not."""
    for row in rows("seed", "supersession.jsonl"):
        turns = [str(t) for t in _list(row["turns"])]
        found = detect(talk(*(m for t in turns for m in (human(t), says("Fine.")))))
        live = all(holds(str(item), found) for item in _list(row["live"]))
        stale = any(holds(str(item), found) for item in _list(row["stale"]))
        states = [(d.quote, d.state.value) for d in found]
        told = f"{row['note']} {turns} live={row['live']} stale={row['stale']}: {states}"
        board["supersession", half(str(row["id"])), str(row["lang"])].see(
            told, wanted=True, found=live and not stale
        )


def ledger(board: Board) -> None:
    """Dsh: the live decisions after the turns; its two documented gaps as they should be."""
    better = {"h12": ["如果仓库用 tabs，就改成 spaces"], "h13": []}
    for row in rows("dsh", "constraint_ledger_heuristics.jsonl"):
        turns = [str(t) for t in _list(row["turns"])]
        wanted = better.get(str(row["id"]), _list(row["dsh_active"]))
        found = detect(talk(*(m for t in turns for m in (human(t), says("Fine.")))))
        live = [d.quote for d in found if d.state is State.LIVE and d.polarity]
        rules = [q for q in live if not _withdraws(q)]
        told = f"{row['note']} {turns}: {[(d.quote, d.state.value) for d in found]}"
        good = rules == wanted
        board["dsh", half(str(row["id"]))].see(told, wanted=True, found=good)


def _withdraws(quote: str) -> bool:
    return re.match(r"forget|不再需要", quote) is not None


def crosswoz(board: Board) -> None:
    """CrossWOZ: turns with a wanted quality against turns that only ask or thank."""
    data = json.loads(zipfile.ZipFile(EVALS / "crosswoz" / "val.json.zip").read("val.json"))
    for name, dialogue in data.items():
        part = half(name)
        said = dialogue["messages"]
        parts = [human(m["content"]) if m["role"] == "usr" else says(m["content"]) for m in said]
        found = {d.turn for d in detect(talk(*parts))}
        turn = 0
        for message in said:
            if message["role"] != "usr":
                continue
            turn += 1
            slots = [act[2] for act in message["dialog_act"] if act[0] == "Inform"]
            if slots and set(slots) == {"名称"}:
                board["crosswoz (a name alone)", part].see(
                    message["content"], wanted=False, found=turn in found
                )
                continue
            board["crosswoz", part].see(message["content"], wanted=bool(slots), found=turn in found)


def kit(board: Board) -> None:
    """compaction_kit without its headers: what carries a canary is found; other talk is counted."""
    head = re.compile(r"^[A-Z][A-Z ]+: ")
    for row in rows("compaction_kit", "sessions.jsonl"):
        turns = [t for t in _list(row["turns"]) if isinstance(t, dict) and t["role"] == "user"]
        canaries = {str(c["id"]): c for c in _list(row["canaries"]) if isinstance(c, dict)}
        for turn in turns:
            kind = str(canaries.get(str(turn["canary_id"]), {}).get("type", ""))
            text = head.sub("", str(turn["content"]))
            if not kind and head.match(str(turn["content"])):
                continue
            name = f"compaction_kit {kind}" if kind else "compaction_kit talk"
            board[name, half(text)].see(text, wanted=bool(kind), found=bool(decided(text)))


def guard(board: Board) -> None:
    """compaction_guard: every invariant is found, other user talk is not."""
    seen: set[str] = set()
    for row in rows("compaction_guard", "corpus.jsonl"):
        rule = str(row["invariant"])
        for message in _list(row["before"]):
            text = str(message["content"]) if isinstance(message, dict) else ""
            if isinstance(message, dict) and message["role"] == "user" and text not in seen:
                seen.add(text)
                board["compaction_guard", half(rule)].see(
                    text, wanted=rule in text, found=bool(decided(text))
                )


def bench(board: Board) -> None:
    """compactbench: each locked decision and forbidden behaviour stands in a live decision."""
    for row in rows("compactbench", "cases_seeds_1_2.jsonl"):
        transcript, truth = row["transcript"], row["ground_truth"]
        assert isinstance(transcript, dict)
        assert isinstance(truth, dict)
        turns = [t for t in _list(transcript["turns"]) if isinstance(t, dict)]
        parts = [
            human(str(t["content"])) if t["role"] == "user" else says(str(t["content"]))
            for t in turns
        ]
        found = detect(talk(*parts))
        live = "\n".join(
            f"{d.quote} {d.accepted}".casefold()
            for d in found
            if d.state is State.LIVE and d.because != "withdrawal"
        )
        for name in ("locked_decisions", "forbidden_behaviors"):
            for item in _list(truth[name]):
                told = f"{row['template_key']} {item!r} in {[t['content'] for t in turns]}"
                # "approach: …" is a label of the set; what an override replaced must not be live.
                text = str(item).casefold().partition(": ")[2] or str(item).casefold()
                stale = name == "forbidden_behaviors" and "override" in str(row["template_key"])
                kept = (text in live) != stale
                group = "compactbench overridden" if stale else f"compactbench {name}"
                board[group, half(str(row["case_id"]))].see(told, wanted=True, found=kept)
        for turn in turns:
            if turn["role"] == "user" and turn["tags"] == ["distractor"]:
                text = str(turn["content"])
                board["compactbench distractors", half(text)].see(
                    text, wanted=False, found=bool(decided(text))
                )


def speed() -> str:
    """Seconds for one megabyte of what users type, at their best of three runs."""
    data = json.loads(zipfile.ZipFile(EVALS / "crosswoz" / "val.json.zip").read("val.json"))
    zh = [m["content"] for d in data.values() for m in d["messages"] if m["role"] == "usr"]
    en = [
        str(t["content"])
        for row in rows("compactbench", "cases_seeds_1_2.jsonl")
        for t in _list(dict(row["transcript"])["turns"])  # type: ignore[call-overload]
        if isinstance(t, dict) and t["role"] == "user"
    ]
    from baodai.tokens import counter_for  # noqa: PLC0415 - only for this figure

    counter = counter_for("o200k_base")
    told = []
    for name, texts in (("en", en), ("zh", zh)):
        talked = talk(*(m for t in texts for m in (human(t), says("Fine."))))
        size = sum(len(t.encode()) for t in texts) / 1e6
        spent = []
        for _ in range(3):
            start = time.perf_counter()
            detect(talked)
            spent.append(time.perf_counter() - start)
        start = time.perf_counter()
        for text in texts:
            counter.count(text)
        count = time.perf_counter() - start
        told.append(
            f"{name}: {min(spent) / size:.2f} s/MB (counting tokens {count / size:.2f} s/MB)"
        )
    return "; ".join(told)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


SETS = {
    "utterances": utterances,
    "supersession": supersession,
    "dsh": ledger,
    "crosswoz": crosswoz,
    "kit": kit,
    "guard": guard,
    "bench": bench,
}


def main() -> int:
    """Print the figures; with `--errors`, what went wrong in the half that may be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*SETS, []], help="all by default")
    parser.add_argument("--errors", action="store_true", help="the wrong rows of the dev half")
    parser.add_argument("--most", type=int, default=40, help="wrong rows of one class")
    parser.add_argument("--speed", action="store_true", help="seconds a megabyte")
    given = parser.parse_args()
    if not Path(EVALS).is_dir():
        sys.stderr.write("the shared sets are not beside the project\n")
        return 2
    board: Board = defaultdict(Tally)
    for name in given.sets or SETS:
        SETS[name](board)
    for key, tally in board.items():
        sys.stdout.write(f"{' / '.join(key):44} {tally.line()}\n")
        if given.errors and "held" not in key and "all" not in key and "class" not in key:
            for row, times in Counter(tally.wrong).most_common(given.most):
                sys.stdout.write(f"      {times} x {row[:600]}\n")
    if given.speed:
        sys.stdout.write(f"speed  {speed()}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
