"""What verbs write to stdout: text for people, JSON for programs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass

_UNBOUND = 1_000_000


def width() -> int:
    """Columns of the terminal, or as `COLUMNS` says; without bound where neither is there."""
    bound = shutil.get_terminal_size(fallback=(0, 0)).columns
    return bound if bound and (sys.stdout.isatty() or "COLUMNS" in os.environ) else _UNBOUND


def text(found: str) -> None:
    """Text with a line end; signs a console cannot show are replaced."""
    sys.stdout.write(found if found.endswith("\n") else found + "\n")
    sys.stdout.flush()


def json(value: object) -> None:
    """A JSON value on a line, in UTF-8 whatever the console's encoding."""
    from baodai.jsonl import dumps  # only where JSON is asked for

    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    sys.stdout.flush()
    sys.stdout.buffer.write(dumps(plain) + b"\n")
    sys.stdout.buffer.flush()


def rows(columns: Sequence[str], found: Iterable[Sequence[object]], *, as_json: bool) -> None:
    """A table for people, or a JSON object a row."""
    from baodai.render.tables import table  # either of the two

    if as_json:
        for row in found:
            json(dict(zip(columns, row, strict=True)))
    else:
        text(table(columns, list(found), width()))
