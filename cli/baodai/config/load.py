"""Where settings come from: flags over `--set` over the file over defaults, each with its origin.

Unknown keys are errors with a suggestion. Reads the settings file, never the environment; the
folder to start from is an argument.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from baodai.config.schema import NAMED, Key, Spec, Value, named, specs
from baodai.config.values import assignment, checked, shown_key
from baodai.errors import SettingError, UnknownSettingError

FILE = "baodai.toml"
DEFAULT = "default"
SET = "--set"
COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Setting:
    """A value in force, and where it came from: `default`, `path:line`, `--set`, or a flag."""

    spec: Spec
    value: Value
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings in force. `file` is the settings file that was read, if any."""

    values: Mapping[Key, Setting]
    file: Path | None = None

    def get(self, *key: str) -> Value:
        """The value of a key."""
        return self.values[key].value

    def text(self, *key: str) -> str:
        """The value of a text setting."""
        return str(self.get(*key))

    def number(self, *key: str) -> int | None:
        """The value of a whole number, `None` where it is unset."""
        value = self.get(*key)
        return value if isinstance(value, int) else None

    def names(self, section: str) -> Sequence[str]:
        """The user's names in a section of `schema.NAMED`, in order."""
        return list(dict.fromkeys(key[1] for key in self.values if key[0] == section))


def load(
    start: Path,
    *,
    flags: Mapping[str, object] | None = None,
    assignments: Sequence[str] = (),
    file: str = "",
) -> Settings:
    """The settings in force in the folder `start`.

    `flags` are dotted keys with values that the command line gave (`None`: not given),
    `assignments` those of `--set`, `file` another settings file (`none`: no file).

    Raises:
        SettingError: a value its setting cannot have, or a file that cannot be read.
        UnknownSettingError: an unknown key.
    """
    values = {key: Setting(spec, spec.default, DEFAULT) for key, spec in specs().items()}
    path = None if file == "none" else Path(file) if file else find(start)
    if path is not None:
        text = _read(path)
        for key, value in _flat(_table(text, path), ()):
            where = f"{path}:{_line(text, key)}"
            _put(values, key, value, (where, where))
    for item in assignments:
        key, value = assignment(item)
        _put(values, key, value, (f"--set {item}", SET))
    for name, value in (flags or {}).items():
        key = tuple(name.split("."))
        if value == AUTO and values[key].spec.default is None:
            values[key] = Setting(values[key].spec, None, COMMAND_LINE)
        elif value is not None:
            _put(values, key, value, ("the command line", COMMAND_LINE))
    return Settings(values, path)


AUTO = "auto"
"""On the command line: as if nothing were set, whatever a file says."""


def find(start: Path) -> Path | None:
    """The nearest `baodai.toml`, or `pyproject.toml` with `[tool.baodai]`, upward."""
    for folder in (start, *start.parents):
        own = folder / FILE
        if own.is_file():
            return own
        project = folder / "pyproject.toml"
        if project.is_file() and "[tool.baodai" in project.read_text("utf-8", "replace"):
            return project
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise SettingError(f"cannot read the settings: {why}", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise SettingError("the settings are not UTF-8", where=str(path)) from error


def _table(text: str, path: Path) -> Mapping[str, object]:
    try:
        table: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        where = f"{path}:{line[1]}" if line else str(path)
        what = str(error).partition(" (at ")[0]
        raise SettingError(f"not TOML: {what[:1].lower()}{what[1:]}", where=where) from error
    if path.name != "pyproject.toml":
        return table
    tool = table.get("tool")
    own = tool.get("baodai") if isinstance(tool, dict) else None
    return own if isinstance(own, dict) else {}


def _flat(table: Mapping[str, object], prefix: Key) -> Iterator[tuple[Key, object]]:
    for name, value in table.items():
        key = (*prefix, name)
        if isinstance(value, dict):
            yield from _flat(value, key)
        else:
            yield key, value


def _line(text: str, key: Key) -> int:
    """The line a key most likely stands on: its last part, after the head of its table."""
    last = re.compile(rf"\s*(?:[\w.\"*-]+\.)?\"?{re.escape(key[-1])}\"?\s*=")
    head = re.compile(rf"\s*\[.*{re.escape(key[-2])}\"?\]") if len(key) > 1 else None
    inside = head is None
    first = 1
    for number, line in enumerate(text.splitlines(), start=1):
        if head is not None and head.match(line):
            inside, first = True, number
        elif last.match(line) and (inside or key[-2] in line):
            return number
    return first


def _put(values: dict[Key, Setting], key: Key, value: object, origin: tuple[str, str]) -> None:
    """Set one key; `origin` is the place for an error message, and the one that is kept."""
    where, kept = origin
    if len(key) == 3 and key[0] in NAMED:
        known = named(key[0], key[1])
        if key in known:
            for other, spec in known.items():
                values.setdefault(other, Setting(spec, spec.default, DEFAULT))
    if key not in values:
        raise UnknownSettingError(shown_key(key), where, _close(key, values))
    spec = values[key].spec
    values[key] = Setting(spec, checked(spec, value, where), kept)


def _close(key: Key, values: Mapping[Key, Setting]) -> list[str]:
    """Known keys that may be meant: alike as a whole, or with the same last part."""
    known = [shown_key(k) for k in values]
    if len(key) == 3 and key[0] in NAMED:
        known += [shown_key(k) for k in named(key[0], key[1])]
    close = difflib.get_close_matches(shown_key(key), known, n=2, cutoff=0.6)
    if close:
        return close
    same = [name for name in known if name.rpartition(".")[2] == key[-1]]
    if same:
        return same[:2]
    ends = {name.rpartition(".")[2]: name for name in reversed(known)}
    return [ends[end] for end in difflib.get_close_matches(key[-1], ends, n=2, cutoff=0.6)]
