"""The memory store: one SQLite file with full-text search, safe with several processes.

Chinese has no blanks between words, so Han text (and kana) is indexed by its characters and pairs;
a word of one or two characters is found.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

from baodai.edits import Fact
from baodai.errors import MemoryStoreError
from baodai.memory import Memory
from baodai.redaction import redact

VERSION = 1
_BUSY_SECONDS = 15.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS memories (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, text TEXT NOT NULL, quote TEXT NOT NULL,
  source TEXT NOT NULL, line INTEGER NOT NULL, language TEXT NOT NULL, scope TEXT NOT NULL,
  first_seen TEXT NOT NULL, last_seen TEXT NOT NULL, times_seen INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'live', superseded_by TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS sightings (
  memory TEXT NOT NULL, source TEXT NOT NULL, line INTEGER NOT NULL,
  PRIMARY KEY (memory, source, line)
);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(id UNINDEXED, terms);
"""
_COLUMNS = (
    "id, kind, text, quote, source, line, language, scope, first_seen, last_seen, times_seen,"
    " status, superseded_by"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+")


class SqliteMemory:
    """A memory file. Raises `MemoryStoreError` where it cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def put(self, facts: Sequence[Fact], *, source: str, scope: str) -> int:
        """Store facts; the same fact again is one row, seen once for each place it stands in."""
        fresh = 0
        with self._writing() as db:
            for fact in facts:
                fresh += _put(db, _clean(fact), source, scope)
        return fresh

    def search(self, query: str, limit: int, *, scope: str) -> Sequence[Memory]:
        """The live memories of the scope, and of no scope, that bear on the query, best first."""
        terms = sorted(set(_terms(query)))
        if not terms:
            return ()
        match = " OR ".join(f'"{term}"' for term in terms)
        sql = (
            f"SELECT {', '.join('m.' + c.strip() for c in _COLUMNS.split(','))}"  # noqa: S608
            " FROM words JOIN memories m USING (id)"
            " WHERE words MATCH ? AND m.status = 'live' AND m.scope IN (?, '')"
            " ORDER BY bm25(words), m.times_seen DESC, m.id LIMIT ?"
        )
        return self._read(sql, (match, scope, limit))

    def all(self, *, status: str = "") -> Sequence[Memory]:
        """All memories, or those of a status, the oldest first."""
        sql = f"SELECT {_COLUMNS} FROM memories WHERE ? IN ('', status) ORDER BY first_seen, id"  # noqa: S608
        return self._read(sql, (status,))

    def retire(self, memory_id: str, *, superseded_by: str = "") -> bool:
        """Take a memory out of the live ones, withdrawn or superseded; whether it was live.

        Said again later, it is live again.
        """
        status = "superseded" if superseded_by else "withdrawn"
        with self._writing() as db:
            changed = db.execute(
                "UPDATE memories SET status = ?, superseded_by = ?"
                " WHERE id = ? AND status = 'live'",
                (status, superseded_by, memory_id),
            ).rowcount
        return changed > 0

    def forget(self, memory_id: str) -> bool:
        """Delete a memory for good, bytes and all; whether it was there."""
        with self._writing() as db:
            gone = db.execute("DELETE FROM memories WHERE id = ?", (memory_id,)).rowcount
            db.execute("DELETE FROM words WHERE id = ?", (memory_id,))
            db.execute("DELETE FROM sightings WHERE memory = ?", (memory_id,))
            # The index only marks what is deleted; merging its parts takes the words out.
            db.execute("INSERT INTO words (words) VALUES ('optimize')")
            db.execute("COMMIT")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            db.execute("BEGIN")
        return gone > 0

    def _read(self, sql: str, parameters: tuple[object, ...]) -> Sequence[Memory]:
        """What a query finds; nothing where there is no store yet."""
        if not self._path.exists():
            return ()
        with self._open() as db:
            if self._version(db) == 0:
                return ()
            return [Memory(*row) for row in db.execute(sql, parameters)]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in one transaction: all of it is written, or nothing."""
        with self._open() as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA secure_delete = ON")
            db.execute("BEGIN IMMEDIATE")
            if self._version(db) < VERSION:
                for statement in _SCHEMA.strip().split(";\n"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {VERSION}")
            yield db
            db.execute("COMMIT")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            db = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
        except sqlite3.Error as error:
            raise MemoryStoreError(str(self._path), str(error)) from error
        try:
            yield db
        except sqlite3.Error as error:
            raise MemoryStoreError(str(self._path), str(error)) from error
        finally:
            db.close()

    def _version(self, db: sqlite3.Connection) -> int:
        """The version of the layout, 0 for an empty file."""
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        if version > VERSION:
            raise MemoryStoreError(str(self._path), "written by a newer baodai")
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
        if tables and "memories" not in tables:
            raise MemoryStoreError(str(self._path), "it is the database of another program")
        return version


def _clean(fact: Fact) -> Fact:
    """Secrets hidden first, so that what is the same without them is one fact."""
    text, quote = (_storable(redact(t, fact.language).text) for t in (fact.text, fact.quote))
    return replace(fact, text=text, quote=quote)


def _storable(text: str) -> str:
    """The text as SQLite takes it: half surrogates are not UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _put(db: sqlite3.Connection, fact: Fact, source: str, scope: str) -> int:
    """One fact; 1 where it is new."""
    key = f"{scope}\0{fact.kind}\0{' '.join(fact.text.lower().split())}"
    memory = blake2b(key.encode("utf-8", "replace"), digest_size=8).hexdigest()
    seen = db.execute(
        "INSERT OR IGNORE INTO sightings VALUES (?, ?, ?)", (memory, source, fact.line)
    ).rowcount
    known = db.execute("SELECT 1 FROM memories WHERE id = ?", (memory,)).fetchone()
    if known is None:
        row = (
            *(memory, fact.kind, fact.text, fact.quote, source, fact.line, fact.language, scope),
            *(fact.timestamp, fact.timestamp, 1),
        )
        db.execute(
            "INSERT INTO memories (id, kind, text, quote, source, line, language, scope,"
            " first_seen, last_seen, times_seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        db.execute("INSERT INTO words VALUES (?, ?)", (memory, " ".join(_terms(fact.text))))
        return 1
    if seen:
        db.execute(
            "UPDATE memories SET times_seen = times_seen + 1, last_seen = max(last_seen, :at),"
            " first_seen = CASE WHEN first_seen = '' OR (:at <> '' AND :at < first_seen)"
            " THEN :at ELSE first_seen END, status = 'live', superseded_by = '' WHERE id = :id",
            {"at": fact.timestamp, "id": memory},
        )
    return 0


def _terms(text: str) -> list[str]:
    """Words as they are; of text without blanks each character and each pair, as code points."""
    terms = [word.lower() for word in _WORD.findall(text)]
    for run in _UNSPACED.findall(text):
        terms.extend(f"u{ord(c):x}" for c in run)
        terms.extend(f"u{ord(a):x}u{ord(b):x}" for a, b in pairwise(run))
    return terms
