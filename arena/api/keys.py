"""The keys on a page of a long list, found by kept statements: what is asked of matches and games is asked often."""

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
class Keys:
    """As much of a queryset as cursor pagination asks for, of rows with a key.

    `ask` gives a stretch of the keys, from `start` to `stop` in this `order`: of those beyond a `bound`, where
    `lookup` tells on which side.
    """

    ask: Callable[..., list[int]]
    order: str = "-key"
    lookup: str = ""
    bound: int | None = None

    def order_by(self, order: str) -> Keys:
        return replace(self, order=order)

    def filter(self, **beyond: Any) -> Keys:
        ((lookup, bound),) = beyond.items()
        return replace(self, lookup=lookup, bound=int(bound))

    def __getitem__(self, stretch: slice) -> list[dict[str, int]]:
        found = self.ask(
            self.bound, order=self.order, lookup=self.lookup, start=stretch.start, stop=stretch.stop
        )
        return [{"key": key} for key in found]


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
    order: str,
    lookup: str,
    start: int,
    stop: int,
) -> QuerySet[Match, int]:
    wanted: Any = Wanted
    asked = wanted(ladder, bot, against, status=status, outcome=outcome, seats=seats, is_rated=is_rated)
    found = asked.among(Match.objects.visible_to(user))
    if trial is not None:
        found = of_trial(trial, found)
    return _stretch(found, bound, order, lookup, start, stop)


@statement
def games(
    user: User | AnonymousUser,
    bot: int | None,
    match: int | None,
    bound: int | None,
    *,
    order: str,
    lookup: str,
    start: int,
    stop: int,
) -> QuerySet[Game, int]:
    found: Any = Game.objects.visible_to(user)
    if bot is not None:
        found = with_bot(bot, found)
    if match is not None:
        found = found.filter(match_id=match)
    return _stretch(found, bound, order, lookup, start, stop)


def _stretch(
    found: QuerySet[Any], bound: int | None, order: str, lookup: str, start: int, stop: int
) -> QuerySet[Any, int]:
    found = keyed(found)
    if bound is not None:
        found = found.filter(**{lookup: bound})
    return found.order_by(order).values_list("key", flat=True)[start:stop]


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
