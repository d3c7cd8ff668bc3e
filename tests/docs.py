"""`make docs`: what is written from what is there: lists of README.md, keys of the lexicons."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from baodai.commands._explaining import stories
from baodai.commands.app import app
from baodai.decisions.lexicon import KEYS, write_keys

README = Path(__file__).resolve().parents[1] / "README.md"
KINDS = ("format", "layer", "strategy", "report", "code")


def verbs() -> str:
    """The commands, each with the first sentence of its help."""
    found = [(c.name, c.callback.__doc__) for c in app.registered_commands if c.callback]
    found += [
        (g.name, g.typer_instance.info.help) for g in app.registered_groups if g.typer_instance
    ]
    return "\n".join(
        f"- `baodai {name}`: {str(about).strip().partition(chr(10))[0]}" for name, about in found
    )


def demo() -> str:
    """What `make demo` prints, both streams as on a terminal."""
    done = subprocess.run(
        ("make", "--no-print-directory", "demo"),
        cwd=README.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return done.stdout.rstrip()


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
        # The part may hold backslashes: they are no escapes of a replacement.
        text = block.sub(rf"\1{part.replace(chr(92), chr(92) * 2)}\n\2", text)
    return text


if __name__ == "__main__":
    shown = re.compile(r"(\$ make demo\n).*?(\n```)", re.DOTALL)
    new = shown.sub(lambda m: f"{m[1]}{demo()}{m[2]}", README.read_text("utf-8"), count=1)
    README.write_text(written(new), "utf-8")
    KEYS.write_text(write_keys(), "utf-8")
