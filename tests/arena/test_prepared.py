"""Which statements PostgreSQL plans once. (What its plans are, `tests/arena/crowd` looks at.)"""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F, QuerySet

from arena.statements import statement
from bots.models import Bot

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="it alone prepares statements"),
]


@statement
def beyond(pk: int, owner: int | None) -> QuerySet[Bot, str]:
    found = Bot.objects.filter(pk__gt=pk).annotate(telltale=F("name"))
    return (found if owner is None else found.filter(owner=owner)).values_list("telltale", flat=True)


def plans() -> list[tuple[int, int]]:
    """Of each statement of these that the connection has planned: how often it went by a plan for whatever values, and
    how often by one for its own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE %s",
            ["%telltale%"],
        )
        return [(by_any, by_own) for by_any, by_own in cursor.fetchall()]


def test_postgresql_plans_it_once_for_numbers_of_any_size() -> None:
    for pk in (1, 40_000, 0, 2**40, 3, 7):
        beyond(pk, None)
    # The first time is not worth a plan.
    assert plans() == [(5, 0)]


def test_what_two_filters_or_an_uneven_one_leave_is_planned_with_their_values(owner: User) -> None:
    for _ in range(3):
        assert beyond.filtered(1, owner.pk)(1, owner.pk) == []
        assert beyond.filtered(1, uneven=1)(1, None) == []
    assert plans() == []
    beyond.filtered(1, None)(1, owner.pk)
    beyond.filtered(None, None)(0, owner.pk)
    assert plans() == [(1, 0)]
