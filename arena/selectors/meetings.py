"""What a version came to against each other one, and what the ratings expected of it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from arena.models import Ladder, Rating
from arena.statements import statement
from bots.models import Version
from matches.differences import ELO_PER_NAT


@dataclass(frozen=True, slots=True)
class Meeting:
    """What the version came to against another one."""

    opponent: int
    n_matches: int
    n_games: int
    won: float


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """What a version came to against one other, given by its id, its bot's name and its number. `expected` is the share
    that the published ratings predict, `residual` what was won beyond it, `z` the residual in standard errors of
    independent games; None without both ratings."""

    opponent: int
    bot: str
    number: int
    n_matches: int
    n_games: int
    won: float
    expected: float | None

    @property
    def win_share(self) -> float:
        return self.won / self.n_games

    @property
    def residual(self) -> float | None:
        return None if self.expected is None else self.win_share - self.expected

    @property
    def z(self) -> float | None:
        if self.expected is None or self.residual is None:
            return None
        variance = self.expected * (1 - self.expected) / self.n_games
        # Ratings so far apart that the share is 1 to the last digit leave nothing to measure by.
        return self.residual / math.sqrt(variance) if variance else None


def met(version: int, tallies: Iterable[Mapping[str, Any]]) -> list[Meeting]:
    """Every other version, those first that it met in most games."""
    n_matches: Counter[int] = Counter()
    n_games: Counter[int] = Counter()
    won: defaultdict[int, float] = defaultdict(float)
    for tally in tallies:
        for other, share in shares_against(version, tally["versions"], tally["games"], tally["pairs"]):
            n_matches[other] += 1
            n_games[other] += tally["games"]
            won[other] += share
    in_order = sorted(n_games.items(), key=lambda one: (-one[1], one[0]))
    return [Meeting(other, n_matches[other], games, won[other]) for other, games in in_order]


def head_to_head(version: Version, ladder: Ladder, meetings: Sequence[Meeting]) -> list[HeadToHead]:
    """The meetings with names, and with what the published ratings expected of them."""
    if not meetings:
        return []
    found = _with_elo(ladder.current_run_id, version.pk, *(meeting.opponent for meeting in meetings))
    names = {pk: (bot, number) for pk, bot, number, _elo in found}
    ratings = {pk: elo for pk, _bot, _number, elo in found if elo is not None}
    return [
        HeadToHead(
            meeting.opponent,
            *names[meeting.opponent],
            meeting.n_matches,
            meeting.n_games,
            meeting.won,
            expected(ratings, version.pk, meeting.opponent),
        )
        for meeting in meetings
    ]


@statement
def _with_elo(run: int | None, *versions: int) -> QuerySet[Version, tuple[int, str, int, float | None]]:
    """Versions by id with their bots' names and numbers, and what the snapshot has of each."""
    # Of each version: of hundreds together, the whole snapshot would be read.
    elo = Subquery(Rating.objects.filter(run=run, version=OuterRef("pk")).values("elo")[:1])
    return Version.objects.filter(pk__in=versions).values_list("pk", "bot__name", "number", elo)


def shares_against(
    version: int, versions: Sequence[int], games: int, pairs: Sequence[float]
) -> Iterable[tuple[int, float]]:
    """Of one match, each other version and the games in which this one was placed before it; ties are halves."""
    number = 0
    for i, first in enumerate(versions):
        for second in versions[i + 1 :]:
            if first == version:
                yield second, pairs[number]
            elif second == version:
                yield first, games - pairs[number]
            number += 1


def expected(ratings: Mapping[int, float], version: int, other: int) -> float | None:
    """The share that the first wins of the second by the logistic law of the Elo scale."""
    if version not in ratings or other not in ratings:
        return None
    return 1 / (1 + math.exp((ratings[other] - ratings[version]) / ELO_PER_NAT))
