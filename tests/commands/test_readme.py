"""What README.md says is so: its generated parts, its commands, its demo."""

from __future__ import annotations

import re
from pathlib import Path

from process import DEMO, TALK, Shell

from docs import README, written

TEXT = README.read_text("utf-8")


def test_the_generated_parts_are_up_to_date() -> None:
    assert written(TEXT) == TEXT


def test_the_demo_prints_what_the_readme_shows(sh: Shell) -> None:
    ran = sh("compact", DEMO, "--window", "8k", "-o", "out.jsonl")
    assert ran.err.partition("; ledger")[0].strip() in TEXT
    table = sh("report", "savings_by_layer").text
    assert all(line in TEXT for line in table.splitlines())


def test_the_settings_it_shows_are_valid(sh: Shell) -> None:
    block = re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert block
    (sh.folder / "baodai.toml").write_text(block[1], "utf-8")
    assert sh("compact", sh.file("in.jsonl", *TALK), "--dry-run").status == 0


def test_every_option_it_names_exists(sh: Shell) -> None:
    fences = re.findall(r"```(?:console|yaml)\n(.*?)```", TEXT, re.DOTALL)
    lines = [line for fence in fences for line in fence.splitlines() if "baodai " in line]
    used: dict[str, set[str]] = {}
    for line in lines:
        verb = re.search(r"\bbaodai (?P<verb>[a-z]+)", line)
        if verb:
            said = line.partition("#")[0][verb.start() :]
            used.setdefault(verb["verb"], set()).update(re.findall(r"(?<!\S)--[a-z-]+", said))
    for verb_name, options in used.items():
        known = sh(verb_name, "--help").text
        assert not {option for option in options if option not in known}, verb_name


def test_it_names_the_two_commands() -> None:
    makefile = Path(README.parent, "Makefile").read_text("utf-8")
    assert "make demo" in TEXT
    assert "make test" in TEXT
    assert all(f"{goal}: " in makefile for goal in ("demo", "test"))
