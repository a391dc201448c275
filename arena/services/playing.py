"""A worker plays a queued match."""

from __future__ import annotations

import logging
import time

from arena import fitness, logs, pulse
from arena.bells import ring_asker_of, ring_pairing
from arena.services.deactivation import deactivate_nonstarters
from bots.sandbox.launcher import SandboxLauncher
from matches.models import Match
from matches.playing import play
from matches.services import claim_match

logger = logging.getLogger(__name__)

# How long a process that refuses a match rests (seconds), or it would be the quickest to answer every bell.
REST_S = 5.0
LONGEST_REST_S = 40.0

# Attempts of this process that have failed since its last result.
_n_failed = 0


def play_queued_match(*, match_id: int, worker: str) -> bool:
    """Play a match if it is still to be had and this worker is fit for it; whether a result was stored.

    A worker whose canary failed, that has too little memory or lacks a runtime, or whose host is in quarantine leaves
    the match in the queue for another. One whose attempts fail one after the other rests.
    """
    global _n_failed
    own = fitness.own()
    if not own.is_fit:
        return refuse(match_id, " ".join(own.problems))
    if pulse.is_quarantined(worker):
        return refuse(match_id, f"{pulse.host_of(worker)} is in quarantine.")
    claim = claim_match(match_id=match_id, worker=worker, match_mib=own.match_mib, runtimes=own.runtimes)
    if claim is None:
        return False
    began = time.monotonic()
    with logs.about(match=match_id, versions=[version.pk for version in claim.versions]):
        is_finished = play(claim=claim, launcher=SandboxLauncher())
        logger.info(
            "%s: attempt %d %s after %.1f s",
            claim.match,
            claim.attempt.number,
            "finished" if is_finished else "failed",
            time.monotonic() - began,
        )
    _n_failed = 0 if is_finished else _n_failed + 1
    if is_finished:
        deactivate_nonstarters(match=claim.match)
        ring_asker_of(claim.match)
    if is_queue_low():
        ring_pairing()
    if rest := rest_s(_n_failed, took_s=time.monotonic() - began):
        logger.warning("%d attempts in a row have failed here: resting for %.0f s", _n_failed, rest)
        time.sleep(rest)
    return is_finished


def rest_s(n_failed: int, *, took_s: float) -> float:
    """How long to rest after so many failures in a row, the last of which took so long.

    A host that breaks whatever it touches is done with each match in no time: it would take them from all others, and
    park them. One failure alone may be the match's.
    """
    if n_failed < 2:
        return 0.0
    return max(min(REST_S * 2 ** min(n_failed - 2, 10), LONGEST_REST_S) - took_s, 0.0)


def refuse(match_id: int, why: str) -> bool:
    logger.warning("Match %d is refused: %s", match_id, why)
    time.sleep(REST_S)
    return False


def is_queue_low() -> bool:
    """Whether the queue may run dry before the next periodic pairing."""
    n_queued = Match.objects.filter(status=Match.Status.QUEUED).count()
    return n_queued < 2 * max(pulse.n_match_workers(), 1)
