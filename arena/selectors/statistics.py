"""What a version's matches on a ladder tell beyond its rating: its bot's history, its results against each opponent,
its points, what the seat does, how long it thinks, and how strong it is on the other ladders."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber

from arena.models import Ladder, LadderMatch, Rating
from arena.ratings.compare import SURE_ERRORS
from arena.statements import statement
from bots.models import Bot, Version
from matches.differences import ELO_PER_NAT
from matches.models import GameSeat, Match, OfEachRow, Participant, Result

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

# A version's figures are those of its latest matches, so that an anchor's page costs no more than another's.
MATCHES_READ = 200
# Where few of a version's matches are of the ladder, so many of its latest are looked through for them.
MATCHES_LOOKED_THROUGH = 1500
OPPONENTS_SHOWN = 100
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
class ThinkBar:
    """How many decisions were charged less than `below_ms` of CPU time, and no less than half of that; the first bar
    has all below 1 ms."""

    below_ms: int
    n_decisions: int


@dataclass(frozen=True, slots=True)
class Thinking:
    """The CPU time of the decisions that the version made itself. Half of them, and 99 of 100, took less than
    `half_below_ms` and `most_below_ms`, to the next bar."""

    n_decisions: int
    half_below_ms: int
    most_below_ms: int
    bars: list[ThinkBar]


@dataclass(frozen=True, slots=True)
class TableSize:
    """The version's published rating on one ladder, with its place among all `n_rated` versions there."""

    ladder: Ladder
    rating: Rating
    n_rated: int


# Matches, and when each was finished.
Finished = tuple[tuple[int, datetime | None], ...]


@dataclass(frozen=True, slots=True)
class Meeting:
    """What the version came to against another one."""

    opponent: int
    n_matches: int
    n_games: int
    won: float


@dataclass(frozen=True, slots=True)
class Told:
    """What matches of the version tell: whom it met, those first that it met in most games, and what its games came
    to and took."""

    met: list[Meeting]
    points: Points | None
    seats: list[SeatFigures]
    thinking: Thinking | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """`n_matches` were read, of the `n_finished` that are rated."""

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
    thinking: Thinking | None
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
    sizes = table_sizes_of(version, ladders)
    n_matches = {one.ladder: one.rating.n_matches for one in sizes}
    n_rated = n_matches.get(ladder, 0)
    matches = played(version, ladder, user, is_usual=2 * n_rated >= sum(n_matches.values()))
    told = told_by(version.pk, matches)
    return Statistics(
        bot=version.bot,
        version=version,
        ladder=ladder,
        n_matches=len(matches),
        n_finished=max(len(matches), n_rated),
        history=history_of(version.bot, ladder),
        opponents=head_to_head(version, ladder, told.met[:OPPONENTS_SHOWN]),
        n_opponents=len(told.met),
        points=told.points,
        seats=told.seats,
        thinking=told.thinking,
        table_sizes=sizes,
    )


def played(
    version: Version, ladder: Ladder, user: User | AnonymousUser, *, is_usual: bool = False
) -> Finished:
    """The version's latest finished matches on the ladder, newest first; on another than its usual one, of its latest
    MATCHES_LOOKED_THROUGH.

    Each of its matches is asked for its ladder: joined, those of all other versions there may be read too.
    """
    return tuple(_played(version.pk, ladder.pk, user, is_usual=is_usual))


@statement
def _played(
    version: int, ladder: int, user: User | AnonymousUser, *, is_usual: bool
) -> QuerySet[Match, tuple[int, datetime | None]]:
    of_ladder = Q(OfEachRow(LadderMatch.objects.filter(match=OuterRef("pk"), ladder=ladder)))
    by_version = Q(participants__version=version)
    if not is_usual:
        latest = Participant.objects.filter(version=version).order_by("-match").values("match")
        by_version = Q(pk__in=latest[:MATCHES_LOOKED_THROUGH])
    finished = Match.objects.visible_to(user).filter(by_version, of_ladder, status=Match.Status.FINISHED)
    return finished.order_by("-pk").values_list("pk", "finished_at")[:MATCHES_READ]


# By the matches themselves: what a finished one came to stays, and one more, or one less, is another key. Names and
# ratings, which change, are not among it.
@lru_cache(maxsize=200)
def told_by(version: int, matches: Finished) -> Told:
    keys = [match for match, _finished_at in matches]
    rows = Result.objects.filter(match__in=keys).order_by("-match")
    results = [(tally, times) for tally, times in rows.values_list("tally", "times")]
    groups = game_groups(version, keys)
    return Told(
        met=met(version, [tally for tally, _times in results]),
        points=points_of(groups),
        seats=seats_of(groups),
        thinking=thinking_of(version, results),
    )


def history_of(bot: Bot, ladder: Ladder) -> list[Moment]:
    """Of each kept snapshot in which the bot is rated, its newest version's rating, oldest first; versions' first and
    last moments are always among them."""
    return thinned([Moment(*row) for row in _history(bot.pk, ladder.pk)], MOMENTS_SHOWN)


@statement
def _history(bot: int, ladder: int) -> QuerySet[Rating, tuple[float, float, datetime, int]]:
    by_number = Window(RowNumber(), partition_by=F("run_id"), order_by=F("version__number").desc())
    rows = Rating.objects.filter(version__bot=bot, run__ladder=ladder).annotate(newest=by_number)
    # The database leaves out older versions: of an old bot there may be hundreds in each snapshot.
    rows = rows.filter(newest=1).order_by("run__created_at", "run_id")
    return rows.values_list("elo", "standard_error", "run__created_at", "version__number")


def thinned(moments: Sequence[Moment], n_shown: int) -> list[Moment]:
    if len(moments) <= n_shown:
        return list(moments)
    last = len(moments) - 1
    kept = {round(number * last / (n_shown - 1)) for number in range(n_shown)}
    for number in range(last):
        if moments[number].version != moments[number + 1].version:
            kept |= {number, number + 1}
    return [moments[number] for number in sorted(kept)]


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


def game_groups(version: int, matches: Sequence[int]) -> list[GameGroup]:
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


def thinking_of(
    version: int, results: Iterable[tuple[Mapping[str, Any], Sequence[Sequence[int]]]]
) -> Thinking | None:
    """Of tallies and times; None where no match tells, as those do not that were played before times were kept."""
    counts: Counter[int] = Counter()
    for tally, times in results:
        if times:
            counts.update(dict(enumerate(times[tally["versions"].index(version)])))
    n = counts.total()
    if not n:
        return None
    last = max(number for number, times in counts.items() if times)
    bars = [ThinkBar(1 << number, counts[number]) for number in range(last + 1)]
    return Thinking(n, below(bars, 0.5 * n), below(bars, 0.99 * n), bars)


def below(bars: Iterable[ThinkBar], n: float) -> int:
    """The end of the first bar by which so many decisions are counted."""
    reached = 0
    for bar in bars:
        reached += bar.n_decisions
        if reached >= n:
            break
    return bar.below_ms


def table_sizes_of(version: Version, ladders: Iterable[Ladder]) -> list[TableSize]:
    """On every ladder where the version is rated, small tables first."""
    by_run = {ladder.current_run_id: ladder for ladder in ladders if ladder.current_run_id}
    rows = _ratings(version.pk, *by_run)
    found = [TableSize(by_run[rating.run_id], rating, rating.run.n_rated) for rating in rows]
    return sorted(found, key=lambda one: (one.ladder.seats, one.ladder.pk))


@statement
def _ratings(version: int, *runs: int) -> QuerySet[Rating]:
    return Rating.objects.filter(run__in=runs, version=version).select_related("run")
