"""How a bot's rating has moved, snapshot by snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from arena.models import Ladder, Rating
from arena.ratings.compare import SURE_ERRORS
from arena.statements import statement
from bots.models import Bot

# So many moments of a history are told, evenly chosen; a chart has no room for more.
MOMENTS_SHOWN = 300


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
