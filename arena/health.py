"""Whether the arena does its work, and in words why not."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.models import Pulse
from arena.pulse import (
    BOTS,
    MATCHES,
    PAIR,
    RATE,
    SILENCE,
    SWEEP,
    living_workers,
    missing_runtimes,
    playing_workers,
    signs,
)
from bots.models import Version

logger = logging.getLogger(__name__)
# Of a job that goes through all ladders, some of which may take long.
LATE = timedelta(minutes=5)
# With less than that the database's log may soon find no room.
LEAST_FREE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the arena does its work, and in words why not."""

    ok: bool
    reasons: list[str]


def now(found: Sequence[Pulse] | None = None, quarantined: Collection[str] | None = None) -> Health:
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
    except (DatabaseError, InterfaceError):
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
    """Of what is done one by one. A job that has never run, a new arena is still coming to."""
    for sign in found:
        if sign.kind != Pulse.Kind.JOB:
            continue
        if sign.name in {PAIR, RATE} and sign.seen_at < timezone.now() - LATE:
            age_s = int((timezone.now() - sign.seen_at).total_seconds())
            yield _("The job “%(job)s” last ran %(age)d s ago.") % {"job": sign.name, "age": age_s}
        if not sign.is_well:
            yield _("The job “%(job)s” breaks at %(names)s; the log says why.") % {
                "job": sign.name,
                "names": ", ".join(sign.detail["broken"]),
            }
