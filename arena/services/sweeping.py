"""The sweep: what makes lost bells and dead workers harmless."""

from __future__ import annotations

import math

from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from arena import bells, finished, pulse
from arena.services import trials
from arena.services.queueing import most_waiting
from arena.services.tournaments import bring_on_all
from bots.models import Version
from bots.services import return_expired_checks
from matches.models import Match, Participant
from matches.services import return_expired_leases

MAX_CHECK_BELLS = 20


def sweep() -> dict[str, int]:
    """Return what silent workers held and ring for what waits; counts of each."""
    events, tried = bring_on_all(), trials.bring_on_all()
    done = {
        "returned_matches": return_expired_leases(),
        "returned_checks": return_expired_checks(),
        "tournament_matches": events.n,
        "trial_matches": tried.n,
        "rung_matches": ring_waiting_matches(),
        "rung_checks": ring_waiting_checks(),
    }
    pulse.forget_the_dead()
    pulse.record_job(pulse.SWEEP, events.broken + tried.broken, **done, **finished.swept())
    return done


def ring_waiting_matches() -> int:
    """Ring for the oldest queued matches that some worker can play, as far as there are fewer bells than matches and
    workers want. Were it rung for others too, enough of them would keep all the rest waiting for ever."""
    n_bells = bells.n_waiting(pulse.MATCHES)
    if n_bells is None:
        return 0
    signs = pulse.signs()
    queued = Match.objects.filter(status=Match.Status.QUEUED)
    if 0 < (most_mib := pulse.most_match_mib(signs)) < math.inf:
        queued = queued.filter(memory_mib__lte=most_mib / F("seats"))
    if lacking := pulse.missing_runtimes(signs):
        seated = Participant.objects.filter(match=OuterRef("pk"), version__runtime__in=lacking)
        queued = queued.exclude(Exists(seated))
    oldest = list(queued.order_by("pk")[: most_waiting()])
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
    due = due.exclude(runtime__in=pulse.missing_runtimes())
    oldest = list(due.order_by("pk").values_list("pk", flat=True)[:MAX_CHECK_BELLS])
    missing = oldest[: max(len(oldest) - n_bells, 0)]
    for version_id in missing:
        bells.ring_check(version_id)
    return len(missing)
