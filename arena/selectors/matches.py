"""Which matches there are, and what one came to for who played it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import F, OuterRef, Prefetch, QuerySet
from django.utils.translation import gettext_lazy as _

from arena.models import Ladder, LadderMatch, RequestedMatch, Tournament, TournamentMatch, TrialMatch
from arena.statements import statement
from bots.models import Bot, Version
from matches.models import Attempt, Game, GameSeat, Match, OfEachRow, Participant

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


@dataclass(frozen=True, slots=True)
class Side:
    """What a match came to for one version: its share of the pairwise comparisons won (ties count half), its mean
    points over games without its fault, and in how many games it faulted; None where there is no result yet."""

    version: Version
    share: float | None = None
    mean_points: float | None = None
    n_faults: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """A match with its sides, the best first."""

    match: Match
    sides: list[Side]

    @property
    def ladder(self) -> Ladder | None:
        link = getattr(self.match, "ladder_match", None)
        return link.ladder if link else None

    @property
    def tournament(self) -> Tournament | None:
        link = getattr(self.match, "tournament_match", None)
        return link.tournament if link else None


class Outcome(models.TextChoices):
    """What happened in a match, as far as lists are narrowed by it."""

    CLEAN = "clean", _("no bot fault")
    FAULTS = "faults", _("a bot fault")
    OURS = "ours", _("an infrastructure fault")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which matches: of a ladder, of a bot, of a bot against another, of a status, with so many seats, rated or not,
    with what happened in them. None leaves all."""

    ladder: Ladder | None = None
    bot: Bot | None = None
    against: Bot | None = None
    status: str | None = None
    outcome: str | None = None
    seats: int | None = None
    is_rated: bool | None = None

    @property
    def is_everything(self) -> bool:
        return self == Wanted()

    def among(self, matches: QuerySet[Match]) -> QuerySet[Match]:
        if self.ladder is not None:
            matches = _of_ladder(self.ladder, matches, self.status)
        for bot in filter(None, (self.bot, self.against)):
            matches = played_by(bot, matches)
        if self.status is not None:
            matches = matches.filter(status=self.status)
        if self.seats is not None:
            matches = matches.filter(seats=self.seats)
        if self.outcome == Outcome.FAULTS:
            matches = matches.filter(has_bot_fault=True)
        elif self.outcome == Outcome.CLEAN:
            matches = matches.filter(has_bot_fault=False, status=Match.Status.FINISHED)
        elif self.outcome == Outcome.OURS:
            ours = [Attempt.Outcome.INFRASTRUCTURE, Attempt.Outcome.LOST]
            matches = matches.filter(attempts__outcome__in=ours).distinct()
        if self.is_rated:
            matches = matches.filter(ladder_match__isnull=False)
        elif self.is_rated is not None:
            # Named by what they are: nothing would find the few that are missing among the rated.
            kinds = (TournamentMatch, RequestedMatch, TrialMatch)
            events, asked, of_trials = (kind.objects.order_by().values("match") for kind in kinds)
            unrated: QuerySet[Any, Any] = events.union(asked, of_trials)
            matches = matches.filter(pk__in=unrated, ladder_match=None)
        return matches


def described_matches(user: User | AnonymousUser) -> QuerySet[Match]:
    """Matches with everything that a row of a list names."""
    return (
        Match.objects.visible_to(user)
        .select_related(
            "ladder_match__ladder",
            "ladder_match__made_for__bot",
            "tournament_match__tournament",
            "trial_match",
            "requested_match__by",
            "result",
        )
        .defer("tournament_match__tournament__snapshot")
        .prefetch_related(
            Prefetch(
                "participants",
                Participant.objects.select_related("version__bot").order_by("number"),
                to_attr="seated",
            )
        )
    )


def _of_ladder(ladder: Ladder, matches: QuerySet[Match], status: str | None) -> QuerySet[Match]:
    if status in (None, Match.Status.FINISHED):
        return matches.filter(ladder_match__ladder=ladder).annotate(key=F("ladder_match__match"))
    # Of all others there are few: each is asked for its ladder, of which there may be any number.
    return matches.filter(OfEachRow(LadderMatch.objects.filter(match=OuterRef("pk"), ladder=ladder)))


