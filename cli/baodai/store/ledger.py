"""The ledger as the commands see it: record a run, report, give back, forget."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING

from baodai.accounting import Account
from baodai.errors import ReportError, UnknownNameError
from baodai.store.file import LedgerFile
from baodai.store.reports import parameters_of, report_title, sql_of
from baodai.store.rows import Run, StoredOriginal, run_row
from baodai.store.waiting import chunks, park

if TYPE_CHECKING:
    import duckdb

_TABLES = (
    "transcripts",
    "layer_savings",
    "edits",
    "decisions",
    "notes",
    "originals",
    "model_calls",
    "recoveries",
    "costs",
    "compactions",
    "layer_costs",
    "result_costs",
    "sweeps",
)
"""Tables whose rows a rerun replaces; `checks` is appended to."""

_IN_MEMORY = 8 << 20
"""Bytes of waiting rows beyond which they go to disk."""

_EXPAND = """
SELECT r.seq, o.transcript_id, o.ref, o.position, o.source, o.line, o.pointer, o.message_id,
  o.tool, o.hash, o.text, o.hidden
FROM originals AS o
JOIN runs AS r USING (run_id)
WHERE o.ref = ?
-- The same text twice in one transcript is stored twice.
QUALIFY row_number() OVER (
  PARTITION BY r.seq, o.transcript_id, o.position ORDER BY o.line, o.message_id
) = 1
ORDER BY r.seq DESC, o.transcript_id, o.position
"""

_CONDEMN = """
CREATE TEMP TABLE condemned AS
SELECT t.run_id, t.transcript_id
FROM transcripts AS t
JOIN runs AS r USING (run_id)
WHERE ($older = '' OR (r.started_at <> '' AND r.started_at < $older))
  AND ($name IN ('', t.transcript_id, t.source, t.conversation)
    OR ends_with(t.source, '/' || $name)
    OR starts_with(t.source, rtrim($name, '/') || '/'))
"""


@dataclass(frozen=True, slots=True)
class Table:
    """The answer to a report."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


