"""Every change to bots and versions that spans rows: submission, activation, and the life of a check.

Nothing here rings a worker or knows a ladder; `arena.services` wraps what must.
"""

from __future__ import annotations

import hashlib
import logging
import re
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from bots.errors import Refusal
from bots.leases import LeaseLost, lease_end
from bots.models import DELETED, MAX_FILENAME, Bot, CheckStage, Package, Version, is_name
from bots.packages import PackageError, read_package
from bots.sandbox.faults import SandboxError
from bots.sandbox.runtimes import PYTHON
from bots.words import refusal

logger = logging.getLogger(__name__)

FIRST_RETRY_S = 5
LAST_RETRY_S = 600


class SubmissionError(Refusal):
    """An upload, or a change of what plays, that is refused."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What an upload came to: a new version, or the same bytes' old one, activated again if it was ready."""

    version: Version
    created: bool
    reactivated: bool


@dataclass(frozen=True, slots=True)
class Quotas:
    """What an account has used and may use; the last two are of the past 24 hours."""

    bots: int
    bots_limit: int
    versions_today: int
    versions_a_day: int


@dataclass(frozen=True, slots=True)
class CheckClaim:
    """A worker's hold on a version's check."""

    version: Version
    token: uuid.UUID


# --- Submission ---------------------------------------------------------------------------------------------


def lock_owner(owner: User) -> None:
    """Let nobody else change this account's bots until the transaction ends.

    PostgreSQL locks the row; on SQLite every write transaction excludes all others from its start. What is
    counted after this call therefore still holds when the transaction commits.
    """
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)


def quotas(user: User) -> Quotas:
    since = timezone.now() - timedelta(days=1)
    return Quotas(
        bots=Bot.objects.filter(owner=user).count(),
        bots_limit=settings.QUOTA_BOTS,
        versions_today=Version.objects.filter(bot__owner=user, created_at__gt=since).count(),
        versions_a_day=settings.QUOTA_VERSIONS_A_DAY,
    )


def submit_version(
    *, owner: User, name: str, filename: str, content: bytes, runtime: str | None = None
) -> Submission:
    """Store an upload as a new version of the owner's bot of this name, made if need be.

    Without a `runtime` it is the one that the upload looks like. The same bytes for the same bot and runtime again are
    no new version: the old one is activated if it was ready, else returned as it is. A withdrawn bot comes back, unless
    the old version was rejected. Raises SubmissionError.
    """
    if not is_name(name):
        raise SubmissionError(
            "bad_name", _("A name has 2 to 32 letters, digits, “-” and “_”, and nothing else."), "name"
        )
    filename = plain_filename(filename)
    try:
        runtime = read_package(filename, content, runtime).runtime
    except PackageError as error:
        raise SubmissionError(error.code, refusal(error), "file") from error
    except SandboxError:
        # Its check reads it again, and waits until that can be done; it then knows the runtime too.
        logger.exception("An upload of %d bytes could not be read", len(content))
    sha256 = hashlib.sha256(content).hexdigest()
    with transaction.atomic():
        lock_owner(owner)
        bot = Bot.objects.filter(name__iexact=name).first()
        if bot is not None and bot.owner_id != owner.pk:
            raise name_taken(name)
        known = same_upload(bot, sha256, runtime) if bot else None
        if bot is not None and known is not None:
            is_ready = known.status == Version.Status.READY
            if is_ready:
                activate_version(version=known)
            elif known.status != Version.Status.REJECTED:
                end_withdrawal(bot)
            return Submission(version=known, created=False, reactivated=is_ready)
        used = quotas(owner)
        if bot is None:
            if used.bots >= used.bots_limit:
                raise SubmissionError(
                    "too_many_bots",
                    _("You have %(n)d bots, as many as an account may have.") % {"n": used.bots},
                    "name",
                )
            if name.lower().startswith(DELETED):
                raise SubmissionError("reserved_name", _("This name is reserved."), "name")
            bot = make_bot(owner=owner, name=name)
        if not bot.is_house and used.versions_today >= used.versions_a_day:
            raise SubmissionError(
                "too_many_versions",
                _("You have submitted %(n)d versions within 24 hours, as many as an account may.")
                % {"n": used.versions_today},
            )
        version = add_version(
            bot=bot, filename=filename, content=content, sha256=sha256, runtime=runtime or ""
        )
        CheckStage.objects.bulk_create(
            CheckStage(version=version, name=stage, position=position)
            for position, stage in enumerate(CheckStage.Name)
        )
        end_withdrawal(bot)
    return Submission(version=version, created=True, reactivated=False)


