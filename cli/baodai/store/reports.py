"""The SQL files beside the code: the schema, and one report each."""

from __future__ import annotations

import difflib
import re
from importlib.resources import files
from importlib.resources.abc import Traversable

from baodai.errors import UnknownNameError

SCHEMA = "schema"

_VARIABLE = re.compile(r"getvariable\('(\w+)'\)")


def _folder() -> Traversable:
    return files("baodai") / "reports"


def report_names() -> tuple[str, ...]:
    """The names of all reports, sorted."""
    names = (f.name.removesuffix(".sql") for f in _folder().iterdir() if f.name.endswith(".sql"))
    return tuple(sorted(name for name in names if name != SCHEMA))


def sql_of(name: str) -> str:
    """The text of a report, or of the schema.

    Raises:
        UnknownNameError: there is no report of that name.
    """
    path = _folder() / f"{name}.sql"
    if not path.is_file():
        close = difflib.get_close_matches(name, report_names())
        raise UnknownNameError("report", name, close)
    return path.read_text(encoding="utf-8")


def report_title(name: str) -> str:
    """The sentence on the first line of a report."""
    return sql_of(name).partition("\n")[0].removeprefix("--").strip()


def parameters_of(sql: str) -> tuple[str, ...]:
    """The DuckDB variables a report reads, in order of appearance."""
    return tuple(dict.fromkeys(_VARIABLE.findall(sql)))
