"""The sweep: what makes lost bells, dead workers and troublesome versions harmless."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

from arena import bells, pulse
from arena.services import trials
from arena.services.queueing import most_waiting
from arena.services.tournaments import bring_on_all
from bots.models import Version
from bots.services import return_expired_checks
from matches.models import Attempt, Match, Participant
from matches.services import return_expired_leases

MAX_CHECK_BELLS = 20
# A version is suspended when so many attempts at its matches failed within a day, more than half of all, and its
# share of failures is so many times that of all other attempts.
TROUBLE_WINDOW = timedelta(days=1)
TROUBLE_ATTEMPTS = 5
TROUBLE_RATIO = 4
FAILURES = (Attempt.Outcome.INFRASTRUCTURE, Attempt.Outcome.LOST)


def sweep() -> dict[str, int]:
    """Return what silent workers held, ring for what waits, suspend what makes trouble; counts of each."""
    done = {
        "returned_matches": return_expired_leases(),
        "returned_checks": return_expired_checks(),
        "tournament_matches": bring_on_all(),
        "trial_matches": trials.bring_on_all(),
        "suspended": suspend_troublesome(),
        "rung_matches": ring_waiting_matches(),
        "rung_checks": ring_waiting_checks(),
    }
    pulse.forget_the_dead()
    pulse.record_job(pulse.SWEEP, **done)
    return done


def ring_waiting_matches() -> int:
    """Ring for the oldest queued matches, as far as there are fewer bells than matches and workers want."""
    n_bells = bells.n_waiting(pulse.MATCHES)
    if n_bells is None:
        return 0
    queued = Match.objects.filter(status=Match.Status.QUEUED).order_by("pk")
    oldest = list(queued[: most_waiting()])
    missing = oldest[: max(len(oldest) - n_bells, 0)]
    for match in missing:
        bells.ring_match(match)
    return len(missing)


def ring_waiting_checks() -> int:
    n_bells = bells.n_waiting(pulse.CHECKS)
    if n_bells is None:
        return 0
    due = Version.objects.filter(status=Version.Status.RECEIVED).filter(
        Q(check_lease_until=None) | Q(check_lease_until__lte=timezone.now())
    )
    oldest = list(due.order_by("pk").values_list("pk", flat=True)[:MAX_CHECK_BELLS])
    missing = oldest[: max(len(oldest) - n_bells, 0)]
    for version_id in missing:
        bells.ring_check(version_id)
    return len(missing)


def suspend_troublesome() -> int:
    """Suspend versions around which infrastructure faults cluster: breaking the host must be no way out of losing.

    While everybody's attempts fail it is the host's trouble, and nobody is suspended.
    """
    since = timezone.now() - TROUBLE_WINDOW
    failed = attempts_by_version(since, FAILURES)
    suspects = [version for version, n in failed.items() if n >= TROUBLE_ATTEMPTS]
    if not suspects:
        return 0
    finished = attempts_by_version(since, (Attempt.Outcome.FINISHED,))
    recent = Attempt.objects.filter(ended_at__gt=since)
    n_failed = recent.filter(outcome__in=FAILURES).count()
    n_finished = recent.filter(outcome=Attempt.Outcome.FINISHED).count()
    guilty = []
    for version in suspects:
        bad, good = failed[version], finished[version]
        others = (n_failed - bad + 1) / (n_failed - bad + n_finished - good + 2)
        if bad > good and bad / (bad + good) > min(TROUBLE_RATIO * others, 1):
            guilty.append(version)
    return Version.objects.filter(pk__in=guilty, suspended_at=None, bot__is_house=False).update(
        suspended_at=timezone.now()
    )


def attempts_by_version(since: object, outcomes: tuple[str, ...]) -> Counter[int]:
    """How many attempts ended so since then, by version; none from before an operator cleared the version."""
    rows = Participant.objects.filter(
        match__attempts__outcome__in=outcomes, match__attempts__ended_at__gt=since
    ).filter(Q(version__cleared_at=None) | Q(version__cleared_at__lt=F("match__attempts__ended_at")))
    return Counter(rows.values_list("version_id", flat=True))
