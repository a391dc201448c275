"""Which version of a bot plays, if any."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _

from bots.errors import SubmissionError
from bots.models import Bot, Version


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


def end_withdrawal(bot: Bot) -> None:
    Bot.objects.filter(pk=bot.pk).update(withdrawn_at=None)


def newest_ready(bot: Bot) -> Version:
    """The version that a withdrawn bot returns with. Raises SubmissionError if none is ready."""
    version = Version.objects.filter(bot=bot, status=Version.Status.READY).order_by("-number").first()
    if version is None:
        raise SubmissionError("not_ready", _("No version of this bot has passed its check."))
    return version
