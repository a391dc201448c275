"""What a worker process does when it begins, beside its tasks: prove its sandbox, report, die with its parent."""

from __future__ import annotations

import ctypes
import os
import signal
from datetime import datetime
from typing import Any

from billiard import current_process
from celery.bootsteps import StartStopStep
from celery.signals import (
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_ready,
)
from django.conf import settings
from django.db import close_old_connections
from django.utils import timezone

from arena import fitness, logs, pulse
from arena.acks import notice_dead_brokers
from arena.celery import app
from arena.heart import Heart
from arena.orphans import adopt_orphans
from arena.pool import use_mortal_locks

PR_SET_PDEATHSIG = 1
# What the argument of a task is.
ROWS = {
    "arena.tasks.play_match": ("match",),
    "arena.tasks.check_version": ("version",),
    "arena.tasks.advance_tournament": ("tournament",),
    "arena.tasks.advance_trial": ("trial",),
}

# Of the worker's main process, and inherited by its children.
_main_pid: int | None = None
_began_at: datetime | None = None
_queues: frozenset[str] = frozenset()
_heart: Heart | None = None


@worker_init.connect
def examine_worker(sender: Any, **kwargs: Any) -> None:
    """Before the worker's processes are forked from this one, which is why they know what was found."""
    global _main_pid, _began_at, _queues
    use_mortal_locks()
    notice_dead_brokers()
    _main_pid, _began_at = os.getpid(), timezone.now()
    _queues = frozenset(sender.app.amqp.queues.consume_from)
    if fitness.runs_bots(_queues):
        adopt_orphans()
        # Of an embedded arena; elsewhere each worker has a host or container of its own, or is told its processes.
        beside_checks = settings.EMBEDDED and pulse.CHECKS not in _queues
        fitness.examine(n_processes=sender.concurrency, beside_checks=beside_checks)


@worker_ready.connect
def start_heart(sender: Any, **kwargs: Any) -> None:
    global _heart
    _heart = Heart(
        name=sender.hostname,
        queues=_queues,
        concurrency=sender.pool.num_processes,
        found=fitness.own() if fitness.runs_bots(_queues) else None,
    )
    _heart.start(began_at=_began_at or timezone.now())


class TakeLeave(StartStopStep):
    """A worker that ends as it was asked to says so, whether it ends after its tasks or in spite of them."""

    def start(self, parent: Any) -> None:
        pass

    def stop(self, parent: Any) -> None:
        if _heart is not None:
            _heart.stop()

    terminate = stop


app.steps["worker"].add(TakeLeave)


@worker_process_init.connect
def die_with_the_main_process(**kwargs: Any) -> None:
    """Else a killed worker's children would play on, unseen by whoever starts the next."""
    if os.getpid() != _main_pid:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@worker_process_init.connect
def stay_on_one_core(**kwargs: Any) -> None:
    """A referee and its bots work by turns: on one core they wake each other several times as fast as across two."""
    if settings.PIN_WORKERS and pulse.MATCHES in _queues and os.getpid() != _main_pid:
        cores = sorted(os.sched_getaffinity(0))
        place: int = getattr(current_process(), "index", 0)
        os.sched_setaffinity(0, {cores[place % len(cores)]})


@task_prerun.connect
def drop_broken_connections(sender: Any, **kwargs: Any) -> None:
    """Connections outlive tasks here, so that a match costs no new one; a broken one is replaced."""
    if not sender.request.is_eager:
        close_old_connections()


@task_prerun.connect
def name_the_task(sender: Any, task_id: str, args: Any, **kwargs: Any) -> None:
    """Every line from now on says which task wrote it, and about which row; Celery's own about a failure too."""
    rows = dict(zip(ROWS.get(sender.name, ()), args, strict=False))
    logs.begin(task=f"{sender.name.rpartition('.')[2]}[{task_id}]", **rows)


@task_postrun.connect
def forget_the_task(**kwargs: Any) -> None:
    logs.end()
