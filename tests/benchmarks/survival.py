"""Measures what survives compaction, against labels made by hand: the sets of `../shared/evals`.

- bench: CompactBench's decisions and forbidden items at two and four times smaller.
- kit: the conformance kit's canaries, headers stripped, five rounds at a fifth of the size.
- distil: the facts that decide a support case, between log lines, at 15% of the size.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from measure import ROOT

from baodai.formats import formats
from baodai.jsonl.records import open_records
from baodai.model import Conversation
from baodai.pipeline import Compaction, Options, compact
from baodai.window import WindowOptions

EVALS = ROOT.parent / "shared" / "evals"
CODEC = formats()["openai-chat"]
ROUNDS = 5
_HEADER = re.compile(r"^[A-Z][A-Z ]+: ")
_PAIR = re.compile(r"\b\w+=[^\s=]+")
_OVER = re.compile(r"- \[t\d+, (?:superseded|withdrawn)\]")
_NOT_A_WORD = re.compile(r"[^\w$./%-]+")

Turn = dict[str, object]


@dataclass
class Score:
    """What was asked for and what of it stood in the output; tokens before and after."""

    kept: int = 0
    asked: int = 0
    before: int = 0
    after: int = 0
    too_large: int = 0
    cases: int = 0
    lost: list[str] = field(default_factory=list)

    def see(self, told: str, *, kept: bool) -> None:
        """Count one item."""
        self.kept += kept
        self.asked += 1
        if not kept:
            self.lost.append(told)

    def size(self, before: int, after: int, most: float) -> None:
        """Count one case; `most` is the share of its size that it may take."""
        self.cases += 1
        self.before += before
        self.after += after
        self.too_large += after > most * before

    def line(self) -> str:
        """The counts for people."""
        share = f"{self.kept / self.asked:.3f} ({self.kept}/{self.asked})" if self.asked else "n/a"
        if not self.before:
            return share
        size = f"size {self.after / self.before:.1%}, {self.too_large} of {self.cases} larger"
        return f"{share:20} {size}"


Board = dict[tuple[str, ...], Score]


def read(turns: Sequence[Turn]) -> Conversation:
    """A conversation of chat messages, through the codec as a file would be."""
    data = json.dumps({"messages": turns}, ensure_ascii=False).encode()
    return next(iter(CODEC.decode(open_records(BytesIO(data)), "survival")))


def compacted(turns: Sequence[Turn], tokens: int) -> Compaction:
    """Inside a window of so many tokens, whatever it takes."""
    window = WindowOptions(window=max(1, tokens), reserve=0)
    options = Options(window=window, keep_turns=1, smallest=True)
    return compact(read(turns), CODEC, options, source="survival")


def turns_of(done: Compaction) -> list[Turn]:
    """The output as chat messages again."""
    assert done.data is not None
    messages = json.loads(done.data)["messages"]
    assert isinstance(messages, list)
    return messages


def plain(text: str) -> str:
    """Small letters, blanks between words."""
    return " ".join(_NOT_A_WORD.sub(" ", text.casefold()).split())


def text_of(done: Compaction) -> str:
    """All that a model would read of an output, normalised."""
    return plain("\n".join(m.text for m in done.after.messages))


def rows(*parts: str) -> Iterator[dict[str, object]]:
    """The rows of a file of the sets."""
    for line in EVALS.joinpath(*parts).read_text("utf-8").splitlines():
        yield json.loads(line)


def bench(board: Board) -> None:
    """CompactBench: what has to stand there; by difficulty and ratio."""
    for row in rows("compactbench", "cases_seeds_1_2.jsonl"):
        transcript, items = _dict(row["transcript"]), _list(row["evaluation_items"])
        turns: list[Turn] = [
            {"role": _dict(t)["role"], "content": _dict(t)["content"]}
            for t in _list(transcript["turns"])
        ]
        for times in (2, 4):
            before = compacted(turns, 100_000).account.tokens_before
            done = compacted(turns, before // times)
            out, key = text_of(done), (f"bench {times}x", str(row["difficulty"]))
            board[key].size(before, done.account.tokens_after, 1 / times)
            for item in map(_dict, items):
                expected = _dict(item["expected"])
                kind = str(item["item_type"])
                if expected["check"] == "contains_normalized":
                    told = f"{row['case_id']} {expected['value']!r}"
                    kept = plain(str(expected["value"])) in out
                    board[*key, kind].see(told, kept=kept)


def kit(board: Board) -> None:
    """The conformance kit: each round takes in a fifth of the session and folds again."""
    for row in rows("compaction_kit", "sessions.jsonl"):
        turns: list[Turn] = [
            {"role": t["role"], "content": _HEADER.sub("", str(t["content"]))}
            for t in map(_dict, _list(row["turns"]))
        ]
        for share in (0.2, 0.3):
            _rounds(board, row, turns, share)


def _rounds(board: Board, row: dict[str, object], turns: list[Turn], share: float) -> None:
    whole = compacted(turns, 100_000).account.tokens_before
    canaries = [_dict(c) for c in _list(row["canaries"])]
    step = -(-len(turns) // ROUNDS)
    context: list[Turn] = []
    key = (f"kit {share:.0%}", str(row["kind"]))
    for n in range(ROUNDS):
        done = compacted([*context, *turns[n * step : (n + 1) * step]], int(whole * share))
        context = turns_of(done)
    out = text_of(done)
    # What is told as superseded is not told as holding.
    lines = "\n".join(m.text for m in done.after.messages).splitlines()
    holding = plain("\n".join(line for line in lines if not _OVER.match(line)))
    board[key].size(whole, done.account.tokens_after, share)
    for canary in canaries:
        told = f"{row['kind']} {row['seed']} {canary['content']}"
        kept = all(plain(str(t)) in out for t in _list(canary["required_tokens"]))
        board[*key, str(canary["type"])].see(told, kept=kept)
        board[*key, "all"].see(told, kept=kept)
        for old in _list(canary["superseded_tokens"]):
            board[*key, "not stale"].see(f"{told} ({old})", kept=plain(str(old)) not in holding)


def distil(board: Board) -> None:
    """Support cases: what stands between the log lines, as names with their values."""
    path = EVALS / "distil" / "provider_compaction_episodes_long.json"
    for episode in map(_dict, json.loads(path.read_text("utf-8"))):
        turns = [_whole(_dict(m), n) for n, m in enumerate(_list(episode["messages"]))]
        _answer(turns)
        before = compacted(turns, 100_000).account.tokens_before
        done = compacted(turns, int(before * 0.15))
        out = "\n".join(m.text + " ".join(_results(m)) for m in done.after.messages)
        board["distil 15%",].size(before, done.account.tokens_after, 0.15)
        for message in turns:
            for line in str(message.get("content") or "").splitlines():
                if message["role"] == "tool" and not line.startswith("log "):
                    for pair in _PAIR.findall(line):
                        board["distil 15%",].see(f"{episode['id']} {pair}", kept=pair in out)


def _whole(message: Turn, n: int) -> Turn:
    """A message of the set with the ids and types that its API asks for."""
    calls = [_dict(c) for c in _list(message.get("tool_calls"))]
    if not calls:
        return dict(message)
    made = [
        {
            "id": f"call_{n}_{i}",
            "type": "function",
            "function": {
                "name": _dict(c["function"])["name"],
                "arguments": json.dumps(_dict(c["function"])["arguments"]),
            },
        }
        for i, c in enumerate(calls)
    ]
    return {**message, "tool_calls": made}


def _answer(turns: list[Turn]) -> None:
    """Give each result the id of the call before it."""
    ids: list[object] = []
    for turn in turns:
        ids.extend(_dict(c)["id"] for c in _list(turn.get("tool_calls")))
        if turn["role"] == "tool":
            turn["tool_call_id"] = ids.pop(0)


def _results(message: object) -> Iterator[str]:
    for block in getattr(message, "blocks", ()):
        text = getattr(block, "text", None)
        if isinstance(text, str):
            yield text


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


SETS = {"bench": bench, "kit": kit, "distil": distil}


def main() -> int:
    """Print the figures; with `--lost`, what was not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*SETS, []], help="all by default")
    parser.add_argument("--lost", type=int, default=0, help="lines of what was lost, per class")
    given = parser.parse_args()
    if not Path(EVALS).is_dir():
        sys.stderr.write("the shared sets are not beside the project\n")
        return 2
    board: Board = defaultdict(Score)
    for name in given.sets or SETS:
        SETS[name](board)
    for key, score in sorted(board.items()):
        sys.stdout.write(f"{' / '.join(key):52} {score.line()}\n")
        for told in score.lost[: given.lost]:
            sys.stdout.write(f"      lost {told[:200]}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
