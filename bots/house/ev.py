"""Looks one action ahead and takes the one with the lowest expected cost.

Every column of its grid has a cost: what its cards are expected to count in the end. A face-down card costs the mean
of all unseen ones; high face-up cards cost less than they show while there is time to replace them; two equal cards
cost less by the chance of the third, which depends on how many are still unseen; one card with two face-down ones
under it has a little of that hope. Turning cards over is worth something of its own, because the round must be got
over with. The cost of an action is what its grid costs afterwards, averaged over the unseen cards where it turns one
over or draws one, and a part of what the card that it discards would be worth to the next seat. An action that closes
the round costs the points themselves, and their doubling as likely as the others are to end with as few; after very
many turns such hopes and fears fade, so that two such bots do not wait for each other for ever. In a final turn only
points count.
"""

from collections.abc import Iterable
from math import exp
from operator import mul
from typing import Any

from skyjo import COLUMNS, REMOVED, Action, Bot, View, run

EASY = 2  # up to this a card costs what it shows
REPLACED = 0.5  # the part of what is above that is not expected to stay
TIME = 3  # with so many face-down cards in every grid there is time for everything
PAIR = 0.6  # the chance to finish a pair, with seven of its value unseen
SINGLE = 0.1  # the chance to finish what one card begins
FLIP = 1.5  # what turning over a card is worth, beside the card
TEMPO = 0.3  # what putting a card over a face-down one is worth, beside the card
FINAL = 5.0  # what the others gain in their final turns
DOUBT = 3.5  # how uncertain their points are
GIFT = 0.3  # how much the next seat's gain counts
PATIENCE = 25  # after so many turns of each seat hope and fear begin to fade
FADING = 15  # and after so many more they are gone

BY_VALUE = (*range(13), -2, -1)
"""The values of the cards so that a list in this order can be indexed by the value itself."""


class ExpectedValue(Bot):
    def draw(self, view: View) -> Action:
        prospect = Prospect(view)
        cost, cell = prospect.placing(view.discard)
        return view.take(cell) if cost <= prospect.drawing() else view.draw()

    def place(self, view: View, card: int) -> Action:
        prospect = Prospect(view)
        cost, cell = prospect.placing(card)
        gift = prospect.gifts[card]
        if view.may_discard and gift < min(cost, prospect.flip_cost + gift):
            return view.discard_drawn()
        return view.swap(cell) if cost <= prospect.flip_cost + gift else view.flip(prospect.flip_cell)


