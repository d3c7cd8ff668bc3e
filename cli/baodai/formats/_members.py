"""Members of a record read as what they should be, whatever a writer put there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from baodai.formats._layouts import at

Members = Mapping[str, object]


def members_at(value: object, *keys: str | int) -> Members:
    """The object at a path; an empty one where there is none."""
    found = at(value, keys)
    return found if isinstance(found, Mapping) else {}


def list_at(value: object, *keys: str | int) -> list[object]:
    """The list at a path; an empty one where there is none."""
    found = at(value, keys)
    return found if isinstance(found, list) else []


def text_at(value: object, *keys: str | int) -> str:
    """The string at a path; an empty one where there is none."""
    found = at(value, keys)
    return found if isinstance(found, str) else ""


def count_at(value: object, *keys: str | int) -> int:
    """The whole number at a path; 0 where there is none."""
    found = at(value, keys)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def moment(milliseconds: object) -> str:
    """A time in milliseconds, which JavaScript agents write, as ISO text."""
    if not isinstance(milliseconds, int) or not 0 < milliseconds < 1 << 43:
        return ""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


def unique(wanted: str, used: set[str]) -> str:
    """An id that is not used yet, near the wanted one; it is used from now on."""
    key, n = wanted, 1
    while key in used:
        n += 1
        key = f"{wanted}~{n}"
    used.add(key)
    return key
