"""Statements that the database plans once in each connection.

To plan a statement takes PostgreSQL longer than to answer it. It keeps the plan of a text that comes without its
values, and Django writes values into the text. So what `arena.statements` keeps goes this way instead (decision 27).
SQLite, within this process, has nothing to gain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import psycopg
from django.db import connection

PLACE = re.compile("%[s%]")
# Plans that a connection keeps, of some 150 kB each. All pages and lists of the API, as they are visited by tests, have
# 146; more come of numbers of rows that are asked for by their keys.
MOST_PLANS = 256


def with_constants(sql: str, params: Sequence[tuple[object, int | None]]) -> str:
    """The SQL with those params written into it that are no argument.

    An index of the finished matches alone, say, is of use only to a plan that is known to ask for finished ones.
    """
    left = iter(params)

    def written(place: re.Match[str]) -> str:
        if place[0] == "%%":
            return "%%"
        param, argument = next(left)
        if argument is not None:
            return "%s"
        ops: Any = connection.ops
        return str(ops.compose_sql("%s", [param])).replace("%", "%%")

    return PLACE.sub(written, sql)


def fetched(sql: str, params: Sequence[Any], *, is_prepared: bool) -> list[tuple[Any, ...]]:
    """The rows of a SELECT."""
    with connection.cursor() as cursor:
        if is_prepared and connection.vendor == "postgresql":
            session = connection.connection
            session.prepared_max = MOST_PLANS
            # Not the one of Django's, which writes values into the text.
            cursor.cursor = psycopg.Cursor(session)
        cursor.execute(sql, params)
        return cursor.fetchall()
