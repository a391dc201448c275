"""Trials for their lists and pages, and what may be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from django.db.models import F, Q, QuerySet

from arena.models import Trial
from arena.ratings.sequential import SequentialTest
from arena.statements import statement
from bots.models import Bot, Version
from matches.differences import Difference, difference

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

PAGE_SIZE = 30
LATEST = 5
# So many of a bot's latest versions are offered.
VERSIONS_OFFERED = 20


@dataclass(frozen=True)
class Standing:
    """What a trial has come to, in numbers."""

    trial: Trial

    @cached_property
    def test(self) -> SequentialTest:
        return self.trial.test

    @cached_property
    def counts(self) -> list[int]:
        return self.trial.counts or [0] * 5

    @property
    def llr(self) -> float:
        return self.test.llr(self.counts)

    @cached_property
    def difference(self) -> Difference | None:
        """Of the first version to the second; None without a pair."""
        return difference(self.counts)

    @property
    def games_left(self) -> int | None:
        """Expected further games to a verdict; None when the trial is over."""
        return None if self.trial.is_over else round(self.test.games_left(self.counts))


@dataclass(frozen=True, slots=True)
class Page:
    """Newest first. `older` is the id to ask for before, None where there is nothing."""

    standings: list[Standing]
    older: int | None


def described_trials(user: User | AnonymousUser) -> QuerySet[Trial]:
    return Trial.objects.visible_to(user).with_names()


def trials_of(bot: Bot, user: User | AnonymousUser) -> QuerySet[Trial]:
    """Trials in which a version of this bot takes part, newest first."""
    return trials_with(bot.version_ids, user)


def trials_with(versions: Sequence[int], user: User | AnonymousUser) -> QuerySet[Trial]:
    played = Q(version__in=versions) | Q(opponent__in=versions)
    return described_trials(user).filter(played).order_by("-pk")


def trial_page(
    *,
    user: User | AnonymousUser,
    bot: Bot | None = None,
    state: str | None = None,
    before: int | None = None,
    size: int = PAGE_SIZE,
) -> Page:
    """Trials older than `before`; by id, so that nothing is counted or skipped."""
    found = trials_of(bot, user) if bot is not None else described_trials(user).order_by("-pk")
    if state is not None:
        found = found.filter(state=state)
    if before is not None:
        found = found.filter(pk__lt=before)
    rows = list(found[: size + 1])
    return Page([Standing(trial) for trial in rows[:size]], rows[size - 1].pk if len(rows) > size else None)


def latest_of(bot: Bot, user: User | AnonymousUser) -> list[Standing]:
    return [Standing(trial) for trial in _latest_of(user, *bot.version_ids)]


@statement
def _latest_of(user: User | AnonymousUser, *versions: int) -> QuerySet[Trial]:
    return trials_with(versions, user)[:LATEST]


def latest_by(owner: User) -> list[Standing]:
    """The latest trials that this person has started."""
    return [Standing(trial) for trial in _latest_by(owner)]


@statement
def _latest_by(owner: User) -> QuerySet[Trial]:
    return described_trials(owner).filter(owner=owner).order_by("-pk")[:LATEST]


def offered_versions(bot: Bot) -> tuple[list[Version], list[Version]]:
    """The versions of a bot that may be tried, newest first, and what the house bots play with now, by name."""
    house = Q(bot__is_house=True, bot__current_version=F("pk"))
    found = Version.objects.able().filter(Q(bot=bot) | house).select_related("bot")
    own = [version for version in found if version.bot_id == bot.pk]
    others = [version for version in found if version.bot_id != bot.pk]
    return (
        sorted(own, key=lambda version: -version.number)[:VERSIONS_OFFERED],
        sorted(others, key=lambda version: version.bot.name),
    )


@statement
def bots_against(bot: int, user: User | AnonymousUser) -> QuerySet[Bot]:
    """This person's bots that could play a match against the bot now."""
    able = Version.objects.able().filter(bot__current_version=F("pk"))
    own = Bot.objects.owned_by(user).filter(current_version__in=able).exclude(pk=bot)
    return own.order_by("name")
