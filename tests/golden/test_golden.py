"""Bytes and human text as they come out, kept as files: a change in one needs a changelog line.

The set: every small fixture through each layer alone and through the whole pipeline, the demo
session, the help of every command, every story of `explain`, every report.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from reading import compacted, conversations
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from baodai.commands._explaining import stories
from baodai.layers import RUN_ORDER
from baodai.pipeline import Compaction, Options
from baodai.store import report_names

ROOT = Path(__file__).resolve().parents[2] / "fixtures"
FIXTURES = sorted(p for p in (ROOT / "transcripts").rglob("*") if p.is_file())
SETS = ["pipeline", *RUN_ORDER]
WINDOW = 300
"""Tokens: small enough that the fixtures, of some hundred tokens, are over it."""


class Bytes(SingleFileSnapshotExtension):
    """One file for each case, its bytes as they are."""

    file_extension = "out"


class Human(SingleFileSnapshotExtension):
    """One file for each case, text for people."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


def outputs(path: Path, name: str, window: int) -> Iterator[Compaction]:
    codec, found = conversations(path)
    off = frozenset() if name == "pipeline" else frozenset(RUN_ORDER) - {name}
    for conversation in found:
        yield compacted(codec, conversation, window, Options(off=off, smallest=True))


def table(made: list[Compaction]) -> str:
    """The ledger's numbers as text."""
    lines = []
    for one in made:
        account = one.account
        lines.append(f"{account.tokens_before} -> {account.tokens_after} fits={account.fits}")
        lines.extend(f"  {x.layer}: {x.status} {x.saved}" for x in account.layers)
        for layer in account.layers:
            for e in layer.edits:
                sizes = f"{e.tokens_before}->{e.tokens_after}"
                lines.append(f"    {e.layer} {e.change} {e.message_id} {sizes} {e.reason_code}")
        lines.extend(f"  {d.where} {d.state} t{d.turn} {d.quote}" for d in account.decisions)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("path", FIXTURES, ids=[str(p.relative_to(ROOT)) for p in FIXTURES])
def test_a_fixture_comes_out_as_before(path: Path, name: str, snapshot: SnapshotAssertion) -> None:
    made = list(outputs(path, name, WINDOW))
    data = b"".join(one.data or b"" for one in made)
    untouched = all(one.after is one.before for one in made)
    assert (b"untouched" if untouched else data) == snapshot(extension_class=Bytes)


@pytest.mark.parametrize("window", [8_000, 16_000])
def test_the_demo_session_and_its_numbers_come_out_as_before(
    window: int, snapshot: SnapshotAssertion
) -> None:
    made = list(outputs(ROOT / "demo" / "session.jsonl", "pipeline", window))
    assert made[0].data == snapshot(extension_class=Bytes, name="bytes")
    assert table(made) == snapshot(extension_class=Human, name="ledger")


VERBS = ["", "compact", "cost", "inspect", "show", "decisions", "cut", "expand", "report"]


@pytest.mark.parametrize("verb", [*VERBS, "explain", "formats", "ledger", "config"])
def test_the_help_reads_as_before(verb: str, snapshot: SnapshotAssertion) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "baodai", *verb.split(), "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80", "TERMINAL_WIDTH": "80", "NO_COLOR": "1"},
    )
    assert said.stdout == snapshot(extension_class=Human)


STORIES = [name for name, story in stories().items() if story.kind != "setting"]


@pytest.mark.parametrize("name", STORIES)
def test_every_story_reads_as_before(name: str, snapshot: SnapshotAssertion) -> None:
    story = stories()[name]
    assert f"{name} ({story.kind})\n\n{story.text}\n" == snapshot(extension_class=Human)


def test_the_stories_of_the_settings_read_as_before(snapshot: SnapshotAssertion) -> None:
    told = {name: s.text for name, s in stories().items() if s.kind == "setting"}
    text = "\n".join(f"{name}: {story}" for name, story in told.items())
    assert f"{text}\n" == snapshot(extension_class=Human)


@pytest.fixture(scope="module")
def demo_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of the demo session brought into 8,000 tokens."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "session.jsonl").write_bytes((ROOT / "demo" / "session.jsonl").read_bytes())
    call = "compact session.jsonl --window 8k -o out.jsonl --ledger l.duckdb --memory none"
    baodai(call, folder)
    prices = ROOT / "demo" / "prices.toml"
    named = f"--model example-model --window 24k --prices {prices} --ledger l.duckdb"
    baodai(f"cost session.jsonl {named}", folder)
    baodai(f"cost session.jsonl {named} --sweep --windows 16k,24k", folder)
    return folder / "l.duckdb"


def baodai(arguments: str, folder: Path) -> str:
    return subprocess.run(
        [sys.executable, "-m", "baodai", *arguments.split()],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
    ).stdout


@pytest.mark.parametrize("name", report_names())
def test_every_report_reads_as_before(
    name: str, demo_ledger: Path, snapshot: SnapshotAssertion
) -> None:
    said = baodai(f"report {name} --ledger {demo_ledger.name}", demo_ledger.parent)
    lasting = re.sub(r"\b[0-9a-f]{7}…", "RUN-ID…", re.sub(r"20\d\d-\d\d", "YYYY-MM", said))
    assert lasting == snapshot(extension_class=Human)
