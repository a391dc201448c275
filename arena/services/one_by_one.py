"""Doing the same with each of many, of which one that breaks must not keep the others waiting."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

logger = logging.getLogger(__name__)
One = TypeVar("One")


class Done(NamedTuple):
    """How much was done in all, and the names of those at which it broke."""

    n: int
    broken: list[str]


def one_by_one(each: Iterable[One], act: Callable[[One], int], *, name: Callable[[One], str]) -> Done:
    """`act` tells how much it has done; what it raises is logged."""
    n, broken = 0, []
    for one in each:
        try:
            n += act(one)
        except Exception:  # whatever our own code may raise
            logger.exception("Broke at %s", name(one))
            broken.append(name(one))
    return Done(n, broken)
