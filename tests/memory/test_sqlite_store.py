"""The memory store: each fact once, found again, safe with others and with broken files."""

from __future__ import annotations

import subprocess
import sys
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
