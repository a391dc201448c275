"""Matches between small real programs in the real sandbox."""

from __future__ import annotations

import pytest

from bots.sandbox.launcher import SandboxLauncher
from tests.matches.referee.tabling import Table


@pytest.fixture(scope="session")
def launcher():
    return SandboxLauncher()


@pytest.fixture
def table(launcher):
    """Plays matches; afterwards no process may be left, however they ended."""
    table = Table(launcher)
    yield table
    assert [process for process in table.processes if process.alive] == []
