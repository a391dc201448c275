"""What the database really does for a request: each SELECT is run once more, explained, and looked through.

A statement may read a long table by an index alone, and few rows of it. (A scan of a whole index has an index too;
rows that were read and thrown away count like all others.)
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import psycopg
from django.db import connection
from psycopg.types.numeric import Int8

# A scan of these does no harm: there is a handful of rows, or what somebody made by hand, or what one account has, or
# they are short in this crowd and found by the key of one thing. All other tables are long.
SHORT = {
    "arena_ladder",
    "arena_pulse",
    "arena_host",
    "arena_ratingrun",  # thinned out to some dozens a ladder
    "arena_tournament",
    "arena_tournamententry",
    "arena_tournamentmatch",
    "arena_tournamentrecord",
    "arena_tournamentforfeit",
    "arena_trial",
    "arena_trialmatch",
    "arena_requestedmatch",
    "arena_notice",
    "bots_package",
    "arena_apitoken",
    "account_emailaddress",
    "auth_permission",
    "auth_group",
    "auth_group_permissions",
    "auth_user_groups",
    "auth_user_user_permissions",
    "django_content_type",
    "django_session",
}
# Rows of a long table that one statement may read: of a page of 50, each at some moments of a week; or all games of a
# page of matches.
MOST_ROWS = 600
# Where somebody asks for so many; and of figures, which are of the latest 200 matches.
MANY_ROWS = 2000
TYPES = {Int8: "int8", str: "unknown", datetime: "timestamptz"}


@dataclass
class Seen:
    """The statements of a request with what was wrong about each, and how many rows they read of each long table."""

    statements: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read: Counter[str] = field(default_factory=Counter)

    @property
    def n(self) -> int:
        return len(self.statements)


def most_rows(address: str) -> int:
    return MANY_ROWS if "page_size=200" in address or "/statistics/" in address else MOST_ROWS


@contextmanager
def watching(most_rows: int = MOST_ROWS) -> Iterator[Seen]:
    seen = Seen()
    selects: list[tuple[str, Any, bool]] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(("SAVEPOINT", "RELEASE", "ROLLBACK")):
            seen.statements.append(sql)
        if sql.startswith("SELECT"):
            selects.append((sql, params, type(context["cursor"].cursor) is psycopg.Cursor))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield seen
    for sql, params, is_prepared in selects:
        read, is_scanned = explained(sql, params, is_prepared=is_prepared)
        seen.read.update(read)
        seen.problems += [f"scans {table}: {sql}" for table in sorted(is_scanned)]
        seen.problems += [f"reads {n} rows of {table}: {sql}" for table, n in read.items() if n > most_rows]


def explained(sql: str, params: Any, *, is_prepared: bool) -> tuple[Counter[str], set[str]]:
    """The rows that the statement reads of each long table, and which of them it reads without an index."""
    with connection.cursor() as cursor:
        if is_prepared:
            # Its one plan for whatever values is another than that for these.
            places = iter(range(1, len(params) + 1))
            text = re.sub("%[s%]", lambda place: "%" if place[0] == "%%" else f"${next(places)}", sql)
            types = listed(TYPES[type(param)] for param in params)
            cursor.execute(f"PREPARE seen {types} AS {text}")
            sql = f"EXECUTE seen {listed('%s' for _ in params)}"
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
        found = cursor.fetchone()[0]
        if is_prepared:
            cursor.execute("DEALLOCATE seen")
    plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    read: Counter[str] = Counter()
    scanned = set()
    for node in nodes(plan):
        table = node.get("Relation Name")
        if table is None or table in SHORT:
            continue
        rows = node["Actual Rows"] + sum(
            node.get(f"Rows Removed by {why}", 0) for why in ("Filter", "Index Recheck")
        )
        read[table] += round(rows * node["Actual Loops"])
        if node["Node Type"] == "Seq Scan" and node["Actual Loops"]:
            scanned.add(table)
    return read, scanned


def listed(words: Iterable[str]) -> str:
    """In brackets, if there are any."""
    return f"({inside})" if (inside := ", ".join(words)) else ""


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from nodes(below)
