"""A worker's heart: reports that it lives."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from arena.fitness import Fitness, memory_problems
from arena.models import Host, Pulse
from arena.orphans import end_orphans
from arena.pulse import MATCHES, host_of
from bots.services import free_checks_of
from matches.services import free_leases_of

logger = logging.getLogger(__name__)
BEAT_S = 10.0


class Heart:
    """Reports a worker's life from a thread of its main process until that ends.

    The thread's connection must not be open while the main process forks: the child would share it, and close it
    for both when it ends. A lock keeps forks and beats apart, and the connection is closed before each fork.
    """

    def __init__(self, *, name: str, queues: Iterable[str], concurrency: int, found: Fitness | None) -> None:
        self.name = name
        self.queues = sorted(queues)
        self.concurrency = concurrency
        self.found = found
        self.lock = threading.Lock()
        self.connection: BaseDatabaseWrapper | None = None
        self.is_stopped = False

    def start(self, *, began_at: datetime) -> None:
        """`began_at`: when the worker started; what it held before then, a dead predecessor of its name held."""
        os.register_at_fork(
            before=self.before_fork, after_in_parent=self.lock.release, after_in_child=self.lock.release
        )
        threading.Thread(target=self.run, args=[began_at], name="heart", daemon=True).start()

    def run(self, began_at: datetime) -> None:
        connection = self.take_connection()
        beat: Callable[[], None] = partial(self.first_beat, began_at=began_at)
        while True:
            with self.lock:
                if self.is_stopped:
                    return
                if self.found is not None and (n_orphans := end_orphans()):
                    logger.warning("Ended %d sandboxes that a killed process had left", n_orphans)
                try:
                    beat()
                    beat = self.beat
                except (DatabaseError, InterfaceError):
                    logger.warning("The worker could not report", exc_info=True)
                    connection.close()
            time.sleep(BEAT_S)

    def stop(self) -> None:
        """The worker ends as it was asked to, and nobody need miss it."""
        with self.lock:
            self.is_stopped = True
            try:
                Pulse.objects.filter(name=self.name).delete()
            except (DatabaseError, InterfaceError):
                logger.warning("The worker could not take its leave", exc_info=True)

    def take_connection(self) -> BaseDatabaseWrapper:
        """This thread's connection, from now on shared with the thread that forks and has to close it."""
        self.connection = connections[DEFAULT_DB_ALIAS]
        self.connection.inc_thread_sharing()
        return self.connection

    def first_beat(self, *, began_at: datetime) -> None:
        if settings.EMBEDDED:
            free_leases_of(self.name, before=began_at)
            free_checks_of(self.name, before=began_at)
        if MATCHES in self.queues:
            Host.objects.get_or_create(name=host_of(self.name))
        self.beat()

    def beat(self) -> None:
        problems = [*self.found.problems, *memory_problems(self.found, self.queues)] if self.found else []
        Pulse.objects.update_or_create(
            name=self.name,
            defaults={
                "kind": Pulse.Kind.WORKER,
                "is_well": not problems,
                "detail": {
                    "host": socket.gethostname(),
                    "queues": self.queues,
                    "concurrency": self.concurrency,
                    "problems": problems,
                    "match_mib": self.found.match_mib if self.found and self.found.is_fit else 0,
                    "canary": self.found.denials if self.found else {},
                    "lacks": self.found.lacks if self.found else {},
                },
                "seen_at": timezone.now(),
            },
        )

    def before_fork(self) -> None:
        self.lock.acquire()
        if self.connection is not None:
            self.connection.close()
