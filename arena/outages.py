"""Tells an outage of what the arena stands on (database, disk) from an error of its own code."""

from __future__ import annotations

import errno
from dataclasses import dataclass

from django.db import DatabaseError, InterfaceError
from django.utils.translation import gettext_noop


@dataclass(frozen=True, slots=True)
class Outage:
    """What is out: `code` for programs, `sentence` (to be translated) for people, and when to ask again."""

    code: str
    sentence: str
    retry_after_s: int


AWAY = Outage(
    "database_away", gettext_noop("The arena's database does not answer just now. Nothing is lost."), 10
)
FULL = Outage(
    "disk_full",
    gettext_noop("The server's disk is full: nothing can be stored until an operator makes room."),
    60,
)
READ_ONLY = Outage(
    "read_only",
    gettext_noop("The server's data can only be read at present: nothing can be stored."),
    60,
)

# Classes of SQLSTATE: connection, transaction rolled back by the server, resources, lock, operator intervention, I/O.
AWAY_CLASSES = ("08", "40", "53", "55", "57", "58")
# SQLite's own words; plain SQLITE_ERROR stands for wrong SQL.
AWAY_ERRORS = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_PROTOCOL")


def outage(error: BaseException | None) -> Outage | None:
    """What an error says of database and disk; None if it is a fault of ours."""
    if isinstance(error, OSError):
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            return FULL
        return READ_ONLY if error.errno == errno.EROFS else None
    if not isinstance(error, (DatabaseError, InterfaceError)):
        return None
    driver = error.__cause__
    if name := getattr(driver, "sqlite_errorname", ""):
        return _of_sqlite(name)
    if state := getattr(driver, "sqlstate", None):
        return _of_postgres(state)
    # The connection itself is gone, or could not be made: the server said nothing.
    return AWAY if type(error).__name__ in {"OperationalError", "InterfaceError"} else None


def _of_sqlite(name: str) -> Outage | None:
    if name == "SQLITE_FULL":
        return FULL
    if name.startswith("SQLITE_READONLY"):
        return READ_ONLY
    return AWAY if name.startswith(AWAY_ERRORS) else None


def _of_postgres(state: str) -> Outage | None:
    if state == "53100":
        return FULL
    if state == "25006":
        return READ_ONLY
    return AWAY if state.startswith(AWAY_CLASSES) else None
