"""Whether this process can serve requests, which says nothing about the workers: `/readyz`."""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext as _

logger = logging.getLogger(__name__)

# Whether this process has seen that no migration is missing; none comes off again under it.
_migrated = threading.Event()


def unreadiness() -> list[str]:
    """In words why requests cannot be served; empty if they can.

    A broker that is away is no reason: bells may be lost, and pages and uploads work without them.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        is_migrated = _migrated.is_set() or not unapplied_migrations()
    except (DatabaseError, InterfaceError):
        logger.exception("The database does not answer")
        return [_("The database does not answer.")]
    if not is_migrated:
        return [_("The database is not up to date: migrations are missing.")]
    _migrated.set()
    return []


def unapplied_migrations() -> list[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [str(migration) for migration, _backwards in plan]
