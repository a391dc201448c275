"""What a version's matches on a ladder tell beyond its rating: its bot's history, its results against each opponent,
its points, what the seat does, and how strong it is on the other ladders."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from arena.models import Ladder, Rating
from arena.ratings.bradley_terry import ELO_PER_NAT
from arena.ratings.compare import SURE_ERRORS, Standing, standings
from bots.models import Bot, Version
from matches.models import GameSeat, Match, Result

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

# A version's figures are those of its latest matches, so that an anchor's page costs no more than another's.
MATCHES_READ = 2000
OPPONENTS_SHOWN = 200
# So many moments of a history are told, evenly chosen; a chart has no room for more.
MOMENTS_SHOWN = 300
# Width in points of a bar of the distribution.
BAR_POINTS = 10


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rating in Elo points."""

    elo: float
    standard_error: float

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval."""
        return SURE_ERRORS * self.standard_error


@dataclass(frozen=True, slots=True)
class Moment(Estimate):
    """The rating of the newest rated version in one published snapshot."""

    at: datetime
    version: int


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """What a version came to against one other. `expected` is the share that the published ratings predict, `residual`
    what was won beyond it, `z` the residual in standard errors of independent games; None without both ratings."""

    opponent: Version
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


@dataclass(frozen=True, slots=True)
class Bar:
    """How many games ended with points from `low` to `high`, both included."""

    low: int
    high: int
    n_games: int


@dataclass(frozen=True, slots=True)
class Points:
    """The totals of the games without a fault of the version's own."""

    n_games: int
    mean: float
    sd: float
    quartiles: tuple[int, int, int]
    bars: list[Bar]


@dataclass(frozen=True, slots=True)
class SeatFigures:
    """What the version came to in one seat. Its points and their standard error leave out games with its fault."""

    seat: int
    n_games: int
    first_share: float
    mean_placing: float
    mean_points: float | None
    points_error: float | None

    @property
    def half_width(self) -> float | None:
        """Half the width of the 95 % interval of the mean points."""
        return None if self.points_error is None else SURE_ERRORS * self.points_error


@dataclass(frozen=True, slots=True)
class Published(Estimate):
    """What a ladder's snapshot says of a version."""

    version: int
    win_share: float


@dataclass(frozen=True, slots=True)
class TableSize:
    """The version's published rating on one ladder and its place among all versions there."""

    ladder: Ladder
    rating: Published
    standing: Standing
    n_rated: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """`n_matches` were read, of `n_finished` that the reader may see."""

    bot: Bot
    version: Version
    ladder: Ladder
    n_matches: int
    n_finished: int
    history: list[Moment]
    opponents: list[HeadToHead]
    n_opponents: int
    points: Points | None
    seats: list[SeatFigures]
    table_sizes: list[TableSize]


@dataclass(frozen=True, slots=True)
class GameGroup:
    """Equal outcomes of the version's games: how often each came."""

    seat: int
    placing: int
    total: int | None
    has_fault: bool
    n: int


def statistics(
    *, version: Version, ladder: Ladder, ladders: Sequence[Ladder], user: User | AnonymousUser
) -> Statistics:
    """Of the version on one of the ladders, and its strength on all of them."""
    rated = published(ladders, user)
    finished = finished_matches(version, ladder, user)
    matches = list(finished.order_by("-pk").values_list("pk", flat=True)[:MATCHES_READ])
    opponents = head_to_head(version, rated.get(ladder.pk, []), matches)
    groups = game_groups(version, matches)
    return Statistics(
        bot=version.bot,
        version=version,
        ladder=ladder,
        n_matches=len(matches),
        n_finished=finished.count() if len(matches) == MATCHES_READ else len(matches),
        history=history_of(version.bot, ladder),
        opponents=opponents[:OPPONENTS_SHOWN],
        n_opponents=len(opponents),
        points=points_of(groups),
        seats=seats_of(groups),
        table_sizes=table_sizes_of(version, ladders, rated),
    )


def finished_matches(version: Version, ladder: Ladder, user: User | AnonymousUser) -> QuerySet[Match]:
    return Match.objects.visible_to(user).filter(
        participants__version=version, ladder_match__ladder=ladder, status=Match.Status.FINISHED
    )


def history_of(bot: Bot, ladder: Ladder) -> list[Moment]:
    """Of each kept snapshot in which the bot is rated, its newest version's rating, oldest first; versions' first and
    last moments are always among them."""
    by_number = Window(RowNumber(), partition_by=F("run_id"), order_by=F("version__number").desc())
    rows = Rating.objects.filter(version__bot=bot, run__ladder=ladder).annotate(place=by_number)
    # The database leaves out older versions: of an old bot there may be hundreds in each snapshot.
    rows = rows.filter(place=1).order_by("run__created_at", "run_id")
    figures = rows.values_list("elo", "standard_error", "run__created_at", "version__number")
    return thinned([Moment(*row) for row in figures], MOMENTS_SHOWN)