def same_upload(bot: Bot, sha256: str, runtime: str | None) -> Version | None:
    """The bot's version of the same bytes and runtime; one that is not known yet may be any."""
    known = Version.objects.filter(bot=bot, package=sha256)
    if runtime is not None:
        known = known.filter(runtime__in=[runtime, ""])
    return known.first()


def end_withdrawal(bot: Bot) -> None:
    Bot.objects.filter(pk=bot.pk).update(withdrawn_at=None)


def plain_filename(filename: str) -> str:
    """The last part of a path of any system, in plain characters, at most 64 of them, its ending kept."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", PureWindowsPath(PurePosixPath(filename).name).name)
    suffix = PurePosixPath(plain).suffix[-8:]
    stem = plain.removesuffix(suffix)[: MAX_FILENAME - len(suffix)]
    return f"{stem}{suffix}"


def name_taken(name: str) -> SubmissionError:
    return SubmissionError(
        "name_taken", _("Another bot is already called “%(name)s”.") % {"name": name}, "name"
    )


def make_bot(*, owner: User, name: str, is_house: bool = False) -> Bot:
    try:
        with transaction.atomic():
            return Bot.objects.create(owner=owner, name=name, is_house=is_house)
    except IntegrityError as error:
        raise name_taken(name) from error


def add_version(
    *,
    bot: Bot,
    filename: str,
    content: bytes,
    sha256: str,
    runtime: str = PYTHON,
    status: str = Version.Status.RECEIVED,
) -> Version:
    """The next version of a bot whose owner is locked; its package is stored if not there, or if wiped."""
    Package.objects.get_or_create(sha256=sha256, defaults={"content": content, "size": len(content)})
    package = Package.objects.select_for_update(no_key=True).get(sha256=sha256)
    if package.wiped_at is not None:
        Package.objects.filter(pk=package.pk).update(content=content, wiped_at=None)
    last = Version.objects.filter(bot=bot).aggregate(last=Max("number"))["last"] or 0
    return Version.objects.create(
        bot=bot, number=last + 1, package=package, filename=filename, runtime=runtime, status=status
    )


# --- What plays ---------------------------------------------------------------------------------------------


def activate_version(*, version: Version) -> None:
    """Let a ready version play: first use, return after a withdrawal, or a step back to an older one."""
    if version.status != Version.Status.READY:
        raise SubmissionError("not_ready", _("Only a version that passed its check can play."))
    if version.package.wiped_at is not None:
        raise SubmissionError("wiped", _("The source of this version was deleted."))
    Bot.objects.filter(pk=version.bot_id).update(current_version=version, withdrawn_at=None)


def withdraw_bot(*, bot: Bot) -> None:
    """Take a bot out of play. Its results stay, and so do its places on ladders, for its return."""
    Bot.objects.filter(pk=bot.pk).update(current_version=None, withdrawn_at=timezone.now())


def newest_ready(bot: Bot) -> Version:
    """The version that a withdrawn bot returns with. Raises SubmissionError if none is ready."""
    version = Version.objects.filter(bot=bot, status=Version.Status.READY).order_by("-number").first()
    if version is None:
        raise SubmissionError("not_ready", _("No version of this bot has passed its check."))
    return version


def publish_source(*, bot: Bot, is_public: bool) -> None:
    """Let everybody read the sources of all versions of a bot, or its owner alone."""
    Bot.objects.filter(pk=bot.pk).update(is_source_public=is_public)


def strip_name(*, bot: Bot) -> None:
    """Call a bot by what says nothing of its owner, who is leaving; its source is nobody's to read."""
    name, number = f"{DELETED}{bot.pk}", 1
    while Bot.objects.filter(name__iexact=name).exclude(pk=bot.pk).exists():
        number += 1
        name = f"{DELETED}{bot.pk}-{number}"
    Bot.objects.filter(pk=bot.pk).update(name=name, is_source_public=False)


def wipe_packages(*, packages: QuerySet[Package]) -> None:
    """Empty these packages. The rows stay, since versions and replays name them."""
    packages.update(content=b"", wiped_at=timezone.now())


# --- The check of a version ---------------------------------------------------------------------------------


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
        wait_s = min(FIRST_RETRY_S * 2 ** min(version.check_attempts, 10), LAST_RETRY_S) if is_patient else 0
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
