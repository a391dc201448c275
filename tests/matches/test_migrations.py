"""Rows that are older than a column of theirs get it from the migrations, whatever comes between."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import F

from matches.models import GameSeat, Participant
from tests import make

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

BEFORE, EMPTY, FILLED_IN = "0008_long_lists", "0009_bots_of_players", "0010_bots_filled_in"
filling = import_module("matches.migrations.0010_bots_filled_in")


def migrated(name: str) -> None:
    MigrationExecutor(connection).migrate([("matches", name)])


@pytest.fixture
def rows() -> Iterator[None]:
    """Two matches with their games, as the schema before knew them; afterwards that of today is back."""
    make.make_finished_match()
    mine = make.make_bot()
    make.make_finished_match([make.make_version(mine), make.make_version(mine)])
    migrated(BEFORE)
    yield
    call_command("migrate", verbosity=0)


def bots_of(table: str) -> list[int | None]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT bot_id FROM {table}")
        return [bot for (bot,) in cursor.fetchall()]


def test_each_row_gets_the_bot_of_its_version_also_after_an_interruption(
    rows: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrated(EMPTY)
    monkeypatch.setattr(filling, "BATCH", 3)
    n_updates = 0

    def interrupted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal n_updates
        n_updates += sql.startswith("UPDATE")
        if n_updates == 3:
            raise KeyboardInterrupt
        return execute(sql, params, many, context)

    with connection.execute_wrapper(interrupted), pytest.raises(KeyboardInterrupt):
        migrated(FILLED_IN)
    # The four participants were two batches, and the first one of seats came third.
    assert None not in bots_of("matches_participant")
    assert set(bots_of("matches_gameseat")) == {None}
    migrated(FILLED_IN)
    assert None not in bots_of("matches_gameseat")
    with connection.cursor() as cursor:
        # As of a process of the version before, which still plays.
        cursor.execute("UPDATE matches_gameseat SET bot_id = NULL WHERE seat = 0")
    call_command("migrate", verbosity=0)
    for model, n in ((Participant, 4), (GameSeat, 8)):
        assert model.objects.filter(bot=F("version__bot")).count() == model.objects.count() == n