def described_match(pk: int, user: User | AnonymousUser) -> Match | None:
    """The same of one match."""
    match = next(iter(_described(pk, user)), None)
    if match is not None:
        match.seated = _seated(pk)  # type: ignore[attr-defined]
    return match


@statement
def _described(pk: int, user: User | AnonymousUser) -> QuerySet[Match]:
    return described_matches(user).prefetch_related(None).filter(pk=pk)


@statement
def _seated(match: int) -> QuerySet[Participant]:
    seated = Participant.objects.filter(match=match).select_related("version__bot")
    return seated.defer("version__report").order_by("number")


@statement
def attempts_at(match: int) -> QuerySet[Attempt]:
    """The attempts at a match, the first one first."""
    return Attempt.objects.filter(match=match).order_by("number")


def played_by(bot: Bot, matches: QuerySet[Match]) -> QuerySet[Match]:
    """Those of the matches in which a version of the bot plays, each once where two of them do. Only keys are to be
    read: an index knows a bot's matches in their order, of an anchor there are thousands."""
    return matches.filter(participants__bot=bot).annotate(key=F("participants__match")).distinct()


def with_bot(bot: Bot | int, games: QuerySet[Game]) -> QuerySet[Game]:
    """Those of the games in which a version of the bot sits; found as `played_by` finds matches."""
    return games.filter(seats__bot=bot).annotate(key=F("seats__game")).distinct()


def keyed(found: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """With `key`, by which a list goes on from a row: the same number as the row's own, of a bot's, a ladder's or a
    trial's rows where their index has it. PostgreSQL does not see that what is below a key there is below it here."""
    return found if "key" in found.query.annotations else found.annotate(key=F("pk"))


def of_trial(trial: int, matches: QuerySet[Match]) -> QuerySet[Match]:
    """Those of the matches that are the trial's, found as `played_by` finds them."""
    return matches.filter(trial_match__trial=trial).annotate(key=F("trial_match__match"))


def outside_trials(matches: QuerySet[Match]) -> QuerySet[Match]:
    return matches.filter(~OfEachRow(TrialMatch.objects.filter(match=OuterRef("pk"))))


def summary(match: Match) -> Summary:
    seated: list[Participant] = match.seated  # type: ignore[attr-defined]
    result = getattr(match, "result", None)
    if result is None:
        return Summary(match, [Side(participant.version) for participant in seated])
    sides = _sides(seated, result.tally)
    return Summary(match, sorted(sides, key=lambda side: -(side.share or 0.0)))


def shares(tally: dict[str, Any], n_sides: int) -> list[float | None]:
    """The share of its comparisons that each side won; None where there were none."""
    n_games = tally["games"]
    won = [0.0] * n_sides
    for (one, other), score in zip(combinations(range(n_sides), 2), tally["pairs"], strict=True):
        won[one] += score
        won[other] += n_games - score
    compared = n_games * (n_sides - 1)
    return [points / compared if compared else None for points in won]


def _sides(seated: list[Participant], tally: dict[str, Any]) -> list[Side]:
    won = shares(tally, len(seated))
    return [
        Side(
            version=participant.version,
            share=won[number],
            mean_points=tally["totals"][number] / tally["clean"][number] if tally["clean"][number] else None,
            n_faults=tally["faults"][number],
        )
        for number, participant in enumerate(seated)
    ]


def games_of(match: Match) -> QuerySet[Game]:
    """A match's stored games with their seats, without the heavy columns."""
    return match.games.defer("replay").prefetch_related(_seats()).order_by("deal", "seating")


def described_games(user: User | AnonymousUser) -> QuerySet[Game]:
    """Games with their match, ladder and seats, replay included; the seats' private parts are not read."""
    return (
        Game.objects.visible_to(user)
        .select_related("match__ladder_match__ladder", "match__result")
        .prefetch_related(_seats())
    )


def _seats() -> Prefetch[str]:
    seats = GameSeat.objects.select_related("version__bot__owner").defer("private").order_by("seat")
    return Prefetch("seats", seats)


def private_seats(game: Game, user: User | AnonymousUser) -> QuerySet[GameSeat]:
    """The seats of the game whose notes, standard error and offending line this person may read."""
    return GameSeat.objects.filter(game=game).with_private_visible_to(user).order_by("seat")
