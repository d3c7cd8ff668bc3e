"""The ledger: what is written is there once, whole or not at all, and people's text can go."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from baodai.accounting import (
    Account,
    AppliedEdit,
    Budget,
    Change,
    DecisionFate,
    LayerReport,
    Note,
    Original,
)
from baodai.errors import (
    BrokenLedgerError,
    LedgerBusyError,
    NoLedgerError,
    UnwritableLedgerError,
)
from baodai.store import Ledger, Run, report_names
from baodai.store.reports import sql_of

RUN = Run("compact", "0.1", {"window.size": 32_000}, {"a.jsonl": "d1"}, "2026-01-05T08:00:00", 0)
SECRET = "ghp_" + "a1B2" * 9


def account(source: str = "a.jsonl", edits: int = 3) -> Account:
    made = tuple(
        AppliedEdit(
            "history_shrink", Change.REWRITE, f"m{i}", i, 1, "Bash", "make", "old", "why", 9, 4
        )
        for i in range(edits)
    )
    report = LayerReport("history_shrink", 2, "done", 10 * edits, 5 * edits, made)
    decision = DecisionFate(
        "d1", "choice", "live", 2, 1, "sqlite", "用 SQLite", 1, 2, "zh", "", "summary"
    )
    original = Original("bd:0a0b0c0d", 0, "m1", 2, "/content", "Bash", f"token {SECRET}")
    return Account(
        "c1", source, "openai-chat", "", "o200k_base", True,  # noqa: FBT003
        Budget(32_000, 8_000, 0, 0, 24_000, 19_200, 14_400),
        10 * edits, 5 * edits, 100, 50, 9, 5, 2, (report,), (decision,), (original,), (),
        (Note("note", "narrowed", "said"),), True,  # noqa: FBT003
    )  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "l.duckdb", wait_seconds=20)


def rows(ledger: Ledger, table: str) -> int:
    return {str(name): int(str(count)) for name, count in ledger.info().rows}[table]


def test_a_rerun_replaces_its_own_rows(ledger: Ledger) -> None:
    for _ in range(2):
        ledger.record(RUN, [account(), account("b.jsonl")])
    assert (rows(ledger, "runs"), rows(ledger, "transcripts"), rows(ledger, "edits")) == (1, 2, 6)
    ledger.record(replace(RUN, settings={"window.size": 8_000}), [account()])
    assert rows(ledger, "runs") == 2


def test_a_run_that_breaks_leaves_no_rows(ledger: Ledger) -> None:
    ledger.record(RUN, [account()])

    def broken() -> Iterator[Account]:
        yield account("b.jsonl")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        ledger.record(replace(RUN, command="other"), broken())
    assert rows(ledger, "runs") == 1
    assert rows(ledger, "transcripts") == 1


@pytest.mark.parametrize("name", report_names())
def test_every_report_runs_as_it_is_on_an_empty_and_a_filled_ledger(
    ledger: Ledger, name: str
) -> None:
    ledger.record(RUN, [])
    assert ledger.report(name).columns
    ledger.record(RUN, [account()])
    with duckdb.connect(str(ledger.path), read_only=True) as db:
        assert db.execute(sql_of(name)).description
    assert sql_of(name).startswith("-- ")


def test_the_layers_add_up_to_what_was_saved(ledger: Ledger) -> None:
    ledger.record(RUN, [account(edits=7)])
    (saved,) = [row[5] for row in ledger.report("savings_by_layer").rows]
    assert saved == 35


def test_a_file_is_pointed_to_and_a_stream_is_kept_without_its_secrets(ledger: Ledger) -> None:
    ledger.record(RUN, [account()])
    (pointed,) = ledger.expand("bd:0a0b0c0d")
    assert (pointed.text, pointed.line, pointed.pointer) == (None, 2, "/content")
    ledger.record(replace(RUN, command="stream"), [account("-")])
    (kept,) = ledger.expand("bd:0a0b0c0d")
    assert kept.text is not None
    assert SECRET not in kept.text
    assert kept.hidden == 1


def test_what_is_forgotten_is_in_no_byte_of_the_file(ledger: Ledger) -> None:
    secret_word = "柠檬鲸鱼" * 40
    other = replace(account("-"), originals=(replace(account().originals[0], text=secret_word),))
    ledger.record(RUN, [other, account("keep.jsonl")])
    assert secret_word[:12].encode() in ledger.path.read_bytes()
    assert ledger.prune(transcript="-") >= 1
    assert secret_word[:12].encode() not in ledger.path.read_bytes()


def test_twenty_thousand_rows_take_seconds(ledger: Ledger) -> None:
    start = time.monotonic()
    ledger.record(RUN, [account(edits=20_000)])
    assert time.monotonic() - start < 5
    assert rows(ledger, "edits") == 20_000


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_ledger_contract import RUN, account
from dataclasses import replace
from baodai.store import Ledger
Ledger(Path({path!r}), wait_seconds=60).record(replace(RUN, command="w" + sys.argv[1]), [account()])
"""


def test_eight_writers_at_once_each_leave_their_rows_once(ledger: Ledger) -> None:
    code = WRITER.format(tests=str(Path(__file__).parent), path=str(ledger.path))
    writers = [subprocess.Popen([sys.executable, "-c", code, str(i)]) for i in range(8)]
    assert [writer.wait(timeout=90) for writer in writers] == [0] * 8
    assert rows(ledger, "runs") == 8
    assert rows(ledger, "transcripts") == 8


HOLDER = """
import duckdb, sys
db = duckdb.connect({path!r})
print("held", flush=True)
sys.stdin.readline()
"""


def test_a_ledger_that_is_held_is_said_after_a_bounded_wait(tmp_path: Path) -> None:
    path = tmp_path / "held.duckdb"
    Ledger(path).record(RUN, [account()])
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER.format(path=str(path))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(LedgerBusyError) as told:
        Ledger(path, wait_seconds=0.3).record(RUN, [account()])
    assert str(holder.pid) in told.value.what
    holder.stdin.write("\n")
    holder.stdin.close()
    holder.wait(timeout=30)
    holder.stdout.close()


def test_what_is_no_ledger_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.duckdb").write_bytes(b"no database" * 500)
    with pytest.raises(BrokenLedgerError):
        Ledger(tmp_path / "bad.duckdb").record(RUN, [])
    with pytest.raises(NoLedgerError):
        Ledger(tmp_path / "none.duckdb").report("runs")
    with pytest.raises(UnwritableLedgerError):
        Ledger(tmp_path / "no" / "folder.duckdb").record(RUN, [])
