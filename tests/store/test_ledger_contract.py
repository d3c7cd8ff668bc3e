"""The ledger: what is written is there once, whole or not at all, and people's text can go."""

from __future__ import annotations

import struct
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
    NewerLedgerError,
    NoLedgerError,
    ReportError,
    UnknownNameError,
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


def test_an_output_that_was_not_written_saves_nothing(ledger: Ledger) -> None:
    ledger.record(RUN, [account(), replace(account("b.jsonl", 9), fits=False, written=False)])
    (by_layer,) = ledger.report("savings_by_layer").rows
    (by_tool,) = ledger.report("savings_by_tool").rows
    saved = {row[0]: row[6] for row in ledger.report("savings_by_transcript").rows}
    (run,) = ledger.report("runs").rows
    assert (by_layer[5], by_tool[4], saved, run[8]) == (15, 15, {"a.jsonl": 15, "b.jsonl": 0}, 15)


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


def test_forgetting_takes_the_named_transcript_and_no_other(ledger: Ledger) -> None:
    names = ("runs/a.jsonl", "runs/data.jsonl", "other/a.jsonl", "b-c.jsonl", "-")
    ledger.record(RUN, [replace(account(name), conversation=name) for name in names])
    assert ledger.prune(transcript="-") == 1
    assert ledger.prune(transcript="runs/a.jsonl") == 1
    assert ledger.prune(transcript="a.jsonl") == 1
    assert ledger.prune(transcript="runs") == 1
    assert rows(ledger, "transcripts") == 1


def test_pruning_by_age_spares_what_has_none_and_runs_of_other_kinds(ledger: Ledger) -> None:
    ledger.record(replace(RUN, command="ageless", started_at=""), [account()])
    ledger.record(replace(RUN, command="nothing found", started_at="2020-01-01"), [])
    ledger.record(replace(RUN, command="old", started_at="2020-01-01"), [account()])
    assert ledger.prune(older_than="2024-01-01") == 1
    assert rows(ledger, "runs") == 2


def test_two_conversations_that_claim_one_id_are_two_transcripts(ledger: Ledger) -> None:
    ledger.record(RUN, [account(), account()])
    report = ledger.report("savings_by_transcript")
    assert [row[report.columns.index("saved")] for row in report.rows] == [15, 15]
    assert [row[report.columns.index("history_shrink")] for row in report.rows] == [15, 15]


def test_a_text_in_two_transcripts_is_given_once_from_where_it_can_be_read(
    ledger: Ledger, tmp_path: Path
) -> None:
    (tmp_path / "there.jsonl").write_text("{}")
    ledger.record(RUN, [account("there.jsonl"), account("gone.jsonl")])
    ledger.record(replace(RUN, command="later"), [account("gone too.jsonl")])
    assert [part.source for part in ledger.expand("bd:0a0b0c0d")] == ["there.jsonl"]


def test_a_wrong_parameter_is_said(ledger: Ledger) -> None:
    ledger.record(RUN, [account()])
    with pytest.raises(UnknownNameError) as told:
        ledger.report("edits", {"transcrpt": "a"})
    assert "transcript" in told.value.hint
    with pytest.raises(ReportError):
        ledger.report("largest_results", {"limit": "many"})
    assert len(ledger.report("largest_results", {"limit": "1"}).rows) == 1


def test_the_file_is_not_held_while_rows_are_made(ledger: Ledger) -> None:
    ledger.record(RUN, [account()])

    def slow() -> Iterator[Account]:
        with duckdb.connect(str(ledger.path)) as other:  # fails where the ledger is open already
            assert other.execute("SELECT count(*) FROM runs").fetchall() == [(1,)]
        yield account("b.jsonl")

    ledger.record(replace(RUN, command="slow"), slow())
    assert rows(ledger, "runs") == 2


def test_more_rows_than_a_chunk_holds_and_odd_text_go_in_whole(ledger: Ledger) -> None:
    odd = "a half \ud83d, a zero \0, a quote ' and 汉字 " * 30_000
    many = [replace(account("-"), conversation=f"c{i}", originals=(
        replace(account().originals[0], text=odd),)) for i in range(5)]  # fmt: skip
    ledger.record(RUN, many)
    assert (rows(ledger, "transcripts"), rows(ledger, "originals")) == (5, 5)
    (kept,) = ledger.expand("bd:0a0b0c0d")
    assert kept.text is not None
    assert len(kept.text) == len(odd)


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


