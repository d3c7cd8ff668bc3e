"""The command line as a real process, in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "session.jsonl"


@dataclass(frozen=True)
class Ran:
    """What a process left: status, stdout as bytes, stderr as text."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    def rows(self) -> list[dict[str, object]]:
        """Its stdout as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Shell:
    """A folder in which `baodai` runs."""

    folder: Path

    def __call__(
        self, *arguments: str | Path, given: bytes = b"", env: Mapping[str, str] | None = None
    ) -> Ran:
        done = subprocess.run(
            (sys.executable, "-m", "baodai", *map(str, arguments)),
            cwd=self.folder,
            input=given,
            capture_output=True,
            check=False,
            env={**os.environ, "COLUMNS": "200", **(env or {})},
        )
        return Ran(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def file(self, name: str, *messages: tuple[str, str]) -> Path:
        """A transcript, one message a line."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (
            json.dumps({"role": role, "content": text}, ensure_ascii=False) + "\n"
            for role, text in messages
        )
        path.write_text("".join(lines), "utf-8")
        return path


TALK = (
    ("system", "You help."),
    ("user", "Use tabs, never spaces."),
    ("assistant", "Understood."),
    ("user", "好的，回答用中文。"),
    ("assistant", "好的。"),
)