class Ledger:
    """A ledger file. Nothing is opened before something is asked of it.

    What can go wrong with the file is said in `LedgerFile.writing` and `LedgerFile.reading`.
    """

    def __init__(self, path: Path, wait_seconds: float = 30.0) -> None:
        self.path = path
        self._file = LedgerFile(path, wait_seconds)

    def record(self, run: Run, accounts: Iterable[Account]) -> None:
        """Write a run in one transaction; its own rows of an earlier time go.

        The rows are made before the file is opened, so that others wait only for the write.
        """
        with SpooledTemporaryFile(_IN_MEMORY) as spool:
            park(run, accounts, spool)
            with self._file.writing() as db:
                for table in ("runs", *_TABLES):
                    db.execute(f"DELETE FROM {table} WHERE run_id = ?", [run.id])  # noqa: S608
                seq = _one(db, "SELECT coalesce(max(seq), 0) + 1 FROM runs")
                _insert(db, "runs", [run_row(run, seq)])
                for table, rows in chunks(spool):
                    _insert(db, table, rows)

    def record_rows(self, run: Run, table: str, rows: Sequence[Sequence[object]]) -> None:
        """Write a run that has rows of one table alone; its own rows of an earlier time go."""
        with self._file.writing() as db:
            for name in ("runs", *_TABLES):
                db.execute(f"DELETE FROM {name} WHERE run_id = ?", [run.id])  # noqa: S608
            seq = _one(db, "SELECT coalesce(max(seq), 0) + 1 FROM runs")
            _insert(db, "runs", [run_row(run, seq)])
            if rows:
                _insert(db, table, rows)

    def recovery(self, handle: str) -> tuple[str, str, str, str] | None:
        """Source, conversation, message and state of the newest recovery with a handle."""
        with self._file.reading() as db:
            row = db.execute(
                "SELECT source, conversation, message_id, state FROM recoveries"
                " JOIN runs USING (run_id) WHERE handle = ? ORDER BY seq DESC LIMIT 1",
                [handle],
            ).fetchone()
        return None if row is None else (str(row[0]), str(row[1]), str(row[2]), str(row[3]))

    def expand(self, ref: str) -> list[StoredOriginal]:
        """The originals behind a reference, in order; none where nothing knows it.

        Of several transcripts with the same text, one that can still be read is taken, the newest
        first. A reference is short: where two different texts share it, both are given.
        """
        with self._file.reading() as db:
            rows = db.execute(_EXPAND, [ref]).fetchall()
        places = [
            [StoredOriginal(*row[2:]) for row in parts]
            for _, parts in groupby(rows, key=lambda row: (row[0], row[1]))
        ]
        places.sort(key=lambda parts: not self._readable(parts[0]))
        texts: dict[tuple[str, ...], list[StoredOriginal]] = {}
        for parts in places:
            texts.setdefault(tuple(part.hash for part in parts), parts)
        return [part for parts in texts.values() for part in parts]

    def report(self, name: str, parameters: Mapping[str, str] | None = None) -> Table:
        """A report by its name, with parameters as DuckDB variables.

        Raises:
            UnknownNameError: there is no such report, or it has no such parameter.
            ReportError: DuckDB refuses it, most often for the type of a parameter.
        """
        import duckdb  # noqa: PLC0415 - half a second to import, only where a ledger is used

        sql = sql_of(name)
        known = parameters_of(sql)
        for key in parameters or {}:
            if key not in known:
                close = difflib.get_close_matches(key, known) or known
                raise UnknownNameError(f"parameter of report {name}:", key, close)
        with self._file.reading() as db:
            try:
                for key, value in (parameters or {}).items():
                    db.execute(f'SET VARIABLE "{key}" = ?', [value])
                answer = db.execute(sql)
                columns = tuple(str(column[0]) for column in answer.description or ())
                return Table(report_title(name), columns, tuple(answer.fetchall()))
            except duckdb.DataError as error:
                raise ReportError(name, str(error).partition("\n")[0]) from error

    def info(self) -> Table:
        """How many rows each table holds, and how large the file is."""
        with self._file.reading() as db:
            names = ("runs", *_TABLES, "checks")
            rows = [(name, _one(db, f"SELECT count(*) FROM {name}")) for name in names]  # noqa: S608
        size = self.path.stat().st_size
        return Table(f"{self.path}: {size:,} bytes", ("table", "rows"), tuple(rows))

    def prune(self, *, older_than: str = "", transcript: str = "") -> int:
        """Forget runs that started before an ISO time, or rows of transcripts so named.

        A name is a path as it was given, its last parts, a folder of it, or the id of a transcript
        or conversation; never a part of a word. Nothing given forgets all; a run whose start is not
        known is not old. Returns the number of transcripts forgotten.
        """
        with self._file.writing() as db:
            db.execute(_CONDEMN, {"older": older_than, "name": transcript})
            gone = _one(db, "SELECT count(*) FROM condemned")
            for table in (*_TABLES, "checks"):
                db.execute(
                    f"DELETE FROM {table} WHERE (run_id, transcript_id) IN "  # noqa: S608
                    "(SELECT (run_id, transcript_id) FROM condemned)"
                )
            db.execute(
                "DELETE FROM runs WHERE run_id IN (SELECT run_id FROM condemned)"
                " AND run_id NOT IN (SELECT run_id FROM transcripts)"
            )
            db.execute("DROP TABLE condemned")
            self._file.rewrite(db)
        return gone

    def _readable(self, part: StoredOriginal) -> bool:
        """Whether the text is here, or its file is where it was named or beside the ledger."""
        if part.text is not None:
            return True
        return Path(part.source).exists() or (self.path.parent / part.source).exists()


def _insert(db: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[object]]) -> None:
    """All rows in one statement, column by column: thousands of rows in milliseconds."""
    types = db.execute(
        "SELECT data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index", [table]
    ).fetchall()
    columns = ", ".join(f"unnest(?::{data_type}[])" for (data_type,) in types)
    values = [list(column) for column in zip(*rows, strict=True)]
    db.execute(f"INSERT INTO {table} SELECT {columns}", values)


def _one(db: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = db.execute(sql).fetchone()
    return int(row[0]) if row else 0
