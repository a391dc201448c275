"""The arena in figures for Prometheus, read from the database when somebody asks.

One collector and no counters in processes: whichever process answers, the figures are those of the whole arena. Each
query is bounded by what is going on now, or within the last hour, and answered from an index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from arena import finished, health, pulse
from arena.models import Ladder, Pulse
from arena.selectors import status

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
# The label of matches that count for no ladder; no slug looks so.
NO_LADDER = "(none)"


def exposition() -> bytes:
    """All metrics in Prometheus's text format."""
    return generate_latest(_registry)


class ArenaCollector(Collector):
    """Reads every metric afresh at each scrape."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Nothing ahead of time: registering must not touch the database."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        now = timezone.now()
        ladders = list(Ladder.objects.select_related("current_run"))
        signs = pulse.signs()
        versions = status.waiting_versions()
        yield gauge(
            "skyjo_info",
            "1; the label tells the arena's version.",
            ["version"],
            [([status.software_version()], 1)],
        )
        yield gauge("skyjo_healthy", "Whether /healthz answers 200.", [], [([], health.now(signs).ok)])
        yield from matches(ladders, now)
        yield from checks(versions.checks, now)
        yield gauge(
            "skyjo_attempts_last_hour",
            "Attempts at matches that ended within the last hour; leases lost have the outcome lost.",
            ["outcome", "cause"],
            [([ended.outcome, ended.cause], ended.n) for ended in finished.lately(signs)],
        )
        yield from workers([sign for sign in signs if sign.kind == Pulse.Kind.WORKER], now)
        yield gauge(
            "skyjo_job_age_seconds",
            "Time since a periodic job last ran.",
            ["job"],
            [([job.name], seconds(now, job.seen_at)) for job in signs if job.kind == Pulse.Kind.JOB],
        )
        yield from ratings(ladders, now)
        yield gauge(
            "skyjo_suspended_versions",
            "Versions suspended until an operator has looked.",
            [],
            [([], versions.n_suspended)],
        )
        yield gauge(
            "skyjo_differing_games",
            "Games that came out otherwise than they are stored when they were last played again.",
            [],
            [([], status.n_differing_games())],
        )
        disk = status.disk()
        yield gauge("skyjo_disk_free_bytes", "Free space where DATA_DIR is.", [], [([], disk.free)])
        yield gauge("skyjo_disk_bytes", "Size of the file system of DATA_DIR.", [], [([], disk.total)])
        yield gauge("skyjo_database_bytes", "Size of the database.", [], [([], status.database_bytes())])


def matches(ladders: list[Ladder], now: datetime) -> Iterator[GaugeMetricFamily]:
    queues = status.match_queues()
    named = {NO_LADDER: queues.get(None, status.Queue())} | {
        ladder.slug: queues.get(ladder.pk, status.Queue()) for ladder in ladders
    }
    yield gauge(
        "skyjo_matches",
        "Matches that are not over, by ladder.",
        ["ladder", "status"],
        [
            ([slug, word], n)
            for slug, queue in named.items()
            for word, n in (
                ("queued", queue.n_waiting),
                ("running", queue.n_running),
                ("parked", queue.n_parked),
            )
        ],
    )
    yield gauge(
        "skyjo_match_oldest_wait_seconds",
        "Age of the oldest queued match; 0 where none waits.",
        ["ladder"],
        [([slug], seconds(now, queue.oldest)) for slug, queue in named.items()],
    )


def checks(queue: status.Queue, now: datetime) -> Iterator[GaugeMetricFamily]:
    yield gauge(
        "skyjo_checks",
        "Checks of versions that are not over.",
        ["status"],
        [(["received"], queue.n_waiting), (["checking"], queue.n_running), (["parked"], queue.n_parked)],
    )
    yield gauge(
        "skyjo_check_oldest_wait_seconds",
        "Age of the oldest version that waits for its check.",
        [],
        [([], seconds(now, queue.oldest))],
    )


def workers(pulses: list[Pulse], now: datetime) -> Iterator[GaugeMetricFamily]:
    living = {queue: pulse.living_workers(queue, pulses) for queue in pulse.QUEUES}
    yield gauge(
        "skyjo_processes",
        "Processes of living workers, by queue.",
        ["queue"],
        [([queue], sum(one.detail["concurrency"] for one in found)) for queue, found in living.items()],
    )
    yield gauge(
        "skyjo_worker_seen_seconds",
        "Time since a worker was last heard of; one that was stopped, or is silent for a day, is forgotten.",
        ["worker", "host"],
        [([worker.name, worker.detail["host"]], seconds(now, worker.seen_at)) for worker in pulses],
    )
    yield gauge(
        "skyjo_sandbox_ok",
        "1 where a living worker that runs bots has proved its sandbox and has the memory, 0 where it refuses.",
        ["worker", "host"],
        [
            ([worker.name, worker.detail["host"]], worker.is_well)
            for worker in {one.name: one for queue in pulse.BOTS for one in living[queue]}.values()
        ],
    )


def ratings(ladders: list[Ladder], now: datetime) -> Iterator[GaugeMetricFamily]:
    yield gauge(
        "skyjo_rating_age_seconds",
        "Age of a ladder's published ratings. A ladder whose ratings are all settled rests, and they grow old.",
        ["ladder"],
        [
            ([ladder.slug], seconds(now, ladder.current_run.created_at))
            for ladder in ladders
            if ladder.current_run
        ],
    )
    unrated = status.oldest_unrated()
    yield gauge(
        "skyjo_rating_lag_seconds",
        "Time since the first match ended that a ladder's published ratings do not know of, an hour at most.",
        ["ladder"],
        [([ladder.slug], seconds(now, unrated.get(ladder.pk))) for ladder in ladders],
    )


def gauge(
    name: str, documentation: str, labels: list[str], samples: Iterable[tuple[list[str], float]]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, documentation, labels=labels)
    for values, value in samples:
        family.add_metric(values, float(value))
    return family


def seconds(now: datetime, since: datetime | None) -> float:
    """How long ago, never less than nothing; 0 for what has not begun."""
    return max((now - since).total_seconds(), 0.0) if since else 0.0


_registry = CollectorRegistry(auto_describe=False)
_registry.register(ArenaCollector())
