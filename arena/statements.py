"""Querysets whose SQL is put together once.

A page asks the same few things about ever other rows. To make a queryset and compile it takes the most of a page's
time, and gives the same text again and again: only values differ. So the text is kept, and the values are put in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import EmptyResultSet
from django.db import connection, models

from arena.prepared import fetched, with_constants

P = ParamSpec("P")
Row = TypeVar("Row")

# Shapes of one statement: which arguments are absent, and how many there are.
KEPT = 256
# What stands for values while a statement is compiled: like nothing that code writes down, and small enough for every
# column of whole numbers; a string that comes out otherwise wherever it is more than compared.
NUMBER = 30_011
TEXT = " aA%_\\{} "
MOMENT = datetime(1971, 2, 3, 4, 5, 6, 789, tzinfo=UTC)
WRITTEN_MOMENT = re.compile(r"\d{4}-\d\d-\d\d( .*)?")
LARGEST = 2**63 - 1
VALUES = (int, str, datetime)


class Statement(Generic[P, Row]):
    """The rows of the queryset that `make` gives.

    Whole numbers, strings, moments and people among the positional arguments are values, for which `make` is given
    others: it may compare columns with them, and ask of a person no more than whether there is an account. All else,
    such as None, and all keyword arguments are part of what the statement is. For the present use `functions.Now()`.
    Raises ValueError where a value would not be put in, or a moment or a `Prefetch` be kept.

    People with permissions, who see more than others and are few, have theirs made each time.
    """

    def __init__(self, make: Callable[P, models.QuerySet[Any, Row]]) -> None:
        self.make = make
        self.kept = lru_cache(maxsize=KEPT)(self._kept)
        update_wrapper(self, make)

    def __call__(self, *args: P.args, **constants: P.kwargs) -> list[Row]:
        return self._rows(True, args, constants)

    def filtered(self, *filters: object, uneven: object = None) -> Callable[P, list[Row]]:
        """The same, of which so many filters are in use as are not None. Which of two leaves fewer rows only their
        values tell, so that the database plans anew each time; so it does for one alone, of which some values leave
        nearly all rows and others hardly any."""
        if uneven is None and sum(one is not None for one in filters) < 2:
            return self
        return lambda *args, **constants: self._rows(False, args, constants)

    def _rows(self, is_prepared: bool, args: Sequence[Any], constants: Mapping[str, Any]) -> list[Row]:
        if any(map(_is_special, args)):
            return list(self.make(*args, **constants))
        shape = tuple(map(_kind, args))
        return self.kept(connection.vendor, shape, tuple(constants.items())).rows(
            args, is_prepared=is_prepared
        )

    def _kept(
        self, vendor: str, shape: tuple[object, ...], constants: tuple[tuple[str, object], ...]
    ) -> _Kept[Row]:
        stand_ins = [_stand_in(kind, number) for number, kind in enumerate(shape)]
        return _compiled(self.make(*stand_ins, **dict(constants)), stand_ins)  # type: ignore[arg-type]


def statement(make: Callable[P, models.QuerySet[Any, Row]]) -> Statement[P, Row]:
    """Makes a function that gives a queryset a `Statement`."""
    return Statement(make)


@dataclass(frozen=True, slots=True)
class _Kept(Generic[Row]):
    """A compiled queryset. Of each parameter it has which argument it is, or None where it is constant; without a
    compiler there are no rows, whatever the values."""

    queryset: models.QuerySet[Any, Row]
    compiler: Any = None
    sql: str = ""
    params: Sequence[tuple[object, int | None]] = ()

    def rows(self, args: Sequence[object], *, is_prepared: bool) -> list[Row]:
        if self.compiler is None:
            return []
        params = [param if place is None else _written(args[place]) for param, place in self.params]
        compiler = copy(self.compiler)
        # Each thread has its own.
        compiler.connection = connection
        compiler.execute_sql = lambda *_args, **_kwargs: [fetched(self.sql, params, is_prepared=is_prepared)]
        rows = self.queryset.all()
        rows.query.get_compiler = lambda *_args, **_kwargs: compiler  # type: ignore[method-assign]
        return list(rows)


def _compiled(queryset: models.QuerySet[Any, Row], stand_ins: Sequence[object]) -> _Kept[Row]:
    besides = queryset._prefetch_related_lookups  # type: ignore[attr-defined]
    if any(isinstance(lookup, models.Prefetch) for lookup in besides):
        raise ValueError("A queryset of what is fetched besides would be kept with the values it has now.")
    compiler = queryset.query.get_compiler(connection=connection)
    try:
        sql, params = compiler.as_sql()
    except EmptyResultSet:
        return _Kept(queryset)
    number_of = {_written(one): number for number, one in enumerate(stand_ins) if _is_value(one)}
    # PostgreSQL's numbers are of types of their own.
    places = [number_of.get(param) if isinstance(param, VALUES) else None for param in params]
    for written, number in number_of.items():
        if number not in places:
            raise ValueError(f"Argument {number} of the statement is no value, but {written!r} in {sql}")
    placed = list(zip(params, places, strict=True))
    for param, place in placed:
        if place is None and _is_moment(param):
            raise ValueError(f"The moment {param} would be kept in {sql}")
    if connection.vendor == "postgresql":
        sql = with_constants(sql, placed)
        placed = [(param, place) for param, place in placed if place is not None]
    return _Kept(queryset, compiler, sql, placed)


def _is_special(value: object) -> bool:
    """Whether a statement cannot be kept for this value: a number that no column holds, or a person who may more."""
    if type(value) is int:
        return abs(value) > LARGEST
    return isinstance(value, User) and bool(value.get_all_permissions())


def _is_value(value: object) -> bool:
    return type(value) in VALUES or isinstance(value, User)


def _kind(value: object) -> object:
    """What is part of a statement of this argument."""
    if type(value) in VALUES:
        return type(value)
    # A request's user is wrapped.
    return next((kind for kind in (User, AnonymousUser) if isinstance(value, kind)), value)


def _stand_in(kind: object, number: int) -> object:
    if kind is int:
        return NUMBER + number
    if kind is str:
        return TEXT.format(number)
    if kind is datetime:
        return MOMENT + timedelta(seconds=number)
    if kind is AnonymousUser:
        return AnonymousUser()
    if kind is User:
        person = User(pk=NUMBER + number)
        # Who has none is not asked for them in the database.
        setattr(person, "_perm_cache", set())  # noqa: B010 - no attribute that the type knows of
        return person
    return kind


def _written(value: Any) -> Any:
    """A value as a parameter of SQL."""
    if isinstance(value, User):
        value = value.pk
    if type(value) is int:
        # Of one type, however large it is: to PostgreSQL, another type makes another statement.
        return connection.ops.adapt_integerfield_value(value, "BigIntegerField")
    return connection.ops.adapt_datetimefield_value(value) if type(value) is datetime else value


def _is_moment(param: object) -> bool:
    # SQLite is given strings.
    return isinstance(param, date) or (isinstance(param, str) and bool(WRITTEN_MOMENT.fullmatch(param)))