class Prospect:
    """What each action costs, compared with the grid as it is; less is better."""

    def __init__(self, view: View) -> None:
        unseen = view.unseen()
        n_unseen = sum(unseen.values())
        self.chances = [unseen[value] / n_unseen for value in BY_VALUE]
        self.may_discard = view.may_discard
        self.has_columns = view.rules is None or view.rules["columns"]
        others = view.others()
        n_hidden = view.cells.count(None)
        is_final = view.closer is not None
        least_hidden = min(n_hidden, *[view.grids[seat].count(None) for seat in others])
        self.patience = max(0.0, min(1.0, 1 - (view.turn / len(view.grids) - PATIENCE) / FADING))
        time = 0.0 if is_final else self.patience * min(1.0, least_hidden / TIME)
        self.price_cards(time, unseen)

        # What the discarded card is worth to the next seat, the closer not being asked again.
        self.gifts = [0.0] * len(BY_VALUE)
        if others[0] != view.closer:
            changes = [[cost - base for cost in row] for _, row, base in self.rows(view.grids[others[0]])]
            if changes:
                self.gifts = [-GIFT * min(0.0, *costs) for costs in zip(*changes, strict=True)]
        unknown_gift = self.average(self.gifts)

        # The cost of each value in each cell, and of turning over the best one.
        tempo, flip = (0.0, 0.0) if is_final else (TEMPO, FLIP)
        self.costs: list[tuple[int, list[float]]] = []
        self.flip_cell, self.flip_cost = -1, 0.0
        rows = self.rows(view.cells)
        for cell, row, base in rows:
            if view.cells[cell] is not None:
                extra = self.gifts[view.cells[cell]] - base
                self.costs.append((cell, [cost + extra for cost in row]))
                continue
            if n_hidden == 1 and not is_final:
                costs = self.closing(view, cell, sum({cell // 3: base for cell, _, base in rows}.values()))
            else:
                costs = [cost - base - tempo for cost in row]
            mean = self.average(costs) - flip
            if self.flip_cell < 0 or mean < self.flip_cost:
                self.flip_cell, self.flip_cost = cell, mean
            self.costs.append((cell, [cost + unknown_gift for cost in costs]))

    def placing(self, card: int) -> tuple[float, int]:
        """The least cost of putting the card into a cell, and that cell."""
        return min((costs[card], cell) for cell, costs in self.costs)

    def drawing(self) -> float:
        """The cost of the best answer to a card from the draw pile, averaged over all unseen cards."""
        answers = [[self.flip_cost + gift for gift in self.gifts], *(costs for _, costs in self.costs)]
        if self.may_discard:
            answers.append(self.gifts)
        return self.average(map(min, *answers))

    def average(self, costs: Iterable[float]) -> float:
        """The mean over all unseen cards of costs by value."""
        mean: float = sum(map(mul, self.chances, costs))
        return mean

    def price_cards(self, time: float, unseen: dict[int, int]) -> None:
        """What cards cost, and what pairs save: with time there is hope."""
        kept = 1 - time * (1 - REPLACED)
        self.card_costs = [value if value <= EASY else EASY + kept * (value - EASY) for value in BY_VALUE]
        self.hidden_cost = self.average(self.card_costs)
        hope = time if self.has_columns else 0.0
        self.pairs = [PAIR * hope * min(1.5, unseen[value] / 7) if value > 0 else 0.0 for value in BY_VALUE]
        rest = 2 * self.hidden_cost
        left = 1 - SINGLE * hope
        self.single = [
            (cost + rest) * left if value > 0 else cost + rest
            for value, cost in zip(BY_VALUE, self.card_costs, strict=True)
        ]

    def rows(self, grid: list[Any]) -> list[tuple[int, list[float], float]]:
        """For each cell, what its column costs with each value in it, and what the column costs now.

        Of a column's face-down cells only the first is listed, for they are all alike.
        """
        found = []
        for column in COLUMNS:
            a, b, c = contents = [grid[cell] for cell in column]
            if a == REMOVED:
                continue
            rows = [self.row(b, c), self.row(a, c), self.row(a, b)]
            base = 3 * self.hidden_cost
            hidden_listed = False
            listed = []
            for cell, content, row in zip(column, contents, rows, strict=True):
                if content is not None:
                    base = row[content]
                elif hidden_listed:
                    continue
                else:
                    hidden_listed = True
                listed.append((cell, row))
                found += [(cell, row, base) for cell, row in listed]
        return found

    def row(self, one: int | None, other: int | None) -> list[float]:
        """What a column costs with each value beside these two cells; None is face-down."""
        if one is None:
            one, other = other, one
        if one is None:
            return self.single
        cost, chance = self.card_costs[one], self.pairs[one]
        if one == other:
            left = 1 - chance
            row = [(card_cost + 2 * cost) * left for card_cost in self.card_costs]
            if self.has_columns:
                row[one] = 0.0
            return row
        other_cost = self.hidden_cost if other is None else self.card_costs[other]
        row = [card_cost + cost + other_cost for card_cost in self.card_costs]
        row[one] -= chance * (2 * cost + other_cost)
        if other is not None:
            row[other] -= self.pairs[other] * (2 * other_cost + cost)
        return row

    def closing(self, view: View, cell: int, cost_now: float) -> list[float]:
        """The cost of closing the round with each value in the last face-down cell."""
        rivals = [view.expected_points(seat) - FINAL * self.patience for seat in view.others()]
        costs = []
        for value in BY_VALUE:
            points: float = view.points_now[view.seat] + value
            if view.clears(cell, value):
                points -= 3 * value
            if points > 0:
                alone = 1.0
                for rival in rivals:
                    alone /= 1 + exp((points - rival) / DOUBT)
                points += points * (1 - alone) * self.patience
            costs.append(points - cost_now)
        return costs


if __name__ == "__main__":
    run(ExpectedValue())
