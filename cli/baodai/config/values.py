"""Keys and values as text: reading them, checking them, writing them back."""

from __future__ import annotations

import re
import tomllib

from baodai.config.schema import Key, Spec, Value
from baodai.errors import SettingError

_SIZE = re.compile(r"\s*(?P<number>\d[\d_,]*(?:\.\d+)?)\s*(?P<unit>[kKmM]?)\s*")
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def size(text: str) -> int | None:
    """Tokens of `32k`, `1m`, `8_192`, `128,000`; `None` where it is none of these."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    number = match["number"].replace("_", "").replace(",", "")
    return int(float(number) * _UNITS[match["unit"].lower()])


def shown_key(key: Key) -> str:
    """A key as it is written in the file and on the command line."""
    return ".".join(part if _BARE.fullmatch(part) else f'"{part}"' for part in key)


def shown(value: Value) -> str:
    """A value as TOML; unset is empty."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case str():
            return _quoted(value)
        case tuple():
            return f"[{', '.join(map(_quoted, value))}]"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda m: f"\\u{ord(m[0]):04x}", escaped) + '"'


def assignment(text: str) -> tuple[Key, object]:
    """Key and value of `dotted.key=value`; what is not TOML is taken as a text.

    Raises:
        SettingError: there is no `=` or no key.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise SettingError(
            f"--set {text}: not of the form key=value", hint="--set window.trigger=0.7"
        )
    return _key(name.strip()), _toml(value.strip())


def _key(text: str) -> Key:
    try:
        found: object = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        return tuple(part.strip("\"' ") for part in text.split("."))
    parts = []
    while isinstance(found, dict):
        part, found = next(iter(found.items()))
        parts.append(str(part))
    return tuple(parts)


def _toml(text: str) -> object:
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def checked(spec: Spec, value: object, where: str) -> Value:
    """The value in the type of its setting.

    Raises:
        SettingError: it cannot have that value.
    """
    found = _converted(spec, value)
    if found is None:
        wanted = "a list of texts" if spec.kind is tuple else _KINDS[spec.kind]
        wanted = "a number of tokens (32k)" if spec.size else wanted
        raise SettingError(f"{shown_key(spec.key)} is {wanted}, not {value!r}", where=where)
    if spec.choice and found not in spec.choice:
        choice = ", ".join(spec.choice)
        raise SettingError(f"{shown_key(spec.key)} is one of {choice}, not {value!r}", where=where)
    if isinstance(found, (int, float)) and found < 0:
        raise SettingError(f"{shown_key(spec.key)} is not below 0, but {value!r}", where=where)
    return found


def _converted(spec: Spec, value: object) -> Value:
    """The value in the setting's type, `None` where it is not of it."""
    if spec.kind is tuple:
        return _texts(value)
    if isinstance(value, bool):
        return value if spec.kind is bool else None
    if spec.size and isinstance(value, str):
        return size(value)
    if spec.kind is float and isinstance(value, int):
        return float(value)
    if spec.kind is str and isinstance(value, (int, float)):
        return str(value)
    return value if isinstance(value, spec.kind) and isinstance(value, (str, int, float)) else None


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, (list, tuple)):
        return None
    kinds = (str, int)
    return tuple(map(str, value)) if all(isinstance(item, kinds) for item in value) else None
