"""A crowd small enough for a test, made once for a module's tests, in one transaction. On PostgreSQL alone, whose plans
are looked at: whole scans, and joins that need them, are forbidden to its planner as far as it has another way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test import Client

from arena.population.making import Size, populate
from tests.arena.crowd import visits

SIZE = Size(bots=1000, matches=6000, samples=120, snapshots=3)


@dataclass(frozen=True)
class Crowd:
    places: dict[str, Any]
    stranger: Client
    member: Client


@pytest.fixture(scope="module")
def crowd(django_db_setup: None, django_db_blocker: Any) -> Iterator[Crowd]:
    with django_db_blocker.unblock(), transaction.atomic():
        empty_tables()
        populate(SIZE, seed=1, n_processes=1)
        # Else each test would look through all these rows once more.
        connection.check_constraints()
        with connection.cursor() as cursor:
            for way in ("seqscan", "hashjoin", "mergejoin"):
                cursor.execute(f"SET LOCAL enable_{way} = off")
        known = visits.places()
        member = Client()
        member.force_login(visits.member(known))
        yield Crowd(known, Client(), member)
        transaction.set_rollback(True)


def empty_tables() -> None:
    """As in a new database: what other tests took back still lies in the pages of a table, and a planner that counts
    pages would find other ways from run to run."""
    tables = [
        connection.ops.quote_name(model._meta.db_table)
        for app in ("bots", "matches", "arena")
        for model in apps.get_app_config(app).get_models()
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(tables)} CASCADE")
