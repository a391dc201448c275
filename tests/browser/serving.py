"""A web server for the browser, in a thread of the test that holds the database connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.servers.basehttp import ThreadedWSGIServer
from django.test.testcases import QuietWSGIRequestHandler

from tests.door import Door, shared_connection


class Server(ThreadedWSGIServer):
    def _close_connections(self) -> None:
        """Django's closes what the thread used, which here is the test's."""


@contextmanager
def served() -> Iterator[tuple[str, Door]]:
    """The address of the site, without a slash at its end, and what answers there, until the block ends."""
    door = Door()
    with shared_connection():
        server = Server(("127.0.0.1", 0), QuietWSGIRequestHandler)
        server.set_app(StaticFilesHandler(door))
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", door
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
