"""`make bench`: the targets of speed and size, as ratios in one run on the same files.

Prints a table and writes it to `reports/bench.md` and `reports/bench.json`. What cannot be run (the
shared data is absent, a command is not built) is named, never left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path

import orjson
from corpora import Writer, write_corpus, write_giant, write_session
from measure import ROOT, Run, best, run, seconds
from visible import documents, visible

from baodai.tokens import TokenCounter, counter_for

SHARED = Path(os.environ.get("BAODAI_SHARED") or ROOT.parent / "shared") / "data"
FORMATS = ("claude_code", "openai_chat", "anthropic_messages")
MB = 1_000_000


@dataclass(frozen=True)
class Figure:
    """One measured number. `good`: within the target; `None` where there is no target or no run."""

    group: str
    name: str
    value: float | None
    unit: str
    target: str = ""
    good: bool | None = None
    note: str = ""


@dataclass(frozen=True)
class Bench:
    """Where files lie, how often a thing is run, and how large the corpora are."""

    work: Path
    repeat: int
    files: int
    size: int
    folders: Iterator[int]

    def compact(self, files: list[Path], *options: str) -> Run:
        """`baodai compact` over files at 32k, without ledger and memory, as a process."""
        out = self.work / f"out{next(self.folders)}"
        flags = ("--window", "32k", "--ledger", "none", "--memory", "none", "--out-dir", str(out))
        command = ("-m", "baodai", "compact", *map(str, files), *flags, *options)
        done = run(command, self.work)
        written = len(list(out.rglob("*"))) if out.is_dir() else 0
        shutil.rmtree(out, ignore_errors=True)
        # Quick because nothing was done is no measurement.
        return done if written else replace(done, status=done.status or -1, wrote=False)


def limit(group: str, name: str, value: float, unit: str, most: float, note: str = "") -> Figure:
    """A figure that should be at most `most`."""
    return Figure(group, name, value, unit, f"<= {most:g}", value <= most, note)


def missing(group: str, name: str, why: str) -> Figure:
    """A figure that could not be taken."""
    return Figure(group, name, None, "", note=why)


def ran(done: Run) -> str:
    """Why a run is no measurement; empty where it is one (1: some input could not fit)."""
    if done.wrote and done.status in {0, 1}:
        return ""
    return f"exit {done.status}: {done.errors.strip()[-160:]}".replace("\n", " ")


def counting(bench: Bench) -> Iterator[Figure]:
    """The floor: how fast tokens are counted, cold, against tiktoken."""
    w = Writer(1)
    samples = {
        "English": [w.english(4_000) for _ in range(250)],
        "code": [w.code(4_000) for _ in range(250)],
        "logs": [w.log(4_000) for _ in range(250)],
        "Chinese": [w.chinese(2_000) for _ in range(170)],
    }
    slow = counter_for("o200k_base", fast=False)
    for name, texts in samples.items():
        counter_for.cache_clear()
        fast = counter_for("o200k_base")
        fast.count("warm")
        size = sum(len(text.encode()) for text in texts) / MB
        quick, plain = (seconds(1, partial(tally, c, texts)) for c in (fast, slow))
        note = f"{size / quick:.0f} against {size / plain:.0f} MB/s, cold"
        yield Figure("counting", f"{name}: tiktoken / engine in use", plain / quick, "x", note=note)
        if tally(fast, texts) != tally(slow, texts):
            yield Figure("counting", f"{name}: counts differ", 1, "", "0", good=False)
    for engine, wanted in (("engine in use", "True"), ("tiktoken", "False")):
        load = (
            f"from baodai.tokens import counter_for as c; c('o200k_base', fast={wanted}).count('a')"
        )
        taken = python(bench, load).seconds - python(bench, "import baodai.tokens").seconds
        yield Figure("counting", f"loading o200k_base, {engine}", taken, "s")


def python(bench: Bench, code: str) -> Run:
    """The quickest of some processes that run a line of code."""
    return best(bench.repeat + 2, partial(run, ("-c", code), bench.work))


def tally(counter: TokenCounter, texts: list[str]) -> int:
    """Tokens of all texts."""
    return sum(map(counter.count, texts))


def runs_of_equal(_: Bench) -> Iterator[Figure]:
    """A million equal characters, and one string of fifty megabytes."""
    for engine in (True, False):
        counter = counter_for("o200k_base", fast=engine)
        label = "engine in use" if engine else "tiktoken"
        runs = [
            (seconds(1, partial(counter.count, c * MB)), repr(c)) for c in "a \t\n0-中é\u200d😀"
        ]
        worst = max(runs)
        name = f"a million equal characters, {label}"
        yield limit("runs", name, worst[0], "s", 5, f"slowest: {worst[1]}")
    counter = counter_for("o200k_base")
    taken = seconds(1, lambda: counter.count("0123456789abcdef" * (50 * MB // 16)))
    yield limit("runs", "one string of 50 MB", taken, "s", 20)


def yardstick(files: list[Path]) -> float:
    """Seconds to parse files with orjson and to encode every visible string with tiktoken."""
    slow = counter_for("o200k_base", fast=False)
    texts = [visible(documents(path)) for path in files]

    def work() -> None:
        for path, strings in zip(files, texts, strict=True):
            data = path.read_bytes()
            try:
                orjson.loads(data)
            except orjson.JSONDecodeError:
                for line in data.splitlines():
                    parse(line)
            tally(slow, strings)

    return seconds(2, work)


def parse(line: bytes) -> None:
    """Parse one line; torn ones are part of real files."""
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return


def whole(bench: Bench) -> Iterator[Figure]:
    """The whole job over a corpus against the yardstick; two jobs against one."""
    start = best(bench.repeat, partial(bench.compact, [twenty_lines(bench)]))
    corpora = {"generated": write_corpus(bench.work / "corpus", bench.files, bench.size)}
    if SHARED.is_dir():
        for name in FORMATS:
            files = sorted(p for p in (SHARED / name).rglob("*") if p.suffix in {".json", ".jsonl"})
            corpora[name] = files
    for name, files in corpora.items():
        size = sum(path.stat().st_size for path in files) / MB
        floor = yardstick(files)
        one = best(bench.repeat, partial(bench.compact, files, "--jobs", "1"))
        if why := ran(one):
            yield missing("compact", f"{name}: compact / yardstick", why)
            continue
        note = f"{len(files)} files, {size:.1f} MB, {one.seconds:.2f} s against {floor:.2f} s"
        yield limit("compact", f"{name}: compact / yardstick", one.seconds / floor, "x", 0.6, note)
        net = max(0.0, one.seconds - start.seconds) / floor
        yield Figure("compact", f"{name}: the same beyond start-up", net, "x")
        two = best(bench.repeat, partial(bench.compact, files, "--jobs", "2"))
        speed = one.seconds / two.seconds
        good = None if name != "generated" or (os.cpu_count() or 1) < 2 else speed >= 1.7
        yield Figure("compact", f"{name}: two jobs", speed, "x", ">= 1.7", good)


def growth(bench: Bench) -> Iterator[Figure]:
    """Ten times the input in one conversation and in many; memory."""
    small = write_session(bench.work / "one.jsonl", 5, bench.size)
    large = write_session(bench.work / "ten.jsonl", 5, 10 * bench.size)
    # At 32k the decisions of ten times the talk alone would not fit.
    wide = ("--window", "400k")
    one, ten = (best(bench.repeat, partial(bench.compact, [f], *wide)) for f in (small, large))
    if why := ran(one) or ran(ten):
        yield missing("growth", "ten times the input", why)
        return
    yield limit("growth", "one conversation ten times as long", ten.seconds / one.seconds, "x", 11)
    allowed = 6 * large.stat().st_size / MB + 150
    note = f"file of {large.stat().st_size / MB:.1f} MB"
    yield limit("memory", "peak of the largest conversation", ten.megabytes, "MB", allowed, note)
    few = write_corpus(bench.work / "few", 4, bench.size // 4)
    many = write_corpus(bench.work / "many", 40, bench.size // 4)
    low, high = bench.compact(few, "--jobs", "1"), bench.compact(many, "--jobs", "1")
    if not (ran(low) or ran(high)):
        grown = high.megabytes - low.megabytes
        yield limit("memory", "more for 40 conversations than for 4", grown, "MB", 30)


def twenty_lines(bench: Bench) -> Path:
    """A transcript of twenty lines."""
    path = write_session(bench.work / "long.jsonl", 3, 60_000)
    lines = path.read_text("utf-8").splitlines(keepends=True)[:20]
    short = bench.work / "twenty.jsonl"
    short.write_text("".join(lines), encoding="utf-8")
    return short


def starting(bench: Bench) -> Iterator[Figure]:
    """Start-up: help, and a short transcript beyond loading the vocabulary."""
    shown = best(bench.repeat + 3, partial(run, ("-m", "baodai", "--help"), bench.work))
    if why := ran(shown) or (shown.status and "exit 1: no command line yet"):
        yield missing("start", "baodai --help", str(why))
        return
    yield limit("start", "baodai --help", shown.seconds, "s", 0.25)
    short = twenty_lines(bench)
    done = best(bench.repeat + 1, partial(bench.compact, [short]))
    load = python(
        bench, "from baodai.tokens import counter_for; counter_for('o200k_base').count('a')"
    )
    if why := ran(done):
        yield missing("start", "compact of 20 lines", why)
        return
    beyond = done.seconds - load.seconds
    note = f"{done.seconds:.2f} s less {load.seconds:.2f} s for python and the vocabulary"
    yield limit("start", "compact of 20 lines beyond the vocabulary", beyond, "s", 0.5, note)


def giants(bench: Bench) -> Iterator[Figure]:
    """Compacting a transcript with one huge string in it."""
    texts: dict[str, Callable[[], str]] = {
        "a million blanks": lambda: " " * MB,
        "a million letters": lambda: "a" * MB,
        "a line of 50 MB": lambda: Writer(9).log(MB) * 50,
    }
    for name, make in texts.items():
        path = write_giant(bench.work / "giant.jsonl", make())
        done = bench.compact([path])
        if why := ran(done):
            yield missing("giants", name, why)
            continue
        yield limit("giants", name, done.seconds, "s", 30, f"peak {done.megabytes:.0f} MB")


GROUPS: dict[str, Callable[[Bench], Iterator[Figure]]] = {
    "counting": counting,
    "runs": runs_of_equal,
    "start": starting,
    "compact": whole,
    "growth": growth,
    "giants": giants,
}


def table(figures: list[Figure]) -> str:
    """The figures as a Markdown table."""
    marks = {True: "yes", False: "**no**", None: ""}
    rows = [
        f"| {f.group} | {f.name} | {'not run' if f.value is None else f'{f.value:.2f} {f.unit}'} "
        f"| {f.target} | {marks[f.good]} | {f.note} |"
        for f in figures
    ]
    head = "| group | what | measured | target | met | note |\n|---|---|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def main() -> int:
    """Measure, print, write; the exit status says whether all targets that ran are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=GROUPS, action="append", help="one group")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each, the best counts")
    parser.add_argument("--files", type=int, default=24, help="sessions of the generated corpus")
    parser.add_argument("--size", type=int, default=MB, help="characters of each session")
    options = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="baodai-bench-") as folder:
        bench = Bench(Path(folder), options.repeat, options.files, options.size, count())
        for name in options.only or GROUPS:
            for figure in GROUPS[name](bench):
                figures.append(figure)
                sys.stdout.write(table([figure]).splitlines()[-1] + "\n")
                sys.stdout.flush()
    engine = getattr(counter_for("o200k_base"), "engine", "estimate")
    about = f"Python {platform.python_version()}, {os.cpu_count()} cores, counting with {engine}"
    if options.only is None:
        reports = ROOT / "reports"
        (reports / "bench.md").write_text(
            f"# Measured by `make bench`\n\n{about}\n\n{table(figures)}"
        )
        data = {"about": about, "figures": [asdict(figure) for figure in figures]}
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
        (reports / "bench.json").write_text(text, encoding="utf-8")
    return 1 if any(figure.good is False for figure in figures) else 0


if __name__ == "__main__":
    raise SystemExit(main())
