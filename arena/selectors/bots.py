"""A bot and its versions, as their pages show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, F, OuterRef, QuerySet

from arena.models import Ladder, LadderEntry, Notice, Rating
from bots.house import HOUSE
from bots.models import Bot, Version

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

VERSIONS_SHOWN = 25
NOTICES_SHOWN = 5


def strategy_of(bot: Bot) -> list[str]:
    """How a house bot plays, in the paragraphs of its own file; nothing for any other bot."""
    if not bot.is_house:
        return []
    texts = [house_bot.strategy for house_bot in HOUSE if house_bot.name == bot.name]
    return [" ".join(paragraph.split()) for text in texts for paragraph in text.split("\n\n")]


def described_bots(user: User | AnonymousUser) -> QuerySet[Bot]:
    return Bot.objects.visible_to(user).select_related("owner", "current_version")


def described_versions(user: User | AnonymousUser) -> QuerySet[Version]:
    """Versions with their bot, owner and stages; the package's content is not read."""
    return (
        Version.objects.visible_to(user)
        .select_related("bot__owner", "bot__current_version", "package")
        .defer("package__content")
        .prefetch_related("stages")
    )


def versions_of(bot: Bot, *, before: int | None = None) -> QuerySet[Version]:
    """A bot's versions, newest first, those with a number below `before`."""
    versions = bot.versions.select_related("package").defer("package__content", "report").order_by("-number")
    return versions if before is None else versions.filter(number__lt=before)


def ratings_of(bot: Bot) -> QuerySet[Rating]:
    """The published ratings of a bot's versions on every ladder, newest version first."""
    return (
        Rating.objects.filter(version__bot=bot, run=F("run__ladder__current_run"))
        .select_related("run__ladder", "version")
        .order_by("run__ladder__position", "-version__number")
    )


def ratings_of_version(version: Version) -> QuerySet[Rating]:
    return (
        Rating.objects.filter(version=version, run=F("run__ladder__current_run"))
        .select_related("run__ladder", "version")
        .order_by("run__ladder__position")
    )


def notices_of(bot: Bot, user: User | AnonymousUser) -> list[Notice]:
    """What the arena has told the bot's owner of late, for the owner and who may read what is private."""
    found = Notice.objects.visible_to(user).filter(bot=bot).select_related("bot", "version")
    return list(found[:NOTICES_SHOWN])


def is_deactivated(bot: Bot) -> bool:
    """Whether the bot is out of play because it did not start, and not by its owner's will."""
    return (
        bot.withdrawn_at is not None
        and Notice.objects.filter(
            bot=bot, kind=Notice.Kind.DEACTIVATED, created_at__gte=bot.withdrawn_at
        ).exists()
    )


def ladder_states(bot: Bot) -> list[tuple[Ladder, bool]]:
    """Every open ladder, and whether the bot is on it."""
    entry = LadderEntry.objects.filter(ladder=OuterRef("pk"), bot=bot, is_active=True)
    ladders = Ladder.objects.filter(is_open=True).annotate(has_bot=Exists(entry))
    return [(ladder, ladder.has_bot) for ladder in ladders]
