"""The DuckDB file: opened for the time of a write or a report, never longer.

DuckDB locks a file for one writer; a run that meets the lock waits, a bounded time, and then says
who holds it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from baodai.accounting import Account
from baodai.errors import (
    BrokenLedgerError,
    LedgerBusyError,
    NewerLedgerError,
    NoLedgerError,
    UnwritableLedgerError,
)
from baodai.store.reports import SCHEMA, report_title, sql_of
from baodai.store.rows import Row, Run, StoredOriginal, rows_of, run_row

if TYPE_CHECKING:
    import duckdb

VERSION = 1
"""Version of the schema; a file with a higher one is a newer baodai's."""

_TABLES = (
    "transcripts",
    "layer_savings",
    "edits",
    "decisions",
    "notes",
    "originals",
    "recoveries",
    "costs",
)
"""Tables whose rows a rerun replaces; `checks` is appended to."""

_PAUSE = 0.1
_FLUSH = 20_000
_HOLDER = re.compile(r"held in (?P<who>[^\n(]+?(?:\(PID \d+\)))")


@dataclass(frozen=True, slots=True)
class Table:
    """The answer to a report."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


class Ledger:
    """A ledger file. Nothing is opened before something is asked of it."""

    def __init__(self, path: Path, wait_seconds: float = 30.0) -> None:
        self.path = path
        self._tries = max(1, int(wait_seconds / _PAUSE))

    def record(self, run: Run, accounts: Iterable[Account]) -> None:
        """Write a run in one transaction; its own rows of an earlier time go.

        Raises:
            LedgerBusyError: another process holds the file longer than the wait.
            BrokenLedgerError, NewerLedgerError: the file is not one of ours.
            UnwritableLedgerError: the place cannot be written.
        """
        with self._open(read_only=False) as db:
            db.execute("BEGIN")
            _ensure_schema(db, self.path)
            _forget_run(db, run.id)
            seq = _one(db, "SELECT coalesce(max(seq), 0) + 1 FROM runs")
            _insert(db, "runs", [run_row(run, seq)])
            pending: dict[str, list[Row]] = {}
            for position, account in enumerate(accounts):
                for table, row in rows_of(run, account, position):
                    pending.setdefault(table, []).append(row)
                    if len(pending[table]) >= _FLUSH:
                        _insert(db, table, pending.pop(table))
            for table, rows in pending.items():
                _insert(db, table, rows)
            db.execute("COMMIT")

    def expand(self, ref: str) -> list[StoredOriginal]:
        """The originals behind a reference, of the newest run that knows it, in order."""
        sql = (
            "SELECT ref, o.position, o.source, line, pointer, message_id, tool, hash, text, hidden"
            " FROM originals o JOIN runs r USING (run_id) WHERE ref = ?"
            " QUALIFY r.seq = max(r.seq) OVER () ORDER BY o.position"
        )
        with self._open(read_only=True) as db:
            return [StoredOriginal(*row) for row in db.execute(sql, [ref]).fetchall()]

    def report(self, name: str, parameters: Mapping[str, str] | None = None) -> Table:
        """A report by its name, with parameters as DuckDB variables."""
        sql = sql_of(name)
        with self._open(read_only=True) as db:
            for key, value in (parameters or {}).items():
                if not key.isidentifier():
                    continue
                db.execute(f'SET VARIABLE "{key}" = ?', [value])
            answer = db.execute(sql)
            columns = tuple(str(column[0]) for column in answer.description or ())
            return Table(report_title(name), columns, tuple(answer.fetchall()))

    def info(self) -> Table:
        """How many rows each table holds, and how large the file is."""
        with self._open(read_only=True) as db:
            names = ("runs", *_TABLES, "checks")
            rows = [(name, _one(db, f"SELECT count(*) FROM {name}")) for name in names]  # noqa: S608
        size = self.path.stat().st_size
        return Table(f"{self.path}: {size:,} bytes", ("table", "rows"), tuple(rows))

    def prune(self, *, older_than: str = "", transcript: str = "") -> int:
        """Forget runs that started before an ISO time, or rows of transcripts so named.

        Returns the number of transcripts forgotten.
        """
        with self._open(read_only=False) as db:
            db.execute("BEGIN")
            gone = db.execute(
                "SELECT t.run_id, t.transcript_id FROM transcripts t JOIN runs r USING (run_id)"
                " WHERE (? = '' OR r.started_at < ?) AND contains(concat_ws(' ', t.source,"
                " t.conversation, t.transcript_id), ?)",
                [older_than, older_than, transcript],
            ).fetchall()
            for run_id, transcript_id in gone:
                for table in (*_TABLES, "checks"):
                    db.execute(
                        f"DELETE FROM {table} WHERE run_id = ? AND transcript_id = ?",  # noqa: S608
                        [run_id, transcript_id],
                    )
            db.execute("DELETE FROM runs WHERE run_id NOT IN (SELECT run_id FROM transcripts)")
            db.execute("COMMIT")
            db.execute("CHECKPOINT")
        self._rewrite()
        return len(gone)

    def _rewrite(self) -> None:
        """Copy what is left into a new file, so that no page of the old one keeps a text."""
        import duckdb  # noqa: PLC0415 - half a second to import

        fresh = self.path.with_name(self.path.name + ".new")
        fresh.unlink(missing_ok=True)
        with duckdb.connect() as db:
            db.execute(f"ATTACH '{_quoted(self.path)}' AS old (READ_ONLY)")
            db.execute(f"ATTACH '{_quoted(fresh)}' AS new")
            db.execute("COPY FROM DATABASE old TO new")
        fresh.replace(self.path)

    @contextmanager
    def _open(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        db = self._connect(read_only=read_only)
        try:
            yield db
        finally:
            db.close()

    def _connect(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        import duckdb  # noqa: PLC0415 - half a second to import, only where a ledger is used

        if read_only and not self.path.exists():
            raise NoLedgerError(str(self.path))
        message = ""
        for attempt in range(self._tries):
            try:
                return duckdb.connect(str(self.path), read_only=read_only)
            except duckdb.Error as error:
                message = str(error)
                if "lock" not in message.lower():
                    raise _refused(self.path, message) from error
            if attempt + 1 < self._tries:
                time.sleep(_PAUSE)
        holder = _HOLDER.search(message)
        raise LedgerBusyError(str(self.path), holder.group("who").strip() if holder else "")


def _refused(path: Path, message: str) -> Exception:
    low = message.lower()
    if "version number" in low or "newer" in low or "storage version" in low:
        return NewerLedgerError(str(path))
    if "not a valid duckdb" in low or "checksum" in low or "corrupt" in low:
        return BrokenLedgerError(str(path))
    return UnwritableLedgerError(str(path), message.partition("\n")[0])


def _ensure_schema(db: duckdb.DuckDBPyConnection, path: Path) -> None:
    known = _one(db, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'schema_version'")
    if not known:
        db.execute(sql_of(SCHEMA))
        db.execute("INSERT INTO schema_version VALUES (?)", [VERSION])
    elif _one(db, "SELECT max(version) FROM schema_version") > VERSION:
        raise NewerLedgerError(str(path))


def _forget_run(db: duckdb.DuckDBPyConnection, run_id: str) -> None:
    for table in ("runs", *_TABLES):
        db.execute(f"DELETE FROM {table} WHERE run_id = ?", [run_id])  # noqa: S608


def _insert(db: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Row]) -> None:
    """All rows in one statement, column by column: thousands of rows in milliseconds."""
    if not rows:
        return
    types = db.execute(
        "SELECT data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index", [table]
    ).fetchall()
    columns = ", ".join(f"unnest(?::{data_type}[])" for (data_type,) in types)
    values = [list(column) for column in zip(*rows, strict=True)]
    db.execute(f"INSERT INTO {table} SELECT {columns}", values)


def _one(db: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = db.execute(sql).fetchone()
    return int(row[0]) if row else 0


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
