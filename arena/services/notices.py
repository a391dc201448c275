"""Telling the owner of a bot what the arena has done to it: on the bot's page, and by e-mail to who gave an address."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.core.mail import send_mail
from django.db import transaction
from django.utils.translation import gettext as _

from arena.models import Notice
from bots.models import Version

logger = logging.getLogger(__name__)


def notify(*, version: Version, kind: str, facts: Mapping[str, Any]) -> Notice:
    """Leave a notice for the owner of a version; the e-mail goes out when the transaction has committed."""
    notice = Notice.objects.create(bot=version.bot, version=version, kind=kind, facts=dict(facts))
    transaction.on_commit(lambda: send(notice))
    return notice


def send(notice: Notice) -> None:
    """An e-mail that cannot be sent is logged: the notice itself stands on the bot's page."""
    address = notice.bot.owner.email
    if not address or not notice.bot.owner.is_active:
        return
    subject = _("Skyjo Arena: %(bot)s") % {"bot": notice.bot.name}
    try:
        send_mail(subject, notice.text, None, [address])
    except Exception:  # whatever a mail server or its client may raise
        logger.warning("The notice %d could not be sent", notice.pk, exc_info=True)
