"""The twin of a game, for one seat: the same game in which all that the seat has not seen lies otherwise."""

from __future__ import annotations

import random

from matches.engine import CELLS, Action, Deal, Game, Rules, event_json


class Recorded:
    """A game with its deal and decisions kept, so that a twin can be played."""

    def __init__(self, rules: Rules, seats: int, deal: Deal) -> None:
        self._deal = deal
        self.packs: list[list[int]] = []
        self.piles: dict[tuple[int, int], list[int]] = {}
        self.decisions: list[Action] = []
        self.game = Game(rules, seats, self)

    def pack(self, round: int, /) -> list[int]:
        self.packs.append(self._deal.pack(round))
        return list(self.packs[-1])

    def reshuffle(self, round: int, k: int, pile: list[int], /) -> list[int]:
        self.piles[round, k] = self._deal.reshuffle(round, k, pile)
        return list(self.piles[round, k])

    def apply(self, action: Action) -> None:
        self.game.apply(action)
        self.decisions.append(action)

    def assert_twin_looks_the_same(self, seat: int, rng: random.Random) -> None:
        """Shuffle what `seat` has not seen, play the same decisions, and compare all that it is told."""
        twin = self.twin(seat, rng)
        assert twin.view(seat) == self.game.view(seat)
        assert twin.view_text(seat) == self.game.view_text(seat)
        assert (twin.phase, twin.seat, twin.turn) == (self.game.phase, self.game.seat, self.game.turn)
        if twin.seat == seat:
            assert twin.legal_actions() == self.game.legal_actions()
        told = [event_json(event, seat) for event in self.game.events]
        assert [event_json(event, seat) for event in twin.events] == told

    def twin(self, seat: int, rng: random.Random) -> Game:
        current = self.game.current
        number = current.number
        packs = [list(pack) for pack in self.packs]
        piles = {key: list(pile) for key, pile in self.piles.items()}
        grids = [
            place * CELLS + cell
            for place, other in enumerate(current.table)
            for cell in current.hidden(other)
        ]
        n_unseen = current.n_draw_pile + (current.phase == "place" and current.seat != seat)
        n_reshuffles = sum(round == number for round, _ in piles)
        pack = packs[number - 1]
        if n_reshuffles:
            # Which cards lie in a new draw pile everybody knows, so they stay apart from those in the grids.
            _shuffle(pack, grids, rng)
            pile = piles[number, n_reshuffles - 1]
            _shuffle(pile, range(len(pile) - n_unseen, len(pile)), rng)
        else:
            _shuffle(pack, [*grids, *range(len(pack) - n_unseen, len(pack))], rng)
        twin = Game(self.game.rules, self.game.seats, _Given(packs, piles))
        for action in self.decisions:
            twin.apply(action)
        return twin


class _Given:
    def __init__(self, packs: list[list[int]], piles: dict[tuple[int, int], list[int]]) -> None:
        self._packs = packs
        self._piles = piles

    def pack(self, round: int, /) -> list[int]:
        return self._packs[round - 1]

    def reshuffle(self, round: int, k: int, pile: list[int], /) -> list[int]:
        return self._piles[round, k]


def _shuffle(cards: list[int], positions: object, rng: random.Random) -> None:
    positions = list(positions)
    values = [cards[position] for position in positions]
    rng.shuffle(values)
    for position, value in zip(positions, values, strict=True):
        cards[position] = value
