"""Pages of long lists that are asked for often, found by kept statements: their rows, or of matches and games their
keys alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.db.models import Model, QuerySet

from arena.api import pagination
from arena.api.filtering import Filtered
from arena.selectors.matches import Wanted, keyed, of_trial, with_bot
from arena.statements import statement
from matches.models import Game, Match

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


@dataclass(frozen=True, slots=True)
class Stretches:
    """As much of a queryset as cursor pagination asks for.

    `ask` gives a stretch of the rows, from `start` to `stop` in this `order`: of those beyond a `bound`, where `lookup`
    tells on which side.
    """

    ask: Callable[..., list[Any]]
    order: tuple[str, ...] = ()
    lookup: str = ""
    bound: int | None = None

    def order_by(self, *order: str) -> Stretches:
        return replace(self, order=order)

    def filter(self, **beyond: Any) -> Stretches:
        ((lookup, bound),) = beyond.items()
        return replace(self, lookup=lookup, bound=int(bound))

    def __getitem__(self, stretch: slice) -> list[Any]:
        return self.ask(
            self.bound, order=self.order, lookup=self.lookup, start=stretch.start, stop=stretch.stop
        )


class Keys(Stretches):
    """The same of rows of which `ask` gives the keys alone."""

    __slots__ = ()

    def __getitem__(self, stretch: slice) -> list[Any]:
        return [{"key": key} for key in super().__getitem__(stretch)]


def stretch(
    found: QuerySet[Any, Any], bound: int | None, order: Sequence[str], lookup: str, start: int, stop: int
) -> QuerySet[Any, Any]:
    """What `Stretches.ask` asks of a queryset."""
    if bound is not None:
        found = found.filter(**{lookup: bound})
    return found.order_by(*order)[start:stop]


def key_of(row: Model | None) -> int | None:
    """Of a row that a list is narrowed by; None where it is not."""
    return None if row is None else row.pk


@statement
def matches(
    user: User | AnonymousUser,
    ladder: int | None,
    bot: int | None,
    against: int | None,
    trial: int | None,
    bound: int | None,
    *,
    seats: int | None,
    status: str | None,
    outcome: str | None,
    is_rated: bool | None,
    order: tuple[str, ...],
    lookup: str,
    start: int,
    stop: int,
) -> QuerySet[Match, int]:
    wanted: Any = Wanted
    asked = wanted(ladder, bot, against, status=status, outcome=outcome, seats=seats, is_rated=is_rated)
    found = asked.among(Match.objects.visible_to(user))
    if trial is not None:
        found = of_trial(trial, found)
    return stretch(keyed(found).values_list("key", flat=True), bound, order, lookup, start, stop)


@statement
def games(
    user: User | AnonymousUser,
    bot: int | None,
    match: int | None,
    bound: int | None,
    *,
    order: tuple[str, ...],
    lookup: str,
    start: int,
    stop: int,
) -> QuerySet[Game, int]:
    found: Any = Game.objects.visible_to(user)
    if bot is not None:
        found = with_bot(bot, found)
    if match is not None:
        found = found.filter(match_id=match)
    return stretch(keyed(found).values_list("key", flat=True), bound, order, lookup, start, stop)


class KeysFirst(Filtered):
    """A list whose page is found by its keys before all that belongs to it is read: if all were joined at once, the
    database would read long tables whole."""

    pagination_class = pagination.ByKey

    def listed(self, keys: Sequence[int]) -> Mapping[int, Any]:
        """By key, all that is told of these rows."""
        raise NotImplementedError

    def paginate_queryset(self, queryset: Any) -> Any:
        found: Any = queryset if isinstance(queryset, Keys) else keyed(queryset).values("key")
        page = [row["key"] for row in super().paginate_queryset(found) or []]
        told = self.listed(page) if page else {}
        return [told[key] for key in page]
