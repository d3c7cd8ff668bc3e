"""The verbs that look, the settings, and what goes wrong on a command line."""

from __future__ import annotations

import re

import pytest
from process import DEMO, TALK, Shell


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("compct",), "BD221"),
        (("compact", "--nonsense"), "BD221"),
        (("compact", "--window", "many"), "BD222"),
        (("compact", "--set", "windw.size=4"), "BD223"),
        (("compact", "--no-layer", "cold_fld"), "BD220"),
        (("compact", "--format", "nonsense"), "BD220"),
        (("compact", "--summarizer", "nobody"), "BD220"),
        (("compact", "-o", "a", "--out-dir", "b"), "BD221"),
        (("explain", "BD999"), "BD220"),
        (("report", "nothing"), "BD220"),
        (("report", "runs"), "BD505"),
        (("ledger", "forget", ""), "BD221"),
    ],
)
def test_a_mistake_is_told_with_its_code_and_no_traceback(
    sh: Shell, arguments: tuple[str, ...], code: str
) -> None:
    ran = sh(*arguments, given=b'{"role": "user", "content": "Hi"}\n')
    assert ran.status in {2, 3}
    assert f"error[{code}]" in ran.err
    assert "Traceback" not in ran.err
    assert not ran.out


def test_flags_beat_set_which_beats_the_file_and_each_says_so(sh: Shell) -> None:
    (sh.folder / "baodai.toml").write_text("keep_turns = 5\n[window]\nsize = '32k'\nreserve = 1\n")
    rows = sh("config", "--json", "--set", "window.reserve=2k").rows()
    found = {row["key"]: (row["value"], row["origin"]) for row in rows}
    assert found["window.size"] == (32_000, f"{sh.folder / 'baodai.toml'}:3")
    assert found["window.reserve"] == (2_000, "--set")
    assert found["keep_turns"][0] == 5
    assert found["window.target"] == (0.6, "default")


def test_settings_stand_in_pyproject_too_and_an_unknown_key_has_its_line(sh: Shell) -> None:
    (sh.folder / "pyproject.toml").write_text("[tool.baodai.window]\nsise = 3\n")
    ran = sh("config")
    assert ran.status == 2
    assert "pyproject.toml:2" in ran.err
    assert "window.size" in ran.err


def test_the_commented_file_is_valid_when_every_line_is_taken_in(sh: Shell) -> None:
    assert sh("config", "init").status == 0
    path = sh.folder / "baodai.toml"
    lines = path.read_text("utf-8").splitlines()
    taken = [
        line.removeprefix("# ")
        for line in lines
        if not line.startswith(("## ", "# Settings", "# Tokens"))
    ]
    path.write_text("\n".join(taken), "utf-8")
    assert sh("config").status == 0
    assert sh("config", "init").status == 2


def test_a_tools_strategy_is_chosen_by_glob(sh: Shell) -> None:
    wide = sh(
        "compact", DEMO, "--window", "8k", "--tool-strategy", "Ba*=placeholder", "-n", "--json"
    )
    assert wide.status == 0
    account = wide.rows()[0]
    assert account["fits"] is True


def test_inspect_tells_what_takes_the_space(sh: Shell) -> None:
    ran = sh("inspect", DEMO, "--window", "8k")
    assert ran.status == 0
    assert "tool results" in ran.text
    look = sh("inspect", DEMO, "--json").rows()[0]
    kinds, tokens = look["by_kind"], look["tokens"]
    assert isinstance(kinds, dict)
    assert sum(kinds.values()) == tokens


def test_show_puts_before_and_after_side_by_side(sh: Shell) -> None:
    ran = sh("show", DEMO, "--window", "8k")
    assert ran.status == 0
    assert {"=", "~", "-", "+"} <= {line[:1] for line in ran.text.splitlines()}


def test_decisions_are_listed_in_both_languages(sh: Shell) -> None:
    source = sh.file("in.jsonl", *TALK)
    quotes = [str(row["quote"]) for row in sh("decisions", source, "--json").rows()]
    assert any("never spaces" in quote for quote in quotes)
    assert any("回答用中文" in quote for quote in quotes)


def test_cut_shortens_what_is_long_and_passes_what_fits(sh: Shell) -> None:
    short = "ok \N{SNOWMAN}\n".encode() + b"\xff"
    assert sh("cut", given=short).out == short
    text = "".join(f"line {n}\n" for n in range(9000)).encode()
    ran = sh("cut", "--tool", "Bash", "--limit", "1k", given=text)
    assert ran.status == 0
    assert 0 < len(ran.out) < 6000
    assert ran.out.startswith(b"line 0\n")
    ref = re.findall(rb"bd:[0-9a-f]{8}", ran.out)[0].decode()
    assert sh("expand", ref).out == text
    assert sh("report", "savings_by_tool", "--json").rows()[0]["tool"] == "Bash"


def test_cut_keeps_nothing_where_nobody_asked_and_says_what_it_could_not_keep(sh: Shell) -> None:
    text = "".join(f"line {n}\n" for n in range(9000)).encode()
    assert sh("cut", "--ledger", "none", given=text).err == ""
    assert list(sh.folder.iterdir()) == []
    lost = sh("cut", "--ledger", "nowhere/l.duckdb", given=text)
    assert lost.status == 0
    assert "the original was not kept" in lost.err


def test_every_name_has_a_story(sh: Shell) -> None:
    names = sh("explain", "--json").rows()
    assert len(names) > 50
    assert all(row["what it is"] for row in names)
    assert "exit status" in sh("explain", "bd102").text.lower()
    assert "of_folded" in sh("explain", "cold_fold").text


def test_a_report_takes_parameters(sh: Shell) -> None:
    sh("compact", DEMO, "--window", "8k", "-o", "out.jsonl")
    rows = sh("report", "largest_results", "limit=3", "--json").rows()
    assert len(rows) == 3
    assert len(sh("report", "decisions", "transcript=nobody", "--json").rows()) == 0


def test_the_ledger_forgets_a_transcript(sh: Shell) -> None:
    sh("compact", DEMO, "--window", "8k", "-o", "out.jsonl")
    assert sh("ledger", "info").status == 0
    assert "1 transcripts" in sh("ledger", "forget", "session.jsonl").text
    assert not sh("report", "runs", "--json").rows()


def test_a_console_that_is_not_utf8_gets_other_signs(sh: Shell) -> None:
    plain = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    for arguments in (("decisions", DEMO), ("show", DEMO, "--window", "8k"), ("compact", DEMO)):
        ran = sh(*arguments, env=plain)
        assert ran.status == 0
        assert "UnicodeEncodeError" not in ran.err


def test_version_and_completion(sh: Shell) -> None:
    assert sh("--version").text.startswith("baodai 0.")
    shown = sh("--show-completion", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert shown.status in {0, 2}
