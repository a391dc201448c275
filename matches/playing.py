"""Playing a claimed match: from its rows to the referee and back, holding the lease meanwhile."""

from __future__ import annotations

import logging
import time
import traceback
from functools import lru_cache

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from bots.leases import LeaseLost
from bots.models import Package, Version
from bots.packages import read_package, to_program
from bots.sandbox.launcher import Launcher
from bots.sandbox.runtimes import Program
from matches.engine.rules import rules_from
from matches.referee import InfrastructureFault, MatchRecord, MatchSpec, play_match
from matches.services import Claim, fail_attempt, finish_match, renew_lease, stop_attempt

logger = logging.getLogger(__name__)


def play(*, claim: Claim, launcher: Launcher) -> bool:
    """Play the match and store its result. False if the attempt failed or its lease was lost.

    Whatever goes wrong here is ours and never a bot's: the match returns to the queue with the same seed.
    """
    match = claim.match
    spec = MatchSpec(
        seed=bytes(match.seed),
        rules=rules_from(match.preset),
        seats=match.seats,
        deals=match.deals,
        limits=match.limits,
    )
    keeper = Keeper(claim)
    try:
        record = play_match(
            spec,
            [program_of(version) for version in claim.versions],
            launcher,
            sha256s=[version.sha256 for version in claim.versions],
            on_progress=lambda _progress: keeper.renew(),
        )
    except LeaseLost:
        logger.warning("%s: the lease was lost, the attempt is dropped", match)
        return False
    except InfrastructureFault as fault:
        logger.warning("%s: infrastructure fault, %s: %s", match, fault.cause, fault.detail)
        fail_attempt(claim=claim, cause=fault.cause, detail=fault.detail)
        return False
    except Exception as error:
        logger.exception("%s: the attempt failed", match)
        if not connection.is_usable():
            connection.close()
        fail_attempt(claim=claim, cause=type(error).__name__, detail=traceback.format_exc())
        return False
    except BaseException:
        # The worker is being stopped.
        stop_attempt(claim=claim)
        raise
    return keeper.finish(record)


class Keeper:
    """Holds a match until its result is stored; a database that is away for less than the lease does no harm."""

    # Rounds take milliseconds. A lease renewed within this share of its length is as good as new.
    FRESH = 1 / 36
    # How soon a database that did not answer is asked again (seconds).
    AGAIN_S = 0.5

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.renewed_at = time.monotonic()
        self.again_at = 0.0

    def renew(self) -> None:
        """To be called after every round. Raises LeaseLost if the match is no longer ours, or may not be."""
        age_s = time.monotonic() - self.renewed_at
        if age_s < settings.LEASE_S * self.FRESH or time.monotonic() < self.again_at:
            return
        try:
            renew_lease(claim=self.claim)
            self.renewed_at = time.monotonic()
        except (OperationalError, InterfaceError) as error:
            connection.close()
            self.again_at = time.monotonic() + self.AGAIN_S
            if age_s >= settings.LEASE_S:
                raise LeaseLost(self.claim.match) from None
            logger.warning("%s: the lease could not be renewed: %s", self.claim.match, error)

    def finish(self, record: MatchRecord) -> bool:
        """Store the result, also if the database is away just now. False if the lease is lost, or ran out meanwhile.

        Should an earlier try have been stored and only its answer been lost, then nothing is stored twice.
        """
        while True:
            try:
                return finish_match(claim=self.claim, record=record)
            except (OperationalError, InterfaceError) as error:
                connection.close()
                logger.warning("%s: the result could not be stored: %s", self.claim.match, error)
                if time.monotonic() - self.renewed_at >= settings.LEASE_S:
                    return False
                time.sleep(self.AGAIN_S)


def program_of(version: Version) -> Program:
    """The program that plays for this version."""
    return program_from(version.package_id, version.filename, version.runtime)


@lru_cache(maxsize=16)
def program_from(sha256: str, filename: str, runtime: str) -> Program:
    """Packages never change, so a worker reads each of them once."""
    content = bytes(Package.objects.values_list("content", flat=True).get(pk=sha256))
    return to_program(read_package(filename, content, runtime or None))
