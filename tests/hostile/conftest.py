"""Hostile programs in the real sandbox, played by the real referee. No server and no database is needed."""

from __future__ import annotations

import pytest

from bots.sandbox.launcher import SandboxLauncher
from tests.hostile.duels import Duels
from tests.matches.referee.tabling import Table


@pytest.fixture(scope="session")
def launcher():
    return SandboxLauncher()


@pytest.fixture
def duels(launcher):
    duels = Duels(Table(launcher))
    yield duels
    assert [process for process in duels.table.processes if process.alive] == []


@pytest.fixture(scope="session")
def undisturbed(launcher):
    """By deal and seating, the decisions of a game in which nothing is attacked: those of the plain program. The
    autopilot plays the same for one that has gone."""
    sides = Duels(Table(launcher)).play("plain", deals=2)
    return {(side.game.deal, side.game.seating): side.game.core.decisions for side in sides}
