"""`baodai compact` as people run it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from process import DEMO, TALK, Shell

QUIETLY = ("--ledger", "none", "--memory", "none")


def test_a_pipe_needs_no_flag_and_what_fits_goes_through_byte_for_byte(sh: Shell) -> None:
    source = sh.file("in.jsonl", *TALK).read_bytes()
    ran = sh("compact", given=source)
    assert (ran.status, ran.out) == (0, source)
    assert "tokens" in ran.err
    assert (sh.folder / "baodai.duckdb").exists()


def test_every_layer_acts_on_the_demo_and_each_marker_leads_back(sh: Shell) -> None:
    assert sh("compact", DEMO, "--window", "8k", "-o", "out.jsonl").status == 0
    acted = {
        row["layer"]: row["acted"] for row in sh("report", "savings_by_layer", "--json").rows()
    }
    assert set(acted.values()) == {1}
    text = (sh.folder / "out.jsonl").read_text("utf-8")
    ref = text.partition("ref=")[2][:11]
    assert "Use PostgreSQL for storage, not MySQL." in sh("expand", ref).text


def test_the_output_compacted_again_is_itself(sh: Shell) -> None:
    once = sh("compact", DEMO, "--window", "8k", *QUIETLY).out
    assert sh("compact", "--window", "8k", *QUIETLY, given=once).out == once


def test_a_dry_run_writes_nothing(sh: Shell) -> None:
    ran = sh("compact", DEMO, "--window", "8k", "--dry-run", "-o", "out.jsonl")
    assert ran.status == 0
    assert "cold_fold" in ran.text
    assert not list(sh.folder.iterdir())


def test_what_cannot_fit_is_said_and_leaves_the_old_output(sh: Shell) -> None:
    source = sh.file("in.jsonl", ("system", "rule " * 9000), ("user", "Hi"), ("assistant", "Hi."))
    (sh.folder / "out.jsonl").write_text("old")
    ran = sh("compact", source, "--window", "4k", "-o", "out.jsonl")
    assert ran.status == 1
    assert "error[BD301]" in ran.err
    assert (sh.folder / "out.jsonl").read_text() == "old"
    assert sh("compact", source, "--window", "4k", "-o", "out.jsonl", "--smallest").status == 1
    assert (sh.folder / "out.jsonl").read_text() != "old"


def test_one_bad_input_does_not_stop_the_others(sh: Shell) -> None:
    good = sh.file("good.jsonl", *TALK)
    (sh.folder / "bad.jsonl").write_text("no json at all\n")
    ran = sh("compact", "bad.jsonl", "missing.jsonl", "good.jsonl", "--out-dir", "out", *QUIETLY)
    assert ran.status == 3
    assert "missing.jsonl" in ran.err
    assert "error[BD1" in ran.err
    assert (sh.folder / "out" / "good.jsonl").read_bytes() == good.read_bytes()
    assert not (sh.folder / "out" / "bad.jsonl").exists()


def test_two_processes_write_the_same_as_one_and_keep_the_tree(sh: Shell) -> None:
    for name in ("runs/a/x.jsonl", "runs/b/x.jsonl", "runs/c.jsonl"):
        sh.file(name, *TALK, ("user", name), ("assistant", "Yes."))
    assert sh("compact", "runs", "--out-dir", "one", *QUIETLY).status == 0
    assert sh("compact", "runs", "--out-dir", "two", "--jobs", "2", *QUIETLY).status == 0
    for name in ("a/x.jsonl", "b/x.jsonl", "c.jsonl"):
        one = (sh.folder / "one" / name).read_bytes()
        assert (
            one
            == (sh.folder / "two" / name).read_bytes()
            == (sh.folder / "runs" / name).read_bytes()
        )
    assert not [p for p in sh.folder.rglob("*") if p.name.startswith(".baodai-")]


def test_an_output_never_replaces_its_own_input(sh: Shell) -> None:
    sh.file("in.jsonl", *TALK)
    ran = sh("compact", "in.jsonl", "-o", "in.jsonl")
    assert ran.status == 2
    assert "error[BD224]" in ran.err


def test_names_of_outputs_are_safe_everywhere(sh: Shell) -> None:
    sh.file("runs/CON.jsonl", *TALK)
    sh.file("runs/a:b.jsonl", *TALK)
    assert sh("compact", "runs", "--out-dir", "out", *QUIETLY).status == 0
    assert {p.name for p in (sh.folder / "out").iterdir()} == {"_CON.jsonl", "a_b.jsonl"}


def test_a_closed_pipe_ends_quietly_and_leaves_a_sound_ledger(sh: Shell) -> None:
    line = f"cat {DEMO} | {sys.executable} -m baodai compact --window 32k | head -1 | wc -l"
    done = subprocess.run(
        ("bash", "-o", "pipefail", "-c", line),
        cwd=sh.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "1"
    assert "Traceback" not in done.stderr
    assert "error" not in done.stderr
    assert [row["transcripts"] for row in sh("report", "runs", "--json").rows()] == [1]


def test_several_runs_at_once_leave_one_sound_ledger(sh: Shell) -> None:
    for number in range(4):
        sh.file(f"runs/{number}.jsonl", *TALK, ("user", f"Go on {number}"))
    verb = f"{sys.executable} -m baodai compact --out-dir out"
    line = f"find runs -name '*.jsonl' | xargs -P2 -n1 {verb}"
    done = subprocess.run(
        ("bash", "-c", line), cwd=sh.folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(list((sh.folder / "out").rglob("*.jsonl"))) == 4
    assert len(sh("report", "runs", "--json").rows()) == 4


def test_a_torn_last_line_is_a_note_and_other_damage_a_warning(sh: Shell) -> None:
    source = sh.file("in.jsonl", *TALK)
    torn = source.read_bytes() + b'{"role": "user", "con'
    ran = sh("compact", *QUIETLY, given=torn)
    assert (ran.status, ran.out) == (0, torn)
    assert "note[BD105]: last line incomplete" in ran.err
    lines = source.read_bytes().splitlines(keepends=True)
    holed = b"".join([*lines[:2], b"\0" * 300 + b"\n", *lines[2:]])
    ran = sh("compact", *QUIETLY, given=holed)
    assert (ran.status, ran.out) == (0, holed)
    assert "warning[BD104]" in ran.err
    assert "-:3" in ran.err
    assert sh("compact", *QUIETLY, "--strict", given=holed).status == 3
    assert sh("compact", *QUIETLY, "--fail-on", "warn", given=holed).status == 1


def test_an_interrupt_leaves_no_half_file(sh: Shell) -> None:
    (sh.folder / "runs").mkdir()
    # So many that the work cannot be done before the interrupt comes, however busy the machine.
    for number in range(600):
        (sh.folder / "runs" / f"{number}.jsonl").symlink_to(DEMO)
    process = subprocess.Popen(
        (sys.executable, "-m", "baodai", "compact", "runs", "--out-dir", "out", "--window", "8k"),
        cwd=sh.folder,
        stderr=subprocess.PIPE,
        env=dict(os.environ),
    )
    out = sh.folder / "out"
    for _ in range(1_000):
        if out.is_dir() and list(out.glob("*.jsonl")):
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert not list(out.glob(".baodai-*"))
    whole = sh("compact", DEMO, "--window", "8k", *QUIETLY).out
    assert all(Path(p).read_bytes() == whole for p in out.glob("*.jsonl"))
