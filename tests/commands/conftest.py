"""The shell every test of a verb runs in."""

from __future__ import annotations

from pathlib import Path

import pytest
from process import Shell


@pytest.fixture
def sh(tmp_path: Path) -> Shell:
    return Shell(tmp_path)
