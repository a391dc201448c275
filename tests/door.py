"""The site as a WSGI application whose threads all use the test's database connection.

What requests do is thereby in the test's own transaction, and gone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connections, transaction

from arena.wsgi import application


class Door:
    """One request at a time; the writes of one that fails with 5xx are undone, as its own transaction would be."""

    def __init__(self) -> None:
        self.connection = connections["default"]
        self.lock = RLock()
        self.is_open = True

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with self.lock:
            if not self.is_open:
                # Browsers complain of an error, and the next test would hear it. To open a page fails all the same.
                start_response("204 No Content", [])
                return [b""]
            connections["default"] = self.connection
            status_line = ""

            def started(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
                nonlocal status_line
                status_line = status
                return start_response(status, headers + self.marks(), *rest)

            point = transaction.savepoint()
            response = application(environ, started)
            try:
                return [b"".join(response)]
            finally:
                response.close()
                if status_line.startswith("5"):
                    transaction.savepoint_rollback(point)
                else:
                    transaction.savepoint_commit(point)

    def open(self) -> None:
        with self.lock:
            self.is_open = True

    def close(self) -> None:
        """From now on no request comes to the database, whose transaction may end; one that is there already ends
        first. Browsers ask when they like, for an icon or for what has changed, also after a test."""
        with self.lock:
            self.is_open = False

    def marks(self) -> list[tuple[str, str]]:
        """Headers that a test adds to an answer."""
        return []


@contextmanager
def shared_connection() -> Iterator[None]:
    """Within the block, threads may use this thread's connection, and no request closes it."""
    connection = connections["default"]
    connection.inc_thread_sharing()
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)
        connection.dec_thread_sharing()
