"""The worked examples of the rules page: short games that the engine plays, so that no picture can be wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from matches.engine import CELLS, DECK, DRAW, PRESETS, Game, Preset, flip, reveal, rules_from, take
from matches.engine.cards import Cell
from matches.engine.scoring import doubles, placing

Grid = tuple[Cell, ...]

ADA = (0, 2, -1, 1, 3, 0, -2, 4, 1, 0, -1, 2)
BO = (8, 8, 8, 1, 0, 10, 2, -1, 0, -2, 1, 3)
COLUMN = (7, 7, 11, 2, 12, 4, 0, 3, 9, 1, 6, 5)


class GivenCards:
    """A deal whose first round begins with these cards; the rest of the deck follows in any order."""

    def __init__(self, hands: Sequence[Sequence[int]], opening: int, draw: Sequence[int] = ()) -> None:
        first = [*(card for hand in hands for card in hand), opening, *draw]
        self._pack = [*first, *(Counter(DECK) - Counter(first)).elements()]

    def pack(self, round: int, /) -> list[int]:
        return list(self._pack)

    def reshuffle(self, round: int, k: int, pile: list[int], /) -> list[int]:
        return pile


@dataclass(frozen=True)
class Turn:
    """A turn of one player: the grid before and after, the cell it touched, the card that came, the discard pile."""

    before: Grid
    after: Grid
    cell: int
    card: int
    discard: tuple[int, ...]


@dataclass(frozen=True)
class Ending:
    """The end of a round of Ada, who closes it, and Bo."""

    closed: Grid
    final_turn: Grid
    cell: int
    taken: int
    replaced: int
    revealed: Grid
    cleared: Grid
    column: int
    sums: tuple[int, ...]
    points: tuple[int, ...]
    doubled: int | None


@dataclass(frozen=True)
class Case:
    """Sums of a round, the closer's first, and the closer's points by preset."""

    sums: tuple[int, ...]
    points: tuple[tuple[int, tuple[Preset, ...]], ...]


@dataclass(frozen=True)
class Final:
    """Totals at the end of a game with each player's place."""

    totals: tuple[int, ...]
    placing: tuple[int, ...]


def _game(hands: Sequence[Sequence[int]], opening: int, draw: Sequence[int] = ()) -> Game:
    return Game(rules_from("official"), len(hands), GivenCards(hands, opening, draw))


def _grid(game: Game, seat: int) -> Grid:
    return tuple(game.current.grids[seat])


@cache
def taking() -> Turn:
    """The 1 on the discard pile goes where a 12 lies."""
    game = _game([COLUMN, BO], opening=1)
    game.apply(reveal(4, 9))
    game.apply(reveal(3, 4))
    before = _grid(game, 0)
    game.apply(take(4))
    return Turn(before, _grid(game, 0), 4, 1, tuple(game.current.discard))


@cache
def flipping() -> Turn:
    """The card drawn is discarded and a card turned over."""
    game = _game([COLUMN, BO], opening=10, draw=[11])
    game.apply(reveal(4, 9))
    game.apply(reveal(3, 4))
    before = _grid(game, 0)
    game.apply(DRAW)
    game.apply(flip(7))
    return Turn(before, _grid(game, 0), 7, 11, tuple(game.current.discard))


@cache
def clearing() -> Turn:
    """A third 7 replaces a card unseen, and the column leaves."""
    game = _game([COLUMN, BO], opening=7)
    game.apply(reveal(0, 1))
    game.apply(reveal(3, 4))
    before = _grid(game, 0)
    game.apply(take(2))
    return Turn(before, _grid(game, 0), 2, 7, tuple(game.current.discard))


@cache
def ending() -> Ending:
    """Ada turns over her last card. Bo has one turn more; his last card face-down then makes a column."""
    drawn = [12, 11, 9, 12, 11, 9, 12, 11, 9, 12, 11, 9, 12, 11, 9, 12, 11, 9, 3]
    game = _game([ADA, BO], opening=10, draw=drawn)
    game.apply(reveal(4, 7))
    game.apply(reveal(3, 6))
    while game.current.closer is None:
        hidden = game.current.hidden(game.seat or 0)
        game.apply(DRAW)
        game.apply(flip(hidden[0] if game.seat == 0 else hidden[-1]))
    closed, before = _grid(game, 0), _grid(game, 1)
    game.apply(take(before.index(10)))
    (_, _, taken, cell, replaced, _) = next(event for event in game.events if event[0] == "take")
    final_turn = (*before[:cell], taken, *before[cell + 1 :])
    result = game.rounds[0]
    return Ending(
        closed, final_turn, cell, taken, replaced,
        revealed=tuple(BO[at] if each is None else each for at, each in enumerate(final_turn)),
        cleared=result.grids[1],
        column=result.columns[0][1],
        sums=result.points_before,
        points=result.points,
        doubled=result.doubled,
    )  # fmt: skip


@cache
def doubling() -> tuple[Case, ...]:
    """What the closer scores, case by case; presets that agree stand together."""
    cases = []
    for sums in ((9, 14, 12), (9, 7, 12), (9, 9, 12), (0, 0, 12), (-3, -5, 12)):
        by_points: dict[int, list[Preset]] = {}
        for preset in PRESETS.values():
            factor = 2 if doubles(preset.rules, sums, 0, range(len(sums))) else 1
            by_points.setdefault(factor * sums[0], []).append(preset)
        cases.append(Case(sums, tuple((points, tuple(found)) for points, found in by_points.items())))
    return tuple(cases)


@cache
def finals() -> tuple[Final, ...]:
    """A game that somebody wins, and one whose lowest total is shared."""
    return tuple(Final(totals, placing(totals)) for totals in ((64, 100, 71), (58, 103, 58)))


def sum_of(grid: Sequence[Cell]) -> int:
    """The points of the cards that lie face-up."""
    return sum(cell for cell in grid if isinstance(cell, int))


def start_grids() -> tuple[Grid, ...]:
    """Grids with the two cards that their players turned over."""
    return tuple(
        tuple({a: one, b: other}.get(cell) for cell in range(CELLS))
        for a, one, b, other in ((1, 11, 6, -1), (4, 6, 5, 3), (0, 4, 11, 4))
    )
