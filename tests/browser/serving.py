"""A web server for the browser, in a thread of the test that holds the database connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socket import SHUT_RDWR, socket
from threading import Thread
from typing import Any

from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.servers.basehttp import ThreadedWSGIServer
from django.test.testcases import QuietWSGIRequestHandler

from tests.door import Door, shared_connection


class Server(ThreadedWSGIServer):
    def __init__(self, *words: Any) -> None:
        self.callers: list[socket] = []
        super().__init__(*words)

    def _close_connections(self) -> None:
        """Django's closes what the thread used, which here is the test's."""

    def process_request(self, request: Any, client_address: Any) -> None:
        self.callers.append(request)
        super().process_request(request, client_address)

    def server_close(self) -> None:
        """Whoever is still connected gets no answer either."""
        super().server_close()
        for caller in self.callers:
            with suppress(OSError):
                caller.shutdown(SHUT_RDWR)


@contextmanager
def served(port: int = 0) -> Iterator[tuple[str, Door]]:
    """The address of the site, without a slash at its end, and what answers there, until the block ends."""
    door = Door()
    with shared_connection():
        server = Server(("127.0.0.1", port), QuietWSGIRequestHandler)
        server.set_app(StaticFilesHandler(door))
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", door
        finally:
            door.close()
            server.shutdown()
            server.server_close()
            thread.join()
