"""A bot and its versions, as their pages show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Lower

from arena.models import Ladder, LadderEntry, Notice, Rating
from arena.statements import statement
from bots.house import HOUSE
from bots.models import Bot, Version, is_name

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

# What a name may begin with.
BEGINNING = re.compile(r"[A-Za-z0-9_-]{1,32}")
PAGE_SIZE = 50
VERSIONS_SHOWN = 25
NOTICES_SHOWN = 5


def strategy_of(bot: Bot) -> list[str]:
    """How a house bot plays, in the paragraphs of its own file; nothing for any other bot."""
    if not bot.is_house:
        return []
    texts = [house_bot.strategy for house_bot in HOUSE if house_bot.name == bot.name]
    return [" ".join(paragraph.split()) for text in texts for paragraph in text.split("\n\n")]


def beginning_with(bots: QuerySet[Bot], text: str) -> QuerySet[Bot]:
    """Those whose names begin with the text, in any case: what an index finds (`bots/migrations/0003`)."""
    if not BEGINNING.fullmatch(text):
        return bots.none()
    return bots.alias(key=Lower("name")).filter(key__startswith=text.lower())


def by_author(bots: QuerySet[Bot], username: str) -> QuerySet[Bot]:
    """Those of the person of exactly this name."""
    return bots.filter(owner__username=username) if is_name(username) else bots.none()


def bots_named(names: Iterable[str], user: User | AnonymousUser) -> dict[str, Bot]:
    """By name in small letters, the bots of these names, given in any case."""
    wanted = {name.lower() for name in names}
    return {bot.name.lower(): bot for bot in _by_name(user, *wanted)} if wanted else {}


@statement
def _by_name(user: User | AnonymousUser, *keys: str) -> QuerySet[Bot]:
    return Bot.objects.visible_to(user).alias(key=Lower("name")).filter(key__in=keys)


@dataclass(frozen=True, slots=True)
class Page:
    """Bots by name, in any case. `after` is the name to ask for the next ones after, None where there are none."""

    bots: Sequence[Bot]
    after: str | None


def bot_page(
    *, user: User | AnonymousUser, text: str = "", author: str = "", after: str = "", size: int = PAGE_SIZE
) -> Page:
    """Those whose names begin with `text`, of one author, after a name; each where given."""
    bots = described_bots(user)
    if text:
        bots = beginning_with(bots, text)
    if author:
        bots = by_author(bots, author)
    bots = bots.alias(by_name=Lower("name")).order_by("by_name")
    if after:
        bots = bots.filter(by_name__gt=after.lower()) if BEGINNING.fullmatch(after) else bots.none()
    found = list(bots[: size + 1])
    return Page(found[:size], found[size - 1].name if len(found) > size else None)


def bot_named(name: str, user: User | AnonymousUser) -> Bot | None:
    """The bot of this name, given in any case."""
    return next(iter(_named(name.lower(), user)), None)


@statement
def _named(key: str, user: User | AnonymousUser) -> QuerySet[Bot]:
    return described_bots(user).alias(key=Lower("name")).filter(key=key)


def described_bots(user: User | AnonymousUser) -> QuerySet[Bot]:
    return (
        Bot.objects.visible_to(user)
        .select_related("owner", "current_version")
        .defer("current_version__report")
    )


def described_versions(user: User | AnonymousUser) -> QuerySet[Version]:
    """Versions with their bot, owner and stages; the package's content is not read."""
    return (
        Version.objects.visible_to(user)
        .select_related("bot__owner", "bot__current_version", "package")
        .defer("package__content")
        .prefetch_related("stages")
    )


def described_version(name: str, number: int, user: User | AnonymousUser) -> Version | None:
    """The version of this number of the bot of this name, given in any case; described as all are."""
    return next(iter(_version(name.lower(), number, user)), None)


@statement
def _version(key: str, number: int, user: User | AnonymousUser) -> QuerySet[Version]:
    return described_versions(user).alias(key=Lower("bot__name")).filter(key=key, number=number)


@statement
def versions_of(bot: int, before: int | None) -> QuerySet[Version]:
    """A page of a bot's versions and one more, newest first, those with a number below `before`."""
    versions = Version.objects.filter(bot=bot)
    if before is not None:
        versions = versions.filter(number__lt=before)
    return (
        versions.select_related("package")
        .defer("package__content", "report")
        .order_by("-number")[: VERSIONS_SHOWN + 1]
    )


@statement
def ratings_of(bot: int) -> QuerySet[Rating]:
    """The published ratings of a bot's versions on every ladder, newest version first."""
    return (
        Rating.objects.filter(version__bot=bot, run=F("run__ladder__current_run"))
        .select_related("run__ladder", "version")
        .order_by("run__ladder__position", "-version__number")
    )


@statement
def ratings_of_version(version: int) -> QuerySet[Rating]:
    return (
        Rating.objects.filter(version=version, run=F("run__ladder__current_run"))
        .select_related("run__ladder", "version")
        .order_by("run__ladder__position")
    )


@statement
def notices_of(bot: int, user: User | AnonymousUser) -> QuerySet[Notice]:
    """What the arena has told the bot's owner of late, for the owner and who may read what is private."""
    found = Notice.objects.visible_to(user).filter(bot=bot).select_related("bot", "version")
    return found[:NOTICES_SHOWN]


def is_deactivated(bot: Bot) -> bool:
    """Whether the bot is out of play because it did not start, and not by its owner's will."""
    return (
        bot.withdrawn_at is not None
        and Notice.objects.filter(
            bot=bot, kind=Notice.Kind.DEACTIVATED, created_at__gte=bot.withdrawn_at
        ).exists()
    )


def is_on_a_ladder(bot: Bot) -> bool:
    """Whether what plays of the bot is paired by itself."""
    return LadderEntry.objects.filter(bot=bot, is_active=True, ladder__is_open=True).exists()


def ladder_states(bot: Bot) -> list[tuple[Ladder, bool]]:
    """Every open ladder, and whether the bot is on it."""
    entry = LadderEntry.objects.filter(ladder=OuterRef("pk"), bot=bot, is_active=True)
    ladders = Ladder.objects.filter(is_open=True).annotate(has_bot=Exists(entry))
    return [(ladder, ladder.has_bot) for ladder in ladders]
