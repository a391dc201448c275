"""An upload becomes a version."""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from bots.errors import SubmissionError
from bots.models import DELETED, MAX_FILENAME, Bot, CheckStage, Package, Version, is_name, validate_name
from bots.packages import PackageError, read_package
from bots.sandbox.faults import SandboxError
from bots.sandbox.runtimes import PYTHON
from bots.services.activation import activate_version, end_withdrawal
from bots.services.owners import lock_owner, quotas
from bots.words import refusal

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Submission:
    """What an upload came to: a new version, or the same bytes' old one, activated again if it was ready."""

    version: Version
    created: bool
    reactivated: bool


def submit_version(
    *, owner: User, name: str, filename: str, content: bytes, runtime: str | None = None
) -> Submission:
    """Store an upload as a new version of the owner's bot of this name, made if need be.

    Without a `runtime` it is the one that the upload looks like. The same bytes for the same bot and runtime again are
    no new version: the old one is activated if it was ready, else returned as it is. A withdrawn bot comes back, unless
    the old version was rejected. Raises SubmissionError.
    """
    if not is_name(name):
        raise SubmissionError("bad_name", str(validate_name.message), "name")
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
