"""The order of the seeds, and where seeds stand in a bracket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .entries import check_ids
from .errors import FormatError
from .lots import drawn
from .words import Template, gettext_noop

SEEDING_PURPOSE = "seeding"
WRONG_ORDER = Template(
    gettext_noop("The order leaves out {missing} and names {strange}, which are not entered.")
)


def seeded_by_lot(ids: Sequence[int], seed: str) -> list[int]:
    """Seed 1 first, drawn from the published seed (docs/formats.md, Lots; the purpose is "seeding")."""
    check_ids(ids)
    return drawn(seed, SEEDING_PURPOSE, ids)


def seeded_by_rating(ids: Sequence[int], ratings: Mapping[int, float], seed: str) -> list[int]:
    """The highest rating first, those without one last; equals in the order of their lots."""
    order = {who: place for place, who in enumerate(seeded_by_lot(ids, seed))}
    return sorted(ids, key=lambda who: (who not in ratings, -ratings.get(who, 0.0), order[who]))


def seeded_by_hand(ids: Sequence[int], order: Sequence[int]) -> list[int]:
    """The given order, if it names everybody once; raises `FormatError` otherwise."""
    check_ids(order)
    missing, strange = sorted(set(ids) - set(order)), sorted(set(order) - set(ids))
    if missing or strange:
        raise FormatError(WRONG_ORDER(missing=missing, strange=strange))
    return list(order)


def bracket_order(size: int) -> list[int]:
    """The seeds from top to bottom of a bracket of 2, 4, 8, … places: 1, 8, 4, 5, 2, 7, 3, 6.

    As long as the better seed wins, seeds 1 and 2 meet in the final, 1 to 4 in the semi-finals, and so on.
    """
    order = [1]
    while len(order) < size:
        whole = 2 * len(order) + 1
        order = [seed for upper in order for seed in (upper, whole - upper)]
    return order


def bracket_size(n: int) -> int:
    """The smallest power of two that holds n entries, at least 2."""
    return max(2, 1 << (n - 1).bit_length())


def snake(n: int, groups: int) -> list[list[int]]:
    """The seeds 1 to n dealt to groups to and fro: 1, 2, 3 go to groups A, B, C, then 4, 5, 6 to C, B, A."""
    dealt: list[list[int]] = [[] for _ in range(groups)]
    for index in range(n):
        row, place = divmod(index, groups)
        dealt[place if row % 2 == 0 else groups - 1 - place].append(index + 1)
    return dealt
