"""What every test has: a shell, and property tests that judge by what they find, not by speed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from process import Shell

settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture
def sh(tmp_path: Path) -> Shell:
    return Shell(tmp_path)
