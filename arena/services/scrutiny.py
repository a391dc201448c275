"""Looks for what breaks more than chance explains: versions around which faults cluster, hosts that stand out.

Once a minute, and only the last day. `arena.outliers` says when somebody stands out, and why that is no magic number.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db.models import Count, DurationField, ExpressionWrapper, F, Q, QuerySet, Sum
from django.db.models.functions import TruncHour
from django.utils import timezone

from arena import pulse
from arena.models import Host, Notice
from arena.outliers import Outlier, Stratum, outliers
from arena.services.notices import notify
from bots.models import Version
from matches.models import Attempt, GameSeat, Participant

logger = logging.getLogger(__name__)

WINDOW = timedelta(days=1)
FAILURES = (Attempt.Outcome.INFRASTRUCTURE, Attempt.Outcome.LOST)
ENDED = (*FAILURES, Attempt.Outcome.FINISHED)
FAULTS, TIMEOUTS = "faults", "timeouts"

SPENT = ExpressionWrapper(F("ended_at") - F("started_at"), output_field=DurationField())


def scrutinise() -> dict[str, int]:
    """Suspend versions that make trouble and report hosts that stand out; how many of each."""
    since = timezone.now() - WINDOW
    done = {"suspended": suspend_troublesome(since), "hosts": report_hosts(since)}
    pulse.record_job(pulse.SCRUTINY, **done)
    return done


@dataclass(slots=True)
class Tries:
    """Attempts that have ended: how many, how many of them failed, and the time that all took."""

    n: int = 0
    n_failed: int = 0
    spent_s: float = 0.0

    def add(self, n: int, n_failed: int, spent: timedelta | None) -> None:
        self.n += n
        self.n_failed += n_failed
        self.spent_s += spent.total_seconds() if spent else 0.0

    def share_of(self, whole: Tries) -> float:
        """By number or by time, whichever is more: a long attempt is hit more often by what comes from outside."""
        by_time = self.spent_s / whole.spent_s if whole.spent_s else 0.0
        return min(max(self.n / whole.n, by_time), 1.0)


def stratum(own: Tries, whole: Tries) -> Stratum:
    return Stratum(n_faults=whole.n_failed, n_own=own.n_failed, share=own.share_of(whole))


# --- Versions -----------------------------------------------------------------------------------------------

# An hour on a host.
Place = tuple[datetime, str]


def suspend_troublesome(since: datetime) -> int:
    """Suspend versions around which infrastructure faults cluster: breaking the host must be no way out of losing.

    Faults that fall on everybody who plays there then are the host's, and nobody is suspended for them.
    """
    whole, by_version = tries_at_places(since)
    n_faults = sum(tries.n_failed for tries in whole.values())
    suspects = {
        str(version): [stratum(own, whole[place]) for place, own in places.items()]
        for version, places in by_version.items()
    }
    found = outliers(suspects, n_faults)
    suspended = 0
    for version in Version.objects.filter(pk__in=map(int, found)).select_related("bot"):
        suspended += suspend(version, found[str(version.pk)])
    return suspended


def suspend(version: Version, outlier: Outlier) -> bool:
    """Keep a version out of play until an operator has looked, and tell its owner. False for the house's."""
    fresh = Version.objects.filter(pk=version.pk, suspended_at=None, bot__is_house=False)
    if not fresh.update(suspended_at=timezone.now()):
        return False
    logger.warning(
        "%s is suspended: %d of %d infrastructure faults, where chance would lay %.1f (p = %.1e)",
        version, outlier.n_own, outlier.n_faults, outlier.expected, outlier.chance,
    )  # fmt: skip
    notify(version=version, kind=Notice.Kind.SUSPENDED, facts=asdict(outlier))
    return True


def tries_at_places(since: datetime) -> tuple[dict[Place, Tries], dict[int, dict[Place, Tries]]]:
    """The attempts of each hour and host in which some failed: of all, and of each version that played there.

    Those of before an operator cleared a version do not count against it.
    """
    whole = by_place(Attempt.objects.filter(outcome__in=ENDED, ended_at__gt=since))
    whole = {place: tries for place, tries in whole.items() if tries.n_failed}
    if not whole:
        return {}, {}
    cleared = "match__participants__version__cleared_at"
    # One call, or each condition would join the participants anew and count an attempt once for each of them.
    played = (
        Attempt.objects.filter(
            Q(**{cleared: None}) | Q(**{f"{cleared}__lt": F("ended_at")}),
            outcome__in=ENDED,
            ended_at__gt=since,
        )
        .annotate(hour=TruncHour("ended_at"))
        .values_list("match__participants__version", "hour", "worker")
        .annotate(n=Count("pk"), n_failed=Count("pk", filter=Q(outcome__in=FAILURES)), spent=Sum(SPENT))
    )
    by_version: dict[int, dict[Place, Tries]] = defaultdict(lambda: defaultdict(Tries))
    for version_id, hour, worker, n, n_failed, spent in played.order_by():
        place = hour, pulse.host_of(worker)
        if place in whole:
            by_version[version_id][place].add(n, n_failed, spent)
    return whole, by_version


