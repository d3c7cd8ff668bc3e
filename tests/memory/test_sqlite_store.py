"""The memory store: each fact once, found again, safe with others and with broken files."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from baodai.edits import Fact
from baodai.errors import MemoryStoreError
from baodai.memory.sqlite import SqliteMemory

TABS = Fact(
    "preference", "Use tabs, not spaces.", "Use tabs, not spaces.", 1, 2, "en", "2026-01-05"
)
TABLE = Fact("convention", "字段名统一用 snake_case", "字段名统一用 snake_case", 3, 9, "zh")


@pytest.fixture
def store(tmp_path: Path) -> SqliteMemory:
    return SqliteMemory(tmp_path / "m.sqlite")


def test_the_same_fact_again_is_one_row_seen_once_a_place(store: SqliteMemory) -> None:
    assert store.put([TABS, TABLE], source="a.jsonl", scope="p") == 2
    assert store.put([TABS], source="a.jsonl", scope="p") == 0
    assert store.put([TABS], source="b.jsonl", scope="p") == 0
    (found,) = store.search("tabs or spaces?", 5, scope="p")
    assert found.times_seen == 2


@pytest.mark.parametrize("query", ["字段怎么命名", "名", "snake_case"])
def test_chinese_words_of_one_and_two_characters_are_found(store: SqliteMemory, query: str) -> None:
    store.put([TABS, TABLE], source="a.jsonl", scope="p")
    assert store.search(query, 5, scope="p")[0].text == TABLE.text


def test_scopes_are_kept_apart(store: SqliteMemory) -> None:
    store.put([TABS], source="a.jsonl", scope="one")
    assert not store.search("tabs", 5, scope="two")


def test_secrets_never_get_in(store: SqliteMemory) -> None:
    token = "ghp_" + "Zq3" * 12
    store.put([Fact("project", f"push with {token}", token, 1, 1, "en")], source="a", scope="")
    assert all(token not in m.text + m.quote for m in store.all())


def test_what_is_forgotten_is_gone(store: SqliteMemory, tmp_path: Path) -> None:
    store.put([TABS], source="a.jsonl", scope="p")
    (found,) = store.all()
    assert store.forget(found.id)
    assert not store.all()
    assert not store.search("tabs", 5, scope="p")
    files = b"".join(p.read_bytes() for p in tmp_path.iterdir() if p.suffix == ".sqlite")
    assert b"Use tabs" not in files


def test_no_word_of_what_is_forgotten_stays_in_the_index(
    store: SqliteMemory, tmp_path: Path
) -> None:
    store.put([replace(TABS, text="the codename is zanzibar"), TABLE], source="a", scope="p")
    store.put([replace(TABS, text="other words", line=5)], source="a", scope="p")
    assert [store.forget(m.id) for m in store.all() if "zanzibar" in m.text] == [True]
    assert all(b"zanzibar" not in path.read_bytes() for path in tmp_path.iterdir())
    assert store.search("字段", 5, scope="p")


def test_looking_makes_no_file_and_waits_for_no_writer(store: SqliteMemory, tmp_path: Path) -> None:
    assert not store.search("tabs", 5, scope="p")
    assert not store.all()
    assert not list(tmp_path.iterdir())
    store.put([TABS], source="a", scope="p")
    with closing(sqlite3.connect(tmp_path / "m.sqlite", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM memories")
        assert store.search("tabs", 5, scope="p")


def test_what_is_retired_is_not_found_until_it_is_said_again(store: SqliteMemory) -> None:
    store.put([TABS], source="a", scope="p")
    (found,) = store.all()
    assert store.retire(found.id, superseded_by="another")
    assert not store.retire(found.id)
    assert not store.search("tabs", 5, scope="p")
    assert [m.superseded_by for m in store.all(status="superseded")] == ["another"]
    store.put([TABS], source="a", scope="p")
    assert not store.search("tabs", 5, scope="p")
    store.put([replace(TABS, timestamp="2026-02-01")], source="b", scope="p")
    (again,) = store.search("tabs", 5, scope="p")
    assert (again.first_seen, again.last_seen) == ("2026-01-05", "2026-02-01")


def test_an_older_transcript_read_later_sets_back_when_it_was_first_seen(
    store: SqliteMemory,
) -> None:
    for source, at in (("a", ""), ("b", "2026-03-01"), ("c", "2026-01-01"), ("d", "")):
        store.put([replace(TABS, timestamp=at)], source=source, scope="p")
    (found,) = store.all()
    assert (found.first_seen, found.last_seen) == ("2026-01-01", "2026-03-01")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Использовать табы в проекте", "табы"),
        ("変数名はスネークケースにする", "変数"),
        ("half \ud83d surrogate", "surrogate"),
        ("quotes \" and ' and * ( )", 'quotes "*('),
    ],
)
def test_text_of_any_kind_is_stored_and_found(store: SqliteMemory, text: str, query: str) -> None:
    store.put([replace(TABS, text=text)], source="a", scope="p")
    assert len(store.search(query, 5, scope="p")) == 1


def test_a_query_of_a_whole_log_is_answered(store: SqliteMemory) -> None:
    store.put([TABS], source="a", scope="p")
    assert store.search("tabs " + " ".join(f"w{i}" for i in range(20_000)), 5, scope="p")


KILLED = """
import os, signal
from pathlib import Path
from baodai.memory.sqlite import SqliteMemory
with SqliteMemory(Path({path!r}))._writing() as db:
    db.execute("DELETE FROM memories")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_writer_that_is_killed_loses_nothing_that_was_stored(
    store: SqliteMemory, tmp_path: Path
) -> None:
    store.put([TABS, TABLE], source="a", scope="p")
    code = KILLED.format(path=str(tmp_path / "m.sqlite"))
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert len(store.all()) == 2


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(path)) as theirs:
        theirs.execute("CREATE TABLE bookmarks (url TEXT)")
    with pytest.raises(MemoryStoreError, match="another program"):
        SqliteMemory(path).put([TABS], source="a", scope="")
    with pytest.raises(MemoryStoreError):
        SqliteMemory(path).search("tabs", 1, scope="")


def test_a_store_of_a_newer_baodai_is_said(store: SqliteMemory, tmp_path: Path) -> None:
    store.put([TABS], source="a", scope="")
    with closing(sqlite3.connect(tmp_path / "m.sqlite")) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(MemoryStoreError, match="newer"):
        store.search("tabs", 1, scope="")


def test_a_damaged_or_unreachable_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.sqlite").write_bytes(b"no database here" * 300)
    with pytest.raises(MemoryStoreError):
        SqliteMemory(tmp_path / "bad.sqlite").put([TABS], source="a", scope="")
    with pytest.raises(MemoryStoreError):
        SqliteMemory(tmp_path / "no" / "m.sqlite").put([TABS], source="a", scope="")


WRITER = """
import sys
from pathlib import Path
from baodai.edits import Fact
from baodai.memory.sqlite import SqliteMemory
facts = [Fact("project", f"fact number {{i}}", "q", 1, i, "en") for i in range(50)]
SqliteMemory(Path({path!r})).put(facts, source="same.jsonl", scope="p")
"""


def test_two_processes_with_the_same_facts_leave_one_row_each(tmp_path: Path) -> None:
    path = tmp_path / "m.sqlite"
    code = WRITER.format(path=str(path))
    writers = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    found = SqliteMemory(path).all()
    assert len(found) == 50
    assert {m.times_seen for m in found} == {1}
