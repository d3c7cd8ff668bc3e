"""The file of a ledger: opened for a moment, created whole, its troubles named.

DuckDB lets one process write to a file, or several read it, never both. Whoever finds it taken
waits, a bounded time, and then says who holds it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from baodai.errors import (
    BaodaiError,
    BrokenLedgerError,
    LedgerBusyError,
    NewerLedgerError,
    NoLedgerError,
    UnwritableLedgerError,
)
from baodai.store.reports import SCHEMA, sql_of

if TYPE_CHECKING:
    import duckdb

VERSION = 1
"""Version of the schema; a file with a higher one is a newer baodai's."""

_PAUSE = 0.1
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    # Nothing is downloaded at run time, whatever a report asks for.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # The smallest block there is: a ledger of one run is a hundred KB, not megabytes.
    "default_block_size": "16384",
}
_HELD = re.compile(
    r"could not set lock on file|conflicting lock|being used by another process", re.IGNORECASE
)
_HOLDER = re.compile(r"held in (?P<who>[^\n(]+?\(PID \d+\))")
_NEWER = re.compile(r"version number|newer version|storage version", re.IGNORECASE)
_BROKEN = re.compile(
    r"not a valid duckdb|corrupt|checksum|could not read enough|serializ|out of range",
    re.IGNORECASE,
)


class LedgerFile:
    """The file at a path. `wait_seconds` bounds the wait for other processes."""

    def __init__(self, path: Path, wait_seconds: float) -> None:
        self.path = path
        self._tries = max(1, int(wait_seconds / _PAUSE))

    @contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A transaction on the file, which is made where it is missing: all of it or nothing.

        Raises:
            LedgerBusyError: another process holds the file longer than the wait.
            BrokenLedgerError, NewerLedgerError: the file is not one of ours.
            UnwritableLedgerError: the place cannot be written.
        """
        if not self.path.exists():
            self._create()
        with self._open(read_only=False) as db:
            db.begin()
            yield db
            db.commit()

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The file, read-only: readers do not keep each other out.

        Raises:
            NoLedgerError: there is none.
            LedgerBusyError, BrokenLedgerError, NewerLedgerError: as for writing.
        """
        if not self.path.exists():
            raise NoLedgerError(str(self.path))
        with self._open(read_only=True) as db:
            yield db

    def rewrite(self, db: duckdb.DuckDBPyConnection) -> None:
        """Put a copy of what is left in the place of the file, so that no page keeps a text.

        DuckDB marks deleted rows as free, their bytes stay. Call it inside `writing`, after the
        deletes: they are committed first, and the lock is held until the copy is in place.
        """
        db.commit()
        db.execute("CHECKPOINT")
        name = str(db.execute("SELECT current_database()").fetchall()[0][0]).replace('"', '""')
        with TemporaryDirectory(dir=self.path.parent, prefix=".baodai-") as folder:
            copy = Path(folder) / "copy.duckdb"
            db.execute(f"ATTACH '{_quoted(copy)}' AS rewritten")
            db.execute(f'COPY FROM DATABASE "{name}" TO rewritten')
            db.execute("DETACH rewritten")
            # From here on the path may be another process's: closing must not touch its log.
            db.execute("PRAGMA disable_checkpoint_on_shutdown")
            copy.replace(self.path)
        db.begin()

    def _create(self) -> None:
        """Make the file in a folder beside, then link it to its name.

        Others never meet half a file: not while two processes create it at once, and not after one
        was killed at it.
        """
        import duckdb  # noqa: PLC0415 - half a second to import, only where a ledger is used

        try:
            with TemporaryDirectory(dir=self.path.parent, prefix=".baodai-") as folder:
                fresh = Path(folder) / "fresh.duckdb"
                with duckdb.connect(str(fresh), config=_CONFIG) as db:
                    db.execute(sql_of(SCHEMA))
                    db.execute("INSERT INTO schema_version VALUES (?)", [VERSION])
                with suppress(FileExistsError):
                    self.path.hardlink_to(fresh)
        except OSError as error:
            raise UnwritableLedgerError(str(self.path), error.strerror or str(error)) from error
        except duckdb.Error as error:
            raise _named(self.path, error) from error

    @contextmanager
    def _open(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        import duckdb  # noqa: PLC0415 - half a second to import, only where a ledger is used

        db = self._connect(read_only=read_only)
        try:
            _check(db, self.path)
            yield db
        except duckdb.Error as error:
            raise _named(self.path, error) from error
        finally:
            db.close()

    def _connect(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        import duckdb  # noqa: PLC0415 - half a second to import, only where a ledger is used

        message = ""
        for attempt in range(self._tries):
            before = self._inode()
            try:
                db = duckdb.connect(str(self.path), read_only=read_only, config=_CONFIG)
            except duckdb.Error as error:
                message = str(error)
                if not _HELD.search(message):
                    raise _named(self.path, error) from error
                if attempt + 1 < self._tries:
                    time.sleep(_PAUSE)
                continue
            if before == self._inode():
                return db
            # `rewrite` put another file there between opening and locking: this one is gone.
            db.close()
        holder = _HOLDER.search(message)
        raise LedgerBusyError(str(self.path), holder.group("who").strip() if holder else "")

    def _inode(self) -> int:
        try:
            return self.path.stat().st_ino
        except OSError:
            return 0


def _check(db: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse the database of another program, and a newer layout."""
    known = db.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'schema_version'"
    ).fetchall()
    if not known[0][0]:
        raise BrokenLedgerError(str(path), "it is a database of another program")
    version = db.execute("SELECT max(version) FROM schema_version").fetchall()[0][0]
    if int(version or 0) > VERSION:
        raise NewerLedgerError(str(path))


def _named(path: Path, error: Exception) -> BaodaiError:
    """What DuckDB complains about, as an error that says what to do."""
    message = str(error)
    if _NEWER.search(message):
        return NewerLedgerError(str(path))
    if _BROKEN.search(message):
        return BrokenLedgerError(str(path))
    return UnwritableLedgerError(str(path), message.partition("\n")[0])


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