def by_place(attempts: QuerySet[Attempt]) -> dict[Place, Tries]:
    rows = (
        attempts.annotate(hour=TruncHour("ended_at"))
        .values_list("hour", "worker")
        .annotate(n=Count("pk"), n_failed=Count("pk", filter=Q(outcome__in=FAILURES)), spent=Sum(SPENT))
    )
    found: dict[Place, Tries] = defaultdict(Tries)
    for hour, worker, n, n_failed, spent in rows.order_by():
        found[hour, pulse.host_of(worker)].add(n, n_failed, spent)
    return found


# --- Hosts --------------------------------------------------------------------------------------------------


def report_hosts(since: datetime) -> int:
    """Report hosts whose infrastructure faults or whose bots' time-outs stand out among all; how many are new."""
    # An operator has looked at these within the window; what was found then would be found again.
    spared = set(Host.objects.filter(cleared_at__gt=since).values_list("name", flat=True))
    found = ((FAULTS, faulty_hosts(since)), (TIMEOUTS, slow_hosts(since)))
    return sum(
        report(name, kind, outlier)
        for kind, hosts in found
        for name, outlier in hosts.items()
        if name not in spared
    )


def report(name: str, kind: str, outlier: Outlier) -> bool:
    """Put it on the status page and into the log, once until an operator has looked."""
    Host.objects.get_or_create(name=name)
    evidence = {"kind": kind, **asdict(outlier)}
    if not Host.objects.filter(name=name, reported_at=None).update(
        reported_at=timezone.now(), evidence=evidence
    ):
        return False
    logger.warning(
        "Host %s stands out: %d of %d %s, where chance would lay %.1f (p = %.1e)",
        name, outlier.n_own, outlier.n_faults, kind, outlier.expected, outlier.chance,
    )  # fmt: skip
    return True


def faulty_hosts(since: datetime) -> dict[str, Outlier]:
    """Hosts with more of the infrastructure faults of each hour than their share of what was played then."""
    places = by_place(Attempt.objects.filter(outcome__in=ENDED, ended_at__gt=since))
    hours: dict[datetime, Tries] = defaultdict(Tries)
    for (hour, _), tries in places.items():
        hours[hour].add(tries.n, tries.n_failed, timedelta(seconds=tries.spent_s))
    suspects: dict[str, list[Stratum]] = defaultdict(list)
    for (hour, host), tries in places.items():
        suspects[host].append(stratum(tries, hours[hour]))
    return outliers(suspects, sum(tries.n_failed for tries in hours.values()))


def slow_hosts(since: datetime) -> dict[str, Outlier]:
    """Hosts where versions time out in more of their matches than in those that they play elsewhere."""
    timed_out = set(
        GameSeat.objects.filter(fault="timeout", game__match__result__attempt__ended_at__gt=since)
        .values_list("version_id", "game__match__result__attempt__worker", "game__match_id")
        .distinct()
    )
    if not timed_out:
        return {}
    played = (
        Participant.objects.filter(
            version__in={version for version, _, _ in timed_out},
            match__result__attempt__ended_at__gt=since,
        )
        .values_list("version_id", "match__result__attempt__worker")
        .annotate(n=Count("pk"))
    )
    whole: dict[int, Tries] = defaultdict(Tries)
    by_host: dict[str, dict[int, Tries]] = defaultdict(lambda: defaultdict(Tries))
    for version, worker, n in played.order_by():
        for tries in (whole[version], by_host[pulse.host_of(worker)][version]):
            tries.add(n, 0, None)
    for version, worker, _ in timed_out:
        for tries in (whole[version], by_host[pulse.host_of(worker)][version]):
            tries.add(0, 1, None)
    suspects = {
        host: [stratum(own, whole[version]) for version, own in versions.items()]
        for host, versions in by_host.items()
    }
    return outliers(suspects, len(timed_out))
