"""Bytes to numbered records and back; the only orjson import."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a file, or a whole JSON document. `raw` has its line end."""

    number: int
    offset: int
    raw: bytes
