"""The life of a check of a version: claimed by a worker, shown stage by stage, ended or returned to the queue."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from bots.leases import LeaseLost, lease_end
from bots.models import Bot, CheckStage, Version

# How soon a check is tried again after our first fault, and at the latest: each wait is twice the one before.
FIRST_RETRY_S = 10
LAST_RETRY_S = 600


@dataclass(frozen=True, slots=True)
class CheckClaim:
    """A worker's hold on a version's check."""

    version: Version
    token: uuid.UUID


def claim_check(
    *, version_id: int, worker: str, runtimes: Collection[str] | None = None
) -> CheckClaim | None:
    """Take the check of a received version, or None if it is not (or not yet) to be had.

    One that needs another runtime than these is left to another worker.
    """
    token = uuid.uuid4()
    now = timezone.now()
    received = Version.objects.filter(pk=version_id, status=Version.Status.RECEIVED)
    if runtimes is not None:
        received = received.filter(runtime__in=[*runtimes, ""])
    with transaction.atomic():
        claimed = received.filter(Q(check_lease_until=None) | Q(check_lease_until__lte=now)).update(
            status=Version.Status.CHECKING,
            check_token=token,
            check_worker=worker,
            check_started_at=now,
            check_lease_until=lease_end(),
            check_attempts=F("check_attempts") + 1,
        )
        if not claimed:
            return None
        CheckStage.objects.filter(version=version_id).update(
            status=CheckStage.Status.WAITING, facts={}, started_at=None, finished_at=None
        )
        version = Version.objects.select_related("bot__owner", "package").get(pk=version_id)
    return CheckClaim(version=version, token=token)


def held(claim: CheckClaim) -> QuerySet[Version]:
    return Version.objects.filter(
        pk=claim.version.pk, status=Version.Status.CHECKING, check_token=claim.token
    )


def settle_runtime(*, claim: CheckClaim, runtime: str) -> None:
    """Store what an upload turned out to be that could not be read when it came. Raises LeaseLost."""
    if claim.version.runtime != runtime:
        if not held(claim).update(runtime=runtime):
            raise LeaseLost(claim.version)
        claim.version.runtime = runtime


def renew_check(*, claim: CheckClaim) -> None:
    """Hold on to a check that makes progress. Raises LeaseLost."""
    if not held(claim).update(check_lease_until=lease_end()):
        raise LeaseLost(claim.version)


def begin_stage(*, claim: CheckClaim, name: str) -> None:
    """Show that a stage is running. Raises LeaseLost."""
    with transaction.atomic():
        renew_check(claim=claim)
        CheckStage.objects.filter(version=claim.version, name=name).update(
            status=CheckStage.Status.RUNNING, facts={}, started_at=timezone.now(), finished_at=None
        )


def pass_stage(*, claim: CheckClaim, name: str, facts: Mapping[str, Any]) -> None:
    """Show that a stage is passed, and what it came to. Raises LeaseLost."""
    with transaction.atomic():
        renew_check(claim=claim)
        CheckStage.objects.filter(version=claim.version, name=name).update(
            status=CheckStage.Status.PASSED, facts=dict(facts), finished_at=timezone.now()
        )


def accept_version(*, claim: CheckClaim, report: Mapping[str, Any]) -> bool:
    """The version is ready; it plays from now on unless a newer one does or its bot was withdrawn meanwhile.

    False, and nothing changed, if the lease is lost.
    """
    with transaction.atomic():
        if not close_check(claim, Version.Status.READY, rejection="", report=report):
            return False
        Bot.objects.filter(pk=claim.version.bot_id, withdrawn_at=None).filter(
            Q(current_version=None) | Q(current_version__number__lt=claim.version.number)
        ).update(current_version=claim.version)
    return True


def reject_version(*, claim: CheckClaim, stage: str, sentence: str, report: Mapping[str, Any]) -> bool:
    """The version failed its check by its own doing; the sentence is for everybody, the report for its owner.

    False, and nothing changed, if the lease is lost.
    """
    with transaction.atomic():
        if not close_check(claim, Version.Status.REJECTED, rejection=sentence[:500], report=report):
            return False
        CheckStage.objects.filter(version=claim.version, name=stage).update(
            status=CheckStage.Status.FAILED, facts={}, finished_at=timezone.now()
        )
    return True


def close_check(claim: CheckClaim, status: str, *, rejection: str, report: Mapping[str, Any]) -> bool:
    return bool(
        held(claim).update(
            status=status,
            rejection=rejection,
            report=dict(report),
            checked_at=timezone.now(),
            check_trouble="",
            check_token=None,
            check_worker="",
            check_lease_until=None,
        )
    )


def return_check(*, claim: CheckClaim, trouble: str) -> None:
    """An infrastructure fault: the check starts again, ever later, or is parked after too many tries.

    Nothing is held against the bot; `trouble` is for operators.
    """
    return_checks(held(claim), trouble=trouble)


def stop_check(*, claim: CheckClaim) -> None:
    """The worker is told to stop: the check waits for another, and the try does not count."""
    held(claim).update(
        status=Version.Status.RECEIVED,
        check_token=None,
        check_worker="",
        check_lease_until=None,
        check_attempts=F("check_attempts") - 1,
    )


def return_expired_checks() -> int:
    """Put checks whose worker is silent back into the queue; the number of them."""
    expired = Version.objects.filter(status=Version.Status.CHECKING, check_lease_until__lt=timezone.now())
    return return_checks(expired, trouble="The worker fell silent.")


def free_checks_of(worker: str, *, before: datetime) -> int:
    """Queue the checks again that a worker of this name, now dead, began before this time."""
    abandoned = Version.objects.filter(
        status=Version.Status.CHECKING, check_worker=worker, check_started_at__lt=before
    )
    return return_checks(abandoned, trouble="The worker died.", is_patient=False)


def return_checks(versions: QuerySet[Version], *, trouble: str, is_patient: bool = True) -> int:
    """Return these checks one by one, each only if it is still as it was found; the number of them."""
    n_returned = 0
    for version in versions.only("pk", "check_token", "check_attempts"):
        wait_s = (
            min(FIRST_RETRY_S * 2 ** min(version.check_attempts - 1, 10), LAST_RETRY_S) if is_patient else 0
        )
        is_over = version.check_attempts >= settings.MAX_ATTEMPTS
        n_returned += versions.filter(pk=version.pk, check_token=version.check_token).update(
            status=Version.Status.PARKED if is_over else Version.Status.RECEIVED,
            check_token=None,
            check_worker="",
            check_lease_until=timezone.now() + timedelta(seconds=wait_s),
            check_trouble=trouble,
        )
    return n_returned


def requeue_check(*, version: Version) -> bool:
    """Have a parked check tried again, as often as a new one. False if it is not parked."""
    parked = Version.objects.filter(pk=version.pk, status=Version.Status.PARKED)
    return bool(parked.update(status=Version.Status.RECEIVED, check_attempts=0, check_lease_until=None))