def thinned(moments: Sequence[Moment], n_shown: int) -> list[Moment]:
    if len(moments) <= n_shown:
        return list(moments)
    last = len(moments) - 1
    kept = {round(number * last / (n_shown - 1)) for number in range(n_shown)}
    for number in range(last):
        if moments[number].version != moments[number + 1].version:
            kept |= {number, number + 1}
    return [moments[number] for number in sorted(kept)]


def head_to_head(version: Version, rated: Iterable[Published], matches: Sequence[int]) -> list[HeadToHead]:
    """Against every other version, those first that it met in most games."""
    n_matches: Counter[int] = Counter()
    n_games: Counter[int] = Counter()
    won: defaultdict[int, float] = defaultdict(float)
    for tally in Result.objects.filter(match__in=matches).values_list("tally", flat=True):
        for other, share in shares_against(version.pk, tally["versions"], tally["games"], tally["pairs"]):
            n_matches[other] += 1
            n_games[other] += tally["games"]
            won[other] += share
    ratings = {row.version: row.elo for row in rated}
    versions = Version.objects.select_related("bot").defer("report").in_bulk(n_games)
    return [
        HeadToHead(versions[other], n_matches[other], games, won[other], expected(ratings, version.pk, other))
        for other, games in sorted(n_games.items(), key=lambda one: (-one[1], one[0]))
    ]


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


def game_groups(version: Version, matches: Sequence[int]) -> list[GameGroup]:
    seats = GameSeat.objects.filter(version=version, game__match__in=matches).order_by()
    groups = seats.values_list("seat", "placing", "total", "fault").annotate(n=Count("pk"))
    return [
        GameGroup(seat, placing, total, has_fault=bool(fault), n=n)
        for seat, placing, total, fault, n in groups
    ]


def totals_of(groups: Iterable[GameGroup]) -> Counter[int]:
    """How often each total came, games with a fault of the version aside."""
    totals: Counter[int] = Counter()
    for group in groups:
        if group.total is not None and not group.has_fault:
            totals[group.total] += group.n
    return totals


def mean_and_sd(counts: Mapping[int, int]) -> tuple[float, float]:
    n = sum(counts.values())
    mean = sum(value * times for value, times in counts.items()) / n
    return mean, math.sqrt(sum(times * (value - mean) ** 2 for value, times in counts.items()) / n)


def points_of(groups: Sequence[GameGroup]) -> Points | None:
    totals = totals_of(groups)
    if not totals:
        return None
    n = totals.total()
    mean, sd = mean_and_sd(totals)
    in_order = sorted(totals.elements())
    bars = Counter[int]()
    for total, times in totals.items():
        bars[total // BAR_POINTS] += times
    return Points(
        n_games=n,
        mean=mean,
        sd=sd,
        quartiles=(in_order[n // 4], in_order[n // 2], in_order[3 * n // 4]),
        bars=[
            Bar(number * BAR_POINTS, (number + 1) * BAR_POINTS - 1, bars[number])
            for number in range(min(bars), max(bars) + 1)
        ],
    )


def seats_of(groups: Sequence[GameGroup]) -> list[SeatFigures]:
    found = []
    for seat in sorted({group.seat for group in groups}):
        mine = [group for group in groups if group.seat == seat]
        n = sum(group.n for group in mine)
        totals = totals_of(mine)
        mean, sd = mean_and_sd(totals) if totals else (None, None)
        found.append(
            SeatFigures(
                seat=seat,
                n_games=n,
                first_share=sum(group.n for group in mine if group.placing == 1) / n,
                mean_placing=sum(group.n * group.placing for group in mine) / n,
                mean_points=mean,
                points_error=None if sd is None else sd / math.sqrt(totals.total()),
            )
        )
    return found


def published(ladders: Iterable[Ladder], user: User | AnonymousUser) -> dict[int, list[Published]]:
    """By ladder, the published ratings of all versions that the reader may see, best first."""
    ladder_of = {ladder.current_run_id: ladder.pk for ladder in ladders if ladder.current_run_id}
    ratings = Rating.objects.filter(run__in=ladder_of).visible_to(user).order_by("rank", "pk")
    found: defaultdict[int, list[Published]] = defaultdict(list)
    figures = ratings.values_list("run_id", "elo", "standard_error", "version_id", "win_share")
    for run, elo, error, version, share in figures:
        found[ladder_of[run]].append(Published(elo, error, version, share))
    return found


def table_sizes_of(
    version: Version, ladders: Iterable[Ladder], rated: Mapping[int, Sequence[Published]]
) -> list[TableSize]:
    """On every ladder where the version is rated, small tables first."""
    found = []
    for ladder in sorted(ladders, key=lambda one: (one.seats, one.pk)):
        rows = rated.get(ladder.pk, [])
        place = next((number for number, row in enumerate(rows) if row.version == version.pk), None)
        if place is not None:
            standing = standings([(row.elo, row.standard_error) for row in rows], [place])[0]
            found.append(TableSize(ladder, rows[place], standing, len(rows)))
    return found
