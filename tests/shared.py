"""The shared data beside the project: its place, or the reason why a test skips."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared"


def shared(*parts: str) -> Path:
    """A path inside the shared data.

    Skips the test where it is absent; fails it where `BAODAI_SHARED` says it must be there.
    """
    named = os.environ.get("BAODAI_SHARED")
    root = Path(named) if named else _BESIDE
    path = root.joinpath(*parts)
    if path.exists():
        return path
    if named:
        pytest.fail(f"BAODAI_SHARED is set, but {'/'.join(parts)} is not there")
    pytest.skip("the shared data is not beside the project")


def case(number: str) -> Path:
    """The folder of a case of `../shared/cases`."""
    return next(iter(sorted(shared("cases").glob(f"{number}-*"))))
