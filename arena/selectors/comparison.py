"""Two bots side by side on a ladder: what their ratings say, and what came of it when they met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.models import Ladder, Rating
from arena.ratings.compare import chance_better
from arena.selectors.meetings import HeadToHead, expected, shares_against
from arena.selectors.statistics import MATCHES_READ
from bots.models import Bot, Version
from matches.models import Match, Participant

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of the first version to the second, those that play, or the newest. `better`: the chance that it is truly the
    stronger one; `met`: the latest matches with both; each None where nothing tells."""

    ladder: Ladder
    versions: tuple[Version, Version]
    ratings: tuple[Rating | None, Rating | None]
    better: float | None
    expected: float | None
    met: HeadToHead | None


def comparison(*, ladder: Ladder, one: Bot, other: Bot, user: User | AnonymousUser) -> Comparison | None:
    """None where one of the two has no version yet."""
    first, second = _version_of(one), _version_of(other)
    if first is None or second is None:
        return None
    rated = Rating.objects.published(ladder).with_names().filter(version__in=[first.pk, second.pk])
    by_version = {rating.version_id: rating for rating in rated}
    ratings = by_version.get(first.pk), by_version.get(second.pk)
    better = share = None
    if ratings[0] is not None and ratings[1] is not None:
        better = chance_better(
            ratings[0].elo, ratings[0].standard_error, ratings[1].elo, ratings[1].standard_error
        )
        share = expected({pk: rating.elo for pk, rating in by_version.items()}, first.pk, second.pk)
    return Comparison(
        ladder, (first, second), ratings, better, share, _met(ladder, first, second, share, user)
    )


def _version_of(bot: Bot) -> Version | None:
    newest = bot.versions.select_related("bot").defer("report").order_by("-number")
    return (newest if bot.current_version_id is None else newest.filter(pk=bot.current_version_id)).first()


def _met(
    ladder: Ladder, first: Version, second: Version, share: float | None, user: User | AnonymousUser
) -> HeadToHead | None:
    matches = Match.objects.visible_to(user).filter(
        ladder_match__ladder=ladder,
        status=Match.Status.FINISHED,
        pk__in=Participant.objects.filter(version=first).values("match"),
    )
    matches = matches.filter(pk__in=Participant.objects.filter(version=second).values("match"))
    n_matches = n_games = 0
    won = 0.0
    for tally in matches.order_by("-pk").values_list("result__tally", flat=True)[:MATCHES_READ]:
        shares = dict(shares_against(first.pk, tally["versions"], tally["games"], tally["pairs"]))
        n_matches += 1
        n_games += tally["games"]
        won += shares[second.pk]
    if not n_games:
        return None
    return HeadToHead(second.pk, second.bot.name, second.number, n_matches, n_games, won, share)
