"""Signs of life: what workers and periodic jobs have last reported, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta

from django.utils import timezone

from arena.models import Host, Pulse
from bots.sandbox.runtimes import RUNTIMES

MATCHES, CHECKS, HOUSEKEEPING, RATINGS = "matches", "checks", "housekeeping", "ratings"
QUEUES = (MATCHES, CHECKS, HOUSEKEEPING, RATINGS)
# The queues whose workers make sandboxes.
BOTS = (MATCHES, CHECKS)
SWEEP, SCRUTINY, PAIR, RATE = "sweep", "scrutiny", "pair", "rate"
# A worker that has not been heard of for so long is thought dead, a sweep that old to have stopped.
SILENCE = timedelta(seconds=60)
FORGOTTEN = timedelta(days=1)


def record_job(name: str, broken: Sequence[str] = (), /, **detail: object) -> None:
    """A periodic job has just run; `broken` are the names of ladders, events and trials with which it could do
    nothing."""
    Pulse.objects.update_or_create(
        name=name,
        defaults={
            "kind": Pulse.Kind.JOB,
            "is_well": not broken,
            "detail": {**detail, **({"broken": list(broken)} if broken else {})},
            "seen_at": timezone.now(),
        },
    )


def forget_the_dead() -> None:
    """Drop workers that have not been heard of for a day."""
    Pulse.objects.filter(kind=Pulse.Kind.WORKER, seen_at__lt=timezone.now() - FORGOTTEN).delete()


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
