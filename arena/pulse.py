"""Signs of life: what workers and periodic jobs report, and whether the arena does its work."""

from __future__ import annotations

import logging
import math
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena import memory
from arena.models import Host, Pulse
from arena.orphans import end_orphans
from bots.models import Version
from bots.sandbox.canary import run_canaries
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.runtimes import RUNTIMES
from bots.services import free_checks_of
from matches.services import free_leases_of

logger = logging.getLogger(__name__)

MATCHES, CHECKS, HOUSEKEEPING, RATINGS = "matches", "checks", "housekeeping", "ratings"
QUEUES = (MATCHES, CHECKS, HOUSEKEEPING, RATINGS)
# The queues whose workers make sandboxes.
BOTS = (MATCHES, CHECKS)
SWEEP, SCRUTINY, PAIR, RATE = "sweep", "scrutiny", "pair", "rate"
BEAT_S = 10.0
# A worker that has not been heard of for so long is thought dead, a sweep that old to have stopped.
SILENCE = timedelta(seconds=60)
# Of a job that goes through all ladders, some of which may take long.
LATE = timedelta(minutes=5)
FORGOTTEN = timedelta(days=1)
# With less than that the database's log may soon find no room.
LEAST_FREE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the arena does its work, and in words why not."""

    ok: bool
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class Fitness:
    """What a worker may play: nothing if it has `problems`, else matches that need no more than `match_mib`.

    That is the host's memory, shared between the worker's processes; a check must fit into it too. `denials` says
    what the canary was denied, and `lacks`, by runtime that this host has not, why.
    """

    match_mib: int
    n_processes: int
    problems: tuple[str, ...] = ()
    denials: dict[str, str] = field(default_factory=dict)
    lacks: dict[str, str] = field(default_factory=dict)

    @property
    def runtimes(self) -> list[str]:
        return [runtime for runtime in RUNTIMES if runtime not in self.lacks]

    @property
    def is_fit(self) -> bool:
        return not self.problems


# Found once in a worker's main process, before it forks: its children, recycled ones included, inherit it.
_fitness: Fitness | None = None


def fitness() -> Fitness:
    """This process's own; examined at the first call if its worker did not do so."""
    return _fitness or examine(n_processes=1)


def examine(*, n_processes: int, beside_checks: bool = False) -> Fitness:
    """Let a canary try what a bot must not be able to do, and see how much memory a match may have.

    `beside_checks`: another worker of this host checks versions meanwhile.
    """
    global _fitness
    report = run_canaries(SandboxLauncher())
    _fitness = Fitness(
        match_mib=memory.share_mib(n_processes, beside_checks=beside_checks),
        n_processes=n_processes,
        problems=() if report.ok else tuple(report.problems),
        denials=dict(report.denials),
        lacks=dict(report.lacks),
    )
    return _fitness


def runs_bots(queues: Iterable[str]) -> bool:
    return not set(BOTS).isdisjoint(queues)


def memory_problems(found: Fitness, queues: Iterable[str]) -> list[str]:
    """A sentence for each thing that a worker of these queues has to refuse for want of memory."""
    problems: list[str] = []
    if MATCHES in queues:
        problems += memory.match_problems(found.match_mib)
    if CHECKS in queues:
        problems += memory.check_problems(found.match_mib)
    return problems


# --- Reporting ----------------------------------------------------------------------------------------------


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
                except DatabaseError:
                    logger.warning("The worker could not report", exc_info=True)
                    connection.close()
            time.sleep(BEAT_S)

    def stop(self) -> None:
        """The worker ends as it was asked to, and nobody need miss it."""
        with self.lock:
            self.is_stopped = True
            try:
                Pulse.objects.filter(name=self.name).delete()
            except DatabaseError:
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


def record_job(name: str, broken: Sequence[str] = (), /, **detail: object) -> None:
    """A periodic job has just run; `broken` are the slugs of ladders with which it could do nothing."""
    Pulse.objects.update_or_create(
        name=name,
        defaults={
            "kind": Pulse.Kind.JOB,
            "is_well": not broken,
            "detail": {"broken": list(broken), **detail},
            "seen_at": timezone.now(),
        },
    )


def forget_the_dead() -> None:
    """Drop workers that have not been heard of for a day."""
    Pulse.objects.filter(kind=Pulse.Kind.WORKER, seen_at__lt=timezone.now() - FORGOTTEN).delete()


# --- Reading ------------------------------------------------------------------------------------------------


def signs() -> list[Pulse]:
    """All that workers and jobs have last reported, by name."""
    return list(Pulse.objects.order_by("name"))


def living_workers(queue: str, among: Iterable[Pulse] | None = None) -> list[Pulse]:
    """The workers of a queue that have been heard of lately, well or not."""
    since = timezone.now() - SILENCE
    return [
        sign
        for sign in (signs() if among is None else among)
        if sign.kind == Pulse.Kind.WORKER and sign.seen_at > since and queue in sign.detail.get("queues", [])
    ]


def host_of(worker: str) -> str:
    """The host of a worker, by which it is known to operators: what stands after the @ of its name."""
    return worker.partition("@")[2] or worker


def quarantined_hosts() -> set[str]:
    return set(Host.objects.exclude(quarantined_at=None).values_list("name", flat=True))


