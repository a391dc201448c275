"""The draw of one round of pods: tables of nearly equal size at which nobody meets anybody again, and equals meet.

A local search from the order of the points: while somebody sits with somebody it has met, swap it with whoever lets
the fewest meetings be repeated (with a short memory of swaps, so that it leaves a bad corner again); then swap
between neighbouring tables while that brings equals together. The search has its random choices from a seed and stops
after a number of steps, never by the clock: the same input gives the same draw everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from .pod_plans import Tables

FEWEST_SEATS = 3
MOST_SEATS = 8
STEPS = 400
MORE_ATTEMPTS = 2
NEIGHBOURS = 2
"""Tables this far apart swap in search of equals."""
PASSES = 6
MEMORY = range(5, 16)
"""For so many steps a swap is not made again."""


def table_sizes(n: int, seats: int) -> list[int]:
    """As many tables of `seats` as possible, the others one smaller; fewer, larger tables where there would be
    less than three at one."""
    tables = -(-n // seats)
    while tables > 1 and n // tables < FEWEST_SEATS:
        tables -= 1
    return [n // tables + (table < n % tables) for table in range(tables)]


def dealt(ids: Sequence[int], sizes: Sequence[int]) -> Tables:
    """To and fro over the tables, so that each has some of all strengths."""
    tables: Tables = [[] for _ in sizes]
    waiting = list(ids)
    forward = True
    while waiting:
        order = range(len(sizes)) if forward else reversed(range(len(sizes)))
        for table in order:
            if waiting and len(tables[table]) < sizes[table]:
                tables[table].append(waiting.pop(0))
        forward = not forward
    return tables


def cut(ids: Sequence[int], sizes: Sequence[int]) -> Tables:
    """The first at the first table, and so on."""
    tables, start = [], 0
    for size in sizes:
        tables.append(list(ids[start : start + size]))
        start += size
    return tables


def any_of(options: Sequence[int], rng: random.Random) -> int:
    """`random.random` is the one source that is the same in every version of Python."""
    return options[int(rng.random() * len(options))]


class Seating:
    """Tables in the course of the search. Entries are numbers from 0; `met[i][j]` counts the meetings of i and j."""

    def __init__(
        self, tables: Iterable[Sequence[int]], met: Sequence[Sequence[int]], points: Sequence[int]
    ) -> None:
        self.met, self.points = met, points
        self.take(tables)

    def take(self, tables: Iterable[Sequence[int]]) -> None:
        self.tables = [list(table) for table in tables]
        self.table_of = {who: t for t, table in enumerate(self.tables) for who in table}

    def repeats(self) -> int:
        return sum(self.met[i][j] for table in self.tables for i, j in combinations(table, 2))

    def met_at(self, who: int, table: int, without: int = -1) -> int:
        met = self.met[who]
        return sum(met[other] for other in self.tables[table] if other not in (who, without))

    def far_from(self, who: int, table: int, without: int = -1) -> int:
        points = self.points
        return sum((points[who] - points[o]) ** 2 for o in self.tables[table] if o not in (who, without))

    def swap(self, one: int, two: int) -> None:
        a, b = self.table_of[one], self.table_of[two]
        self.tables[a][self.tables[a].index(one)] = two
        self.tables[b][self.tables[b].index(two)] = one
        self.table_of[one], self.table_of[two] = b, a

    def part_those_who_met(self, rng: random.Random) -> int:
        """Search for tables without repeats, and leave the best that were found; gives how many are left."""
        total = best = self.repeats()
        kept = [list(table) for table in self.tables]
        tabu: dict[tuple[int, int], int] = {}
        everybody = sorted(self.table_of)
        for step in range(STEPS):
            if not total:
                break
            sitting_badly = [who for who in everybody if self.met_at(who, self.table_of[who])]
            one = any_of(sitting_badly, rng)
            here = self.table_of[one]
            leaving = self.met_at(one, here)
            options: list[int] = []
            change = 0
            for two in everybody:
                there = self.table_of[two]
                if there == here:
                    continue
                gain = self.met_at(one, there, two) + self.met_at(two, here, one)
                gain -= leaving + self.met_at(two, there)
                if tabu.get((one, two), 0) > step and total + gain >= best:
                    continue
                if not options or gain < change:
                    options, change = [two], gain
                elif gain == change:
                    options.append(two)
            if not options:
                continue
            two = any_of(options, rng)
            self.swap(one, two)
            total += change
            tabu[one, two] = tabu[two, one] = step + any_of(MEMORY, rng)
            if total < best:
                best, kept = total, [list(table) for table in self.tables]
        self.take(kept)
        return best

    def bring_equals_together(self) -> None:
        """Swap between neighbouring tables as long as nothing is repeated for it."""
        for _ in range(PASSES):
            if not sum(self.swap_if_better(one, two) for one, two in self.neighbours()):
                return

    def neighbours(self) -> Iterator[tuple[int, int]]:
        for a, b in combinations(range(len(self.tables)), 2):
            if b - a <= NEIGHBOURS:
                for place_a in range(len(self.tables[a])):
                    for place_b in range(len(self.tables[b])):
                        yield self.tables[a][place_a], self.tables[b][place_b]

    def swap_if_better(self, one: int, two: int) -> bool:
        a, b = self.table_of[one], self.table_of[two]
        nearer = self.far_from(one, b, two) + self.far_from(two, a, one)
        if nearer >= self.far_from(one, a) + self.far_from(two, b):
            return False
        if self.met_at(one, b, two) + self.met_at(two, a, one) > self.met_at(one, a) + self.met_at(two, b):
            return False
        self.swap(one, two)
        return True


def mended(tables: Tables) -> Tables:
    """Tables from which some have gone: those of whom less than three are left go to the smallest others."""
    left = sorted((list(table) for table in tables if table), key=len)
    while len(left) > 1 and len(left[0]) < FEWEST_SEATS and len(left[1]) < MOST_SEATS:
        for who in left.pop(0):
            min(left, key=len).append(who)
        left.sort(key=len)
    return left


def spread(tables: Tables, points: Sequence[int]) -> int:
    """How far from equals sit together."""
    return sum((points[i] - points[j]) ** 2 for table in tables for i, j in combinations(table, 2))


def draw_pods(
    start: Tables, met: Sequence[Sequence[int]], points: Sequence[int], seed: str, *, is_planned: bool = False
) -> tuple[Tables, int]:
    """The tables, and how many meetings are repeated at them. `start` is where the search begins; `is_planned`: later
    rounds are planned to fit it, so nothing is changed but for repeats. `points` are whole."""
    tables, repeats = _drawn(
        tuple(tuple(table) for table in start),
        tuple(tuple(row) for row in met),
        tuple(points),
        seed,
        is_planned,
    )
    return [list(table) for table in tables], repeats


@lru_cache(maxsize=256)  # an event is drawn anew from its beginning whenever it is looked at
def _drawn(
    start: tuple[tuple[int, ...], ...],
    met: tuple[tuple[int, ...], ...],
    points: tuple[int, ...],
    seed: str,
    is_planned: bool,
) -> tuple[tuple[tuple[int, ...], ...], int]:
    rng = random.Random(seed)  # noqa: S311 - only so that everybody finds the same draw
    seating = Seating(start, met, points)
    repeats = seating.part_those_who_met(rng)
    for _ in range(MORE_ATTEMPTS):
        if repeats:
            everybody = [who for table in start for who in table]
            everybody.sort(key=lambda _: rng.random())
            other = Seating(cut(everybody, [len(table) for table in start]), met, points)
            if (fewer := other.part_those_who_met(rng)) < repeats:
                repeats, seating = fewer, other
    if not is_planned:
        seating.bring_equals_together()
    return tuple(tuple(table) for table in seating.tables), repeats
