"""`make docs`: the parts of README.md that list names, written from the names themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from baodai.commands._explaining import stories

README = Path(__file__).resolve().parents[1] / "README.md"
KINDS = ("format", "layer", "strategy", "report", "code")


def verbs() -> str:
    """The commands as `--help` lists them, in full."""
    done = subprocess.run(
        (sys.executable, "-m", "baodai", "--help"),
        capture_output=True,
        text=True,
        check=True,
        env={"COLUMNS": "200", "TERMINAL_WIDTH": "200"},
    )
    listed = done.stdout.partition("Commands:\n")[2].partition("\n\n")[0]
    rows = [line.split(maxsplit=1) for line in listed.splitlines()]
    return "\n".join(f"- `baodai {name}`: {about}" for name, about in rows)


def names(kind: str) -> str:
    """The names of a kind, each with the first line of its story."""
    return "\n".join(
        f"- `{name}`: {story.text.partition(chr(10))[0]}"
        for name, story in stories().items()
        if story.kind == kind
    )


def written(text: str) -> str:
    """The README with its generated parts as they should be."""
    parts = {"verb": verbs(), **{kind: names(kind) for kind in KINDS}}
    for kind, part in parts.items():
        block = re.compile(rf"(<!-- {kind}s -->\n).*?(<!-- /{kind}s -->)", re.DOTALL)
        text = block.sub(lambda m, part=part: f"{m[1]}{part}\n{m[2]}", text)
    return text


if __name__ == "__main__":
    README.write_text(written(README.read_text("utf-8")), "utf-8")
