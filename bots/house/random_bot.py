"""Chooses every action with equal chance among all that are legal.

It has no plan at all, and so it measures the rest: what does not beat it every time has a mistake. It takes the open
discard as readily as the unknown card, puts cards anywhere and closes rounds by accident; a round costs it more than
seventy points. Its luck comes from `random`, which the kit seeds for every game.
"""

import random

from skyjo import Action, Bot, View, run


class Random(Bot):
    def reveal(self, view: View) -> list[int]:
        return random.sample(view.hidden(), 2)

    def reveal_one(self, view: View) -> int:
        return random.choice(view.hidden())

    def draw(self, view: View) -> Action:
        return random.choice(view.legal_actions())

    def place(self, view: View, card: int) -> Action:
        return random.choice(view.legal_actions())


if __name__ == "__main__":
    run(Random())
