"""Bots come, change and go: what `bots.services` does, and what it means for ladders and workers."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from arena.bells import ring_check, ring_pairing
from arena.models import Ladder, LadderEntry
from arena.pulse import missing_runtimes
from arena.runtimes import not_offered
from bots import services as bots
from bots.models import Bot, Version
from bots.services import Submission, SubmissionError, lock_owner


def submit_version(
    *, owner: User, name: str, filename: str, content: bytes, runtime: str | None = None
) -> Submission:
    """Take an upload and have it checked; see `bots.services.submit_version`. Raises SubmissionError.

    A bot that comes back from a withdrawal is off those ladders where its owner has no place left.
    """
    lacking = missing_runtimes()
    with transaction.atomic():
        submission = bots.submit_version(
            owner=owner, name=name, filename=filename, content=content, runtime=runtime
        )
        if submission.version.runtime in lacking:
            raise SubmissionError("runtime_missing", not_offered(submission.version.runtime, lacking), "file")
        keep_within_quota(submission.version.bot)
        if submission.created:
            ring_check(submission.version.pk)
        if submission.reactivated:
            ring_pairing()
    return submission


def activate_version(*, version: Version) -> None:
    """Let this ready version of a bot play from now on. Raises SubmissionError.

    A bot that comes back from a withdrawal is off those ladders where its owner has no place left.
    """
    with transaction.atomic():
        lock_owner(version.bot.owner)
        bots.activate_version(version=version)
        keep_within_quota(version.bot)
        ring_pairing()


def reactivate_bot(*, bot: Bot) -> None:
    """Let a withdrawn bot play again, with its newest ready version. Raises SubmissionError."""
    activate_version(version=bots.newest_ready(bot))


def withdraw_bot(*, bot: Bot) -> None:
    """Take a bot out of play; what is being played is played to its end and counts."""
    bots.withdraw_bot(bot=bot)


def entries_of(user: User, ladder: Ladder) -> int:
    """How many bots this account has in play on the ladder."""
    return LadderEntry.objects.filter(
        ladder=ladder, bot__owner=user, is_active=True, bot__withdrawn_at=None
    ).count()


def has_place(bot: Bot, ladder: Ladder) -> bool:
    """Whether the quota leaves the bot a place beside its owner's others. Holds while the owner is locked."""
    others = LadderEntry.objects.filter(
        ladder=ladder, bot__owner=bot.owner_id, is_active=True, bot__withdrawn_at=None
    ).exclude(bot=bot)
    return bot.is_house or others.count() < settings.QUOTA_ENTRIES


def enter_ladder(*, bot: Bot, ladder: Ladder) -> None:
    """Put a bot on a ladder, where its current version plays from now on. Raises SubmissionError."""
    with transaction.atomic():
        lock_owner(bot.owner)
        bot.refresh_from_db()
        if bot.current_version_id is None:
            raise SubmissionError("not_ready", _("No version of this bot is in play."))
        if not ladder.is_open:
            raise SubmissionError("closed", _("This ladder is closed."))
        if not has_place(bot, ladder):
            raise SubmissionError(
                "too_many_entries",
                _("You have %(n)d bots on this ladder, as many as an account may have.")
                % {"n": settings.QUOTA_ENTRIES},
            )
        LadderEntry.objects.update_or_create(ladder=ladder, bot=bot, defaults={"is_active": True})
        ring_pairing()


def leave_ladder(*, bot: Bot, ladder: Ladder) -> None:
    """Take a bot off a ladder; its rating there stays in the fit."""
    LadderEntry.objects.filter(ladder=ladder, bot=bot).update(is_active=False)


def enter_ladders(*, version: Version) -> None:
    """A bot's first ready version enters every open ladder where its owner has a place left.

    Later versions take the bot's place where it has one. To be called with the owner locked.
    """
    bot = version.bot
    ready = Version.objects.filter(bot=bot, status=Version.Status.READY)
    if not ready.exclude(pk=version.pk).exists():
        LadderEntry.objects.bulk_create(
            LadderEntry(ladder=ladder, bot=bot)
            for ladder in Ladder.objects.filter(is_open=True).exclude(entries__bot=bot)
            if has_place(bot, ladder)
        )
    ring_pairing()


def keep_within_quota(bot: Bot) -> None:
    """Take a bot off the ladders where its return would exceed the quota; a withdrawn one keeps its places.

    The owner must be locked.
    """
    entered = LadderEntry.objects.filter(bot=bot, bot__withdrawn_at=None, is_active=True)
    for entry in entered.select_related("ladder"):
        if not has_place(bot, entry.ladder):
            leave_ladder(bot=bot, ladder=entry.ladder)
