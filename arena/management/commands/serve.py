"""Runs the whole arena on this machine; `make run` calls it."""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from arena.memory import fitting_processes
from arena.outages import outage
from arena.services import seed_arena
from arena.serving.address import Address, AddressProblem, listen, probe, read_address, site_name
from arena.serving.programs import arena_programs
from arena.serving.supervisor import Supervisor

# Nothing is said about /healthz before this: the first start takes a few seconds.
PATIENCE_S = 20.0


class Command(BaseCommand):
    help = "Run the web server, the workers and beat on this machine, until SIGINT or SIGTERM."

    def handle(self, *args: Any, **options: Any) -> None:
        data_dir: Path = settings.DATA_DIR
        supervisor = Supervisor(programs=[], say=self._say)
        supervisor.install_signal_handlers()
        try:
            address = read_address(os.environ.get("HOST", "127.0.0.1"), os.environ.get("PORT", "8000"))
            with _only_one(data_dir, address), listen(address) as listener:
                if self._prepare(supervisor):
                    match_workers = settings.MATCH_WORKERS or self._match_workers()
                    connections.close_all()
                    supervisor.programs = arena_programs(
                        base_dir=settings.BASE_DIR,
                        data_dir=data_dir,
                        environ=_environ(address),
                        listener=listener.fileno(),
                        match_workers=match_workers,
                    )
                    ended = threading.Event()
                    threading.Thread(target=self._announce, args=(address, ended), daemon=True).start()
                    try:
                        supervisor.run()
                    finally:
                        ended.set()
        except AddressProblem as problem:
            raise CommandError(str(problem)) from None
        except (OSError, DatabaseError) as error:
            if (found := outage(error)) is None:
                raise
            raise CommandError(f"{found.sentence} (DATA_DIR is {data_dir})") from error
        self._say("Stopped.")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _prepare(self, supervisor: Supervisor) -> bool:
        """Brings database, static files and broker folder up to date; False when told to stop meanwhile."""
        if not settings.REDIS_URL:
            _empty_broker_folder()
        for step, arguments in (
            ("migrate", {"interactive": False}),
            ("createcachetable", {}),
            ("collectstatic", {"interactive": False}),
        ):
            if supervisor.is_stopping:
                return False
            call_command(step, verbosity=0, **arguments)
        seed_arena()
        return not supervisor.is_stopping

    def _match_workers(self) -> int:
        """As many as there are cores, unless memory would not hold what the bots of an open ladder may use."""
        return fitting_processes(len(os.sched_getaffinity(0)))

    def _announce(self, address: Address, ended: threading.Event) -> None:
        """Says where the site is once it is well, and until then, when it takes long, why it is not."""
        name = site_name(address, settings.ALLOWED_HOSTS)
        told: list[str] = []
        patient_until = time.monotonic() + PATIENCE_S
        while not (health := probe(address, name)).is_well:
            if time.monotonic() > patient_until and list(health.reasons) != told:
                told = list(health.reasons)
                self._say(f"Not ready yet: {'; '.join(told)}")
            if ended.wait(0.25):
                return
        prefix = f"DATA_DIR={settings.DATA_DIR} " if os.environ.get("DATA_DIR") else ""
        self._say(
            f"\nSkyjo Arena is running at {address.url}\n"
            f"To become administrator, run in another terminal:  {prefix}make admin\n"
            f"  (which is: {prefix}.venv/bin/python manage.py createsuperuser)\n"
            "Stop everything with Ctrl-C."
        )
        if address.is_wildcard and not os.environ.get("ALLOWED_HOSTS"):
            self._say("To be reached under another name or address, set ALLOWED_HOSTS (see docs/operate.md).")


@contextmanager
def _only_one(data_dir: Path, address: Address) -> Iterator[None]:
    """Holds the data directory's lock: a second arena on the same data is refused, in words."""
    try:
        lock = (data_dir / "serve.lock").open("a+")
    except OSError as error:
        raise CommandError(
            f"DATA_DIR {data_dir} cannot be written: {error.strerror}. Choose another with DATA_DIR=/path."
        ) from None
    with lock as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            running = file.read().strip() or "still starting"
            raise CommandError(
                f"The arena of {data_dir} is running already ({running}). "
                "Stop it first, or choose another directory: DATA_DIR=/some/where make run"
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()}, {address.url}")
        file.flush()
        yield


def _empty_broker_folder() -> None:
    """Bells of an earlier run ring for nobody; the sweep rings for whatever is still to do."""
    folder = settings.DATA_DIR / "broker"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "bells").mkdir(parents=True)


def _environ(address: Address) -> dict[str, str]:
    """Our environment; a site that listens on an address of its own also answers to that."""
    environ = dict(os.environ)
    if not environ.get("ALLOWED_HOSTS") and not address.is_wildcard:
        own = f"[{address.host}]" if ":" in address.host else address.host
        environ["ALLOWED_HOSTS"] = ",".join(dict.fromkeys([*settings.ALLOWED_HOSTS, own]))
    return environ