PRUNER = """
import sys
from pathlib import Path
from baodai.store import Ledger
for _ in range(8):
    Ledger(Path({path!r}), wait_seconds=60).prune(transcript="no such one")
"""


def test_no_row_is_lost_while_another_process_rewrites_the_file(ledger: Ledger) -> None:
    ledger.record(RUN, [account()])
    code = WRITER.format(tests=str(Path(__file__).parent), path=str(ledger.path))
    pruner = subprocess.Popen([sys.executable, "-c", PRUNER.format(path=str(ledger.path))])
    writers = [subprocess.Popen([sys.executable, "-c", code, str(i)]) for i in range(4)]
    assert [p.wait(timeout=90) for p in (pruner, *writers)] == [0] * 5
    assert rows(ledger, "runs") == 5
    assert [path.name for path in ledger.path.parent.iterdir()] == [ledger.path.name]


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_ledger_contract import RUN
from baodai.store.file import LedgerFile
with LedgerFile(Path({path!r}), 5).writing() as db:
    db.execute("DELETE FROM runs")
    db.execute("DELETE FROM edits")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_writer_that_is_killed_leaves_everything_as_it_was(ledger: Ledger) -> None:
    ledger.record(RUN, [account()])
    code = KILLED.format(tests=str(Path(__file__).parent), path=str(ledger.path))
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert (rows(ledger, "runs"), rows(ledger, "edits")) == (1, 3)


def newer_duckdb(path: Path) -> None:
    """Give a file the header of a DuckDB to come, with a checksum that is right."""
    raw = bytearray(path.read_bytes())
    raw[12:20] = struct.pack("<Q", 9_999)
    words = struct.unpack("<511Q", raw[8:4096])
    checksum = 5381
    for word in words:
        checksum ^= (word * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    raw[0:8] = struct.pack("<Q", checksum)
    path.write_bytes(raw)


def test_a_ledger_of_a_newer_duckdb_or_a_newer_baodai_is_said(tmp_path: Path) -> None:
    for name in ("duckdb", "baodai"):
        Ledger(tmp_path / name).record(RUN, [account()])
    newer_duckdb(tmp_path / "duckdb")
    with duckdb.connect(str(tmp_path / "baodai")) as db:
        db.execute("UPDATE schema_version SET version = 99")
    for name in ("duckdb", "baodai"):
        with pytest.raises(NewerLedgerError):
            Ledger(tmp_path / name).report("runs")
        with pytest.raises(NewerLedgerError):
            Ledger(tmp_path / name).record(RUN, [account()])


def test_a_damaged_ledger_is_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a block.duckdb"
    Ledger(path).record(RUN, [account(edits=5_000)])
    raw = path.read_bytes()
    for damaged in (raw[: len(raw) // 2], raw[:5_000] + b"x" * 50_000 + raw[55_000:], b""):
        path.write_bytes(damaged)
        start = time.monotonic()
        with pytest.raises(BrokenLedgerError):
            Ledger(path).report("edits")
        with pytest.raises(BrokenLedgerError):
            Ledger(path).record(RUN, [account()])
        assert time.monotonic() - start < 5


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "theirs")) as db:
        db.execute("CREATE TABLE runs (mine INTEGER)")
    with pytest.raises(BrokenLedgerError):
        Ledger(tmp_path / "theirs").record(RUN, [account()])
    with pytest.raises(BrokenLedgerError):
        Ledger(tmp_path / "theirs").report("runs")


def test_what_is_no_ledger_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.duckdb").write_bytes(b"no database" * 500)
    with pytest.raises(BrokenLedgerError):
        Ledger(tmp_path / "bad.duckdb").record(RUN, [])
    with pytest.raises(NoLedgerError):
        Ledger(tmp_path / "none.duckdb").report("runs")
    with pytest.raises(UnwritableLedgerError):
        Ledger(tmp_path / "no" / "folder.duckdb").record(RUN, [])
