"""What is given on the command line counts, also where it looks like nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SESSION = Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "session.jsonl"


def baodai(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "baodai", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def account(folder: Path, *arguments: str) -> dict[str, object]:
    done = baodai(folder, "compact", str(SESSION), "-n", "--json", *arguments)
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


def edits(found: dict[str, object]) -> int:
    layers = found["layers"]
    assert isinstance(layers, list)
    return sum(len(layer["edits"]) for layer in layers)


def test_no_turn_may_be_kept(tmp_path: Path) -> None:
    kept = account(tmp_path, "--window", "8k", "--keep-turns", "3")
    none = account(tmp_path, "--window", "8k", "--keep-turns", "0")
    assert edits(none) != edits(kept)


def test_auto_takes_back_what_a_file_says(tmp_path: Path) -> None:
    (tmp_path / "baodai.toml").write_text('[window]\noverhead = "9k"\n', "utf-8")
    budgets = [account(tmp_path, *more)["budget"] for more in ((), ("--overhead", "auto"))]
    assert [b["overhead"] for b in budgets if isinstance(b, dict)] == [9000, 0]


def test_a_model_of_ones_own_is_found_however_its_name_is_written(tmp_path: Path) -> None:
    table = '[models.my_model]\nwindow = 50000\nencoding = "o200k_base"\n'
    (tmp_path / "baodai.toml").write_text(table, "utf-8")
    budget = account(tmp_path, "--model", "my_model")["budget"]
    assert isinstance(budget, dict)
    assert budget["window"] == 50000


def test_without_a_fold_nothing_is_remembered_as_folded(tmp_path: Path) -> None:
    found = account(tmp_path, "--window", "8k", "--no-layer", "cold_fold", "--smallest")
    layers = found["layers"]
    assert isinstance(layers, list)
    flush = next(layer for layer in layers if layer["layer"] == "memory_flush")
    assert not flush["edits"]


def test_the_ledger_records_that_warnings_failed_the_run(tmp_path: Path) -> None:
    done = baodai(
        tmp_path,
        "compact",
        str(SESSION),
        "-o",
        "o.jsonl",
        "--model",
        "no-such",
        "--fail-on",
        "warn",
    )
    assert done.returncode == 1
    told = baodai(tmp_path, "report", "runs", "--json")
    assert json.loads(told.stdout.splitlines()[0])["exit_status"] == 1


def test_a_window_of_nothing_is_refused(tmp_path: Path) -> None:
    assert baodai(tmp_path, "compact", str(SESSION), "--window", "0").returncode == 2


def test_a_format_that_finds_nothing_is_not_counted_as_done(tmp_path: Path) -> None:
    done = baodai(tmp_path, "compact", str(SESSION), "--format", "claude-code", "-o", "o.jsonl")
    assert done.returncode == 3
    assert "BD103" in done.stderr
    assert not (tmp_path / "o.jsonl").exists()


def test_absolute_paths_below_the_working_directory_keep_their_folders(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "s.jsonl").write_bytes(SESSION.read_bytes())
        path = str((tmp_path / name / "s.jsonl").resolve())
        assert baodai(tmp_path.resolve(), "compact", path, "--out-dir", "out").returncode == 0
    written = sorted(p.relative_to(tmp_path) for p in (tmp_path / "out").rglob("*.jsonl"))
    assert written == [Path("out/a/s.jsonl"), Path("out/b/s.jsonl")]


def test_a_layers_tokens_may_be_written_short(tmp_path: Path) -> None:
    long, short = (
        account(tmp_path, "--window", "8k", "--set", f"layers.cold_fold.most={size}")
        for size in ("2000", "2k")
    )
    assert long == short


def test_strict_refuses_a_broken_line_where_verbs_only_look_too(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(SESSION.read_bytes().replace(b"\n", b"\n{broken\n", 1))
    for verb in ("inspect", "decisions", "show"):
        assert baodai(tmp_path, verb, str(broken)).returncode == 0
    (tmp_path / "baodai.toml").write_text("strict = true\n", "utf-8")
    for verb in ("inspect", "decisions", "show"):
        assert baodai(tmp_path, verb, str(broken)).returncode == 3
