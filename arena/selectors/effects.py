"""What can honestly be said of one match's effect on ratings: what the published ratings expected, and what came.

Ratings are fitted from all matches of a ladder together, so no match has an effect of its own that could be told from
that of the others. Who wins more than expected is pulled up by it, who wins less is pulled down.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import QuerySet

from arena.models import Rating, RatingRun
from arena.selectors.matches import Side, Summary
from arena.selectors.meetings import expected
from arena.statements import statement
from matches.models import Match


@dataclass(frozen=True, slots=True)
class SideEffect:
    """`expected` is the share of the comparisons that the ratings predict for the side, ties as halves; it and
    `rating` are None where the snapshot does not rate everybody at the table."""

    side: Side
    rating: Rating | None
    expected: float | None

    @property
    def residual(self) -> float | None:
        """The share won beyond what was expected."""
        if self.expected is None or self.side.share is None:
            return None
        return self.side.share - self.expected


@dataclass(frozen=True, slots=True)
class RatingEffect:
    """By the snapshot `run` that is published now; `is_in` says whether the match is among those that it is fitted
    from."""

    run: RatingRun
    is_in: bool
    sides: list[SideEffect]


def rating_effect(found: Summary) -> RatingEffect | None:
    """None for a match that is not rated, or that has no result, or while nothing is published."""
    match, ladder = found.match, found.ladder
    if ladder is None or ladder.current_run_id is None or match.status != Match.Status.FINISHED:
        return None
    versions = [side.version.pk for side in found.sides]
    ratings = {rating.version_id: rating for rating in _published(ladder.current_run_id, *versions)}
    if not ratings:
        return None
    elo = {version: rating.elo for version, rating in ratings.items()}
    run = next(iter(ratings.values())).run
    return RatingEffect(
        run=run,
        is_in=is_in(match, run),
        sides=[
            SideEffect(
                side,
                ratings.get(side.version.pk),
                mean_expected(elo, side.version.pk, versions) if len(elo) == len(versions) else None,
            )
            for side in found.sides
        ],
    )


@statement
def _published(run: int, *versions: int) -> QuerySet[Rating]:
    return Rating.objects.filter(run=run, version__in=versions).select_related("run").order_by()


def mean_expected(elo: dict[int, float], version: int, table: list[int]) -> float:
    """The share of its comparisons with all others at the table."""
    shares = [
        share for other in table if other != version and (share := expected(elo, version, other)) is not None
    ]
    return sum(shares) / len(shares)


def is_in(match: Match, run: RatingRun) -> bool:
    """Whether the match had its result when the snapshot's fit began to read."""
    if match.finished_at is None:
        return False
    return match.finished_at < run.created_at - timedelta(milliseconds=run.duration_ms)
