"""The smallest bot that plays: it keeps low cards and turns the others into another look.

Change one thing at a time and watch what the leaderboard says.
"""

from skyjo import Bot, run


class Smallest(Bot):
    def draw(self, view):
        # The open card is known, the draw pile is not: take the open one if it is low.
        if view.discard <= 2:
            return view.take(view.worst_cell())
        return view.draw()

    def place(self, view, card):
        # Below the average of about 5 a card is worth keeping. Otherwise discard it and turn over another one.
        if card <= 4:
            return view.swap(view.worst_cell())
        return view.flip(view.hidden()[0])


if __name__ == "__main__":
    run(Smallest())
