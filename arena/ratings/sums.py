"""What a fit asks of results: sums by pair of players, to which matches are added and from which they are taken back.

The sums are of whole and half games and of their products, so that floating point holds them exactly: they do not
depend on the order of matches, and matches that are taken back leave no trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

# From so many players on, only pairs who met have a place, which takes a sort, and not all.
MANY_PLAYERS_TO_PLACE = 3000
# Matrices are worked through by so many columns: what comes of them in between stays in a processor's cache.
COLUMNS = 64
# The rows of `Sums.values`: games and those that the lower number won; and over matches between two, the squares of
# those won, twice their products with the match's games, and the squares of the games.
GAMES, WON, WON_SQUARED, TWICE_WON_BY_GAMES, GAMES_SQUARED = range(5)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tables:
    """m matches between k players each. `players`, k by m, are numbers from 0, ascending in each match; `games`, m, how
    many a match has; `scores`, k(k-1)/2 by m, for each two players in the order (0,1), (0,2), …, (1,2), … the games in
    which the first was placed before the second, ties counting half."""

    players: Ints
    games: Ints
    scores: Floats


@dataclass(frozen=True, slots=True)
class Pairs:
    """Of each two players who met, `low` < `high`: the games, and those that `low` won."""

    low: Ints
    high: Ints
    games: Floats
    won: Floats

    def opponents(self, n: int) -> Ints:
        """By player, how many it has met."""
        return np.bincount(self.low, minlength=n) + np.bincount(self.high, minlength=n)


class Sums:
    """`values` has a column for each place, and two players i < j their place at the cell j n + i of a matrix of all n;
    or among the `cells` of those who met, where there are many players. What one match of more than two gives to
    errors is no sum by pair: those are kept, each with how often it counts. `games_of` and `won_by` are by player, over
    all opponents."""

    def __init__(self, n_players: int, tables: Sequence[Tables] = ()) -> None:
        self.n_players = n_players
        self.n_matches = 0
        self.games_of, self.won_by = np.zeros(n_players), np.zeros(n_players)
        self.larger: list[tuple[Tables, int]] = []
        self.cells: Ints | None = None
        n_places = n_players * n_players
        if n_players >= MANY_PLAYERS_TO_PLACE:
            self.cells, n_places = np.zeros(0, dtype=np.int64), 0
        self.values = [np.zeros(n_places) for _ in range(5)]
        self.add(tables)

    def add(self, tables: Sequence[Tables]) -> None:
        self._count(tables, np.add, 1)

    def take_back(self, tables: Sequence[Tables]) -> None:
        """What `add` has done with these."""
        self._count(tables, np.subtract, -1)

    def _count(self, tables: Sequence[Tables], into: np.ufunc, times: int) -> None:
        cells = [cells_of(table, self.n_players) for table in tables]
        if self.cells is not None:
            self._make_places(self.cells, [part for parts in cells for part in parts])
        for table, parts in zip(tables, cells, strict=True):
            games, is_of_two = table.games.astype(np.float64), len(table.players) == 2
            seated = combinations(table.players, 2)
            for (low, high), part, won in zip(seated, parts, table.scores, strict=True):
                into.at(self.won_by, low, won)
                into.at(self.won_by, high, games - won)
                # One sum after the other: all at once they would not fit a processor's cache.
                places = self.places(part)
                into.at(self.values[GAMES], places, games)
                into.at(self.values[WON], places, won)
                if is_of_two:
                    into.at(self.values[WON_SQUARED], places, won * won)
                    into.at(self.values[TWICE_WON_BY_GAMES], places, 2 * won * games)
                    into.at(self.values[GAMES_SQUARED], places, games * games)
            for players in table.players:
                into.at(self.games_of, players, (len(table.players) - 1) * games)
            self.n_matches += times * len(table.games)
            if not is_of_two:
                self.larger.append((table, times))

    def _make_places(self, known: Ints, cells: Sequence[Ints]) -> None:
        self.cells = np.unique(np.concatenate([known, *cells]))
        at = np.searchsorted(self.cells, known)
        for number, values in enumerate(self.values):
            self.values[number] = np.zeros(len(self.cells))
            self.values[number][at] = values

    def places(self, cells: Ints) -> Ints:
        return cells if self.cells is None else np.searchsorted(self.cells, cells)

    def blocks(self) -> Iterator[slice]:
        """Ranges of columns of the matrix of all players; above the diagonal, rows end where the range does."""
        n = self.n_players
        return (slice(first, min(first + COLUMNS, n)) for first in range(0, n, COLUMNS))

    def block(self, values: Floats, columns: slice) -> Floats:
        """Of values by place, those of these columns: one row for each, as long as the range's end; not to be
        written to."""
        n = self.n_players
        if self.cells is None:
            return values.reshape(n, n)[columns, : columns.stop]
        first, last = np.searchsorted(self.cells, (n * columns.start, n * columns.stop))
        found = np.zeros((columns.stop - columns.start, n))
        found.ravel()[self.cells[first:last] - n * columns.start] = values[first:last]
        return found[:, : columns.stop]

    def pairs(self) -> Pairs:
        met = np.flatnonzero(self.values[GAMES])
        cells = met if self.cells is None else self.cells[met]
        high, low = np.divmod(cells, max(self.n_players, 1))
        return Pairs(low, high, self.values[GAMES][met], self.values[WON][met])


def seat_pairs(k: int) -> list[tuple[int, int]]:
    return list(combinations(range(k), 2))


def cells_of(table: Tables, n: int) -> list[Ints]:
    """By pair of places, as `Tables.scores`, and match."""
    return [table.players[two] * n + table.players[one] for one, two in seat_pairs(len(table.players))]
