"""Setting the table for tests: packs with chosen cards on top, and rounds that end with chosen points."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from matches.engine import (
    CELLS,
    DECK,
    DRAW,
    Action,
    Game,
    Rules,
    SeededDeal,
    flip,
    parse_seed,
    reveal,
    rules_from,
    swap,
)

SEED = parse_seed("7")
TABLE_SIZES = range(2, 9)


class GivenDeal:
    """Packs by round, and reshuffles in the order of their use; where none is given, those of a seeded deal."""

    def __init__(
        self, packs: Sequence[Sequence[int]] = (), reshuffles: Sequence[Sequence[int]] = (), deal: int = 0
    ) -> None:
        self._packs = packs
        self._reshuffles = list(reshuffles)
        self._others = SeededDeal(SEED, deal)
        self.reshuffled: list[list[int]] = []

    def pack(self, round: int, /) -> list[int]:
        return list(self._packs[round - 1]) if round <= len(self._packs) else self._others.pack(round)

    def reshuffle(self, round: int, k: int, pile: list[int], /) -> list[int]:
        self.reshuffled.append(list(pile))
        return list(self._reshuffles.pop(0)) if self._reshuffles else self._others.reshuffle(round, k, pile)


def pack(
    hands: Sequence[Sequence[int | None]], opening: int | None = None, draw: Iterable[int] = ()
) -> list[int]:
    """A whole pack that deals these hands (cells 0, 1, 2, …; short ones and None are filled), then opens the discard
    pile with `opening`, then has `draw` on top of the draw pile. Fillers never make a column of equals by themselves.
    """
    wanted: list[int | None] = []
    for hand in hands:
        wanted += [*hand, *[None] * (CELLS - len(hand))]
    wanted += [opening, *draw]
    left = Counter(DECK)
    left.subtract(card for card in wanted if card is not None)
    assert min(left.values()) >= 0, f"more cards than the deck has: {+(-left)}"
    fillers: list[int] = []
    while any(left.values()):
        for value in (5, 6, 4, 7, 3, 8, 2, 9, 1, 10, 0, 11, -1, 12, -2):
            if left[value]:
                left[value] -= 1
                fillers.append(value)
    cards = [fillers.pop(0) if card is None else card for card in wanted]
    return cards + fillers


def new_game(
    rules: str | Mapping[str, object] | Rules = "official", seats: int = 2, deal: object = None
) -> Game:
    rules = rules if isinstance(rules, Rules) else rules_from(rules)
    return Game(rules, seats, GivenDeal() if deal is None else deal)


def dealt(
    hands: Sequence[Sequence[int | None]],
    *,
    opening: int | None = None,
    draw: Iterable[int] = (),
    rules: str | Mapping[str, object] = "official",
    reshuffles: Sequence[Sequence[int]] = (),
) -> Game:
    """A game whose first round deals these hands."""
    return new_game(rules, len(hands), GivenDeal([pack(hands, opening, draw)], reshuffles))


def play(game: Game, *actions: Action) -> Game:
    for action in actions:
        game.apply(action)
    return game


def start(game: Game, *cells: tuple[int, ...]) -> Game:
    """Reveal these cells, seat by seat, by default the cells 0 and 3 of every seat."""
    return play(game, *(reveal(*c) for c in cells or [(0, 3)] * game.seats))


def draw_and_flip(game: Game) -> None:
    """A whole turn that turns over the lowest face-down card and keeps nothing."""
    game.apply(DRAW)
    game.apply(flip(game.current.hidden(game.seat)[0]))


def flip_until(game: Game, done: object) -> Game:
    while not done(game):
        draw_and_flip(game)
    return game


def finish_round(game: Game) -> Game:
    """Every seat draws and flips until the round in play is over."""
    number = game.round
    return flip_until(game, lambda g: len(g.rounds) >= number)


def randomly(game: Game, rng: random.Random, n: int | None = None) -> Game:
    """Uniformly random legal decisions, `n` of them or until the game is over."""
    while game.outcome is None and n != 0:
        game.apply(rng.choice(game.legal_actions()))
        n = n and n - 1
    return game


@cache
def hands_worth(*points: int) -> list[list[int]]:
    """Hands with these sums from one deck, in which no column holds three equal cards."""
    rng = random.Random(repr(points))
    cards = list(DECK)
    rng.shuffle(cards)
    hands = [cards[place * CELLS : (place + 1) * CELLS] for place in range(len(points))]
    rest = cards[len(points) * CELLS :]
    for hand, wanted in zip(hands, points, strict=True):
        while (short := wanted - sum(hand)) or has_column(hand):
            i, j = rng.randrange(CELLS), rng.randrange(len(rest))
            if short == 0 or abs(short - (rest[j] - hand[i])) <= abs(short):
                hand[i], rest[j] = rest[j], hand[i]
    return hands


def has_column(hand: Sequence[int]) -> bool:
    return any(len(set(hand[c : c + 3])) == 1 for c in range(0, CELLS, 3))


@dataclass(frozen=True)
class Staged:
    """A round that `closer` closes and in which the seats at the table (all, unless given) have `points` before
    doubling. `starter` is the seat that the rules make start it; left out, the closer reveals the most and starts.
    """

    points: Sequence[int]
    closer: int
    starter: int | None = None
    table: Sequence[int] = ()

    @property
    def order(self) -> list[int]:
        """The seats that wait one turn so that the closer is first: those before it in the order of the turns."""
        table = list(self.table or range(len(self.points)))
        first = table.index(self.closer if self.starter is None else self.starter)
        return table[first:] + table[:first]

    @property
    def hands(self) -> dict[int, list[int]]:
        return dict(zip(sorted(self.order), hands_worth(*self.points), strict=True))

    def cells(self, seat: int) -> tuple[int, int]:
        """The two cells that a seat reveals."""
        hand = self.hands[seat]
        a, b = sorted(range(CELLS), key=lambda cell: hand[cell], reverse=seat == self.order[0])[:2]
        return a, b

    @property
    def waiting(self) -> list[int]:
        return self.order[: self.order.index(self.closer)]

    def pack(self) -> list[int]:
        hands = self.hands
        draw = [hands[seat][self.cells(seat)[0]] for seat in self.waiting]
        return pack([hands[seat] for seat in sorted(hands)], draw=draw)


class StagedDeal(GivenDeal):
    def __init__(self, *rounds: Staged) -> None:
        super().__init__([staged.pack() for staged in rounds])


def staged_action(game: Game, rounds: Sequence[Staged]) -> Action:
    """The next decision of a game of these rounds."""
    staged = rounds[game.round - 1]
    seat = game.seat
    if game.phase == "reveal":
        return reveal(*staged.cells(seat))
    if game.phase == "draw":
        return DRAW
    if game.turn <= len(staged.waiting):
        # Put the drawn card where its equal lies face-up: the turn passes and the grid stays as it was.
        return swap(staged.cells(seat)[0])
    return flip(game.current.hidden(seat)[0])


def staged_game(
    *rounds: Staged, rules: str | Mapping[str, object] = "official", seats: int | None = None
) -> Game:
    """A game played through these rounds."""
    game = new_game(rules, seats or len(rounds[0].points), StagedDeal(*rounds))
    while game.outcome is None and len(game.rounds) < len(rounds):
        game.apply(staged_action(game, rounds))
    return game