def is_quarantined(worker: str) -> bool:
    """Whether operators give the host of this worker no matches."""
    return Host.objects.filter(name=host_of(worker)).exclude(quarantined_at=None).exists()


def playing_workers(
    among: Iterable[Pulse] | None = None, quarantined: Collection[str] | None = None
) -> list[Pulse]:
    """The living workers for matches, without those of hosts in quarantine."""
    quarantined = quarantined_hosts() if quarantined is None else quarantined
    return [sign for sign in living_workers(MATCHES, among) if host_of(sign.name) not in quarantined]


def n_match_workers() -> int:
    """How many matches can be played at once, as far as is known."""
    return sum(pulse.detail["concurrency"] for pulse in playing_workers())


def most_match_mib(among: Iterable[Pulse] | None = None) -> float:
    """The most memory that a match may need for a worker to play it; 0 where none plays, infinite where that worker
    has not told."""
    untold = {True: math.inf, False: 0}
    workers = playing_workers(among)
    return max((worker.detail.get("match_mib", untold[worker.is_well]) for worker in workers), default=0)


def missing_runtimes(among: Iterable[Pulse] | None = None) -> dict[str, str]:
    """By runtime that is missing, why. One is missing where living workers for checks or for matches have reported,
    and all of them lack it; while nobody has reported, none is known to be."""
    found = signs() if among is None else list(among)
    missing: dict[str, str] = {}
    for queue in BOTS:
        lacks = [sign.detail.get("lacks", {}) for sign in living_workers(queue, found)]
        for runtime in RUNTIMES:
            if lacks and all(runtime in lack for lack in lacks):
                missing.setdefault(runtime, lacks[0][runtime])
    return missing


def nobody_plays(*, mib: int, runtimes: Collection[str]) -> bool:
    """Whether no worker, as far as is known, can play a match now that needs so much memory and these runtimes."""
    found = signs()
    return most_match_mib(found) < mib or not missing_runtimes(found).keys().isdisjoint(runtimes)


def is_alive(*, queue: str, host: str) -> bool:
    """Whether a well worker of this queue has reported from this host lately."""
    return any(pulse.is_well and pulse.detail["host"] == host for pulse in living_workers(queue))


def health(found: Sequence[Pulse] | None = None, quarantined: Collection[str] | None = None) -> Health:
    """Database, sandbox and sweep, as one answer.

    Signs, and hosts in quarantine, are read anew where they are not handed over.
    """
    try:
        found = signs() if found is None else found
        reasons = [
            *worker_reasons(found, quarantined),
            *runtime_reasons(found),
            *sweep_reasons(found),
            *job_reasons(found),
            *disk_reasons(),
        ]
    except DatabaseError:
        logger.exception("The database does not answer")
        reasons = [_("The database does not answer.")]
    return Health(ok=not reasons, reasons=reasons)


def disk_reasons() -> Iterable[str]:
    """Where the database is a file of ours; a server has its own disk, and says so itself."""
    if settings.DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
        free = shutil.disk_usage(settings.DATA_DIR).free
        if free < LEAST_FREE_BYTES:
            yield _("The disk of DATA_DIR is full: %(free)d MiB are left. Make room there.") % {
                "free": free // 2**20
            }


def worker_reasons(found: Sequence[Pulse], quarantined: Collection[str] | None) -> Iterable[str]:
    for queue in BOTS:
        workers = living_workers(queue, found)
        if not (playing_workers(found, quarantined) if queue == MATCHES else workers):
            yield _("No worker is there for %(queue)s.") % {"queue": queue}
        for worker in workers:
            for problem in worker.detail["problems"]:
                yield _("Worker %(name)s: %(problem)s") % {"name": worker.name, "problem": problem}


def runtime_reasons(found: Sequence[Pulse]) -> Iterable[str]:
    for runtime, why in missing_runtimes(found).items():
        if n_idle := Version.objects.playing().filter(runtime=runtime).count():
            yield ngettext(
                "%(n)d bot does not play, for no worker has its runtime: %(why)s",
                "%(n)d bots do not play, for no worker has their runtime: %(why)s",
                n_idle,
            ) % {"n": n_idle, "why": why}


def sweep_reasons(found: Sequence[Pulse]) -> Iterable[str]:
    sweep = next((sign for sign in found if sign.name == SWEEP), None)
    if sweep is None:
        yield _("The sweep has never run.")
    elif sweep.seen_at < timezone.now() - SILENCE:
        age_s = int((timezone.now() - sweep.seen_at).total_seconds())
        yield _("The sweep last ran %(age)d s ago.") % {"age": age_s}


def job_reasons(found: Sequence[Pulse]) -> Iterable[str]:
    """Of what is done with each ladder. A job that has never run, a new arena is still coming to."""
    for sign in found:
        if sign.kind != Pulse.Kind.JOB or sign.name not in {PAIR, RATE}:
            continue
        if sign.seen_at < timezone.now() - LATE:
            age_s = int((timezone.now() - sign.seen_at).total_seconds())
            yield _("The job “%(job)s” last ran %(age)d s ago.") % {"job": sign.name, "age": age_s}
        if not sign.is_well:
            ladders = ", ".join(sign.detail["broken"])
            yield _("The job “%(job)s” breaks at %(ladders)s; the log says why.") % {
                "job": sign.name,
                "ladders": ladders,
            }
