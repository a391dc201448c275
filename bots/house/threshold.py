"""Keeps low cards, throws back the others, finishes columns, and does not close a round that it would lose.

Cards up to 3 are kept: they replace a face-up card of 7 or more, else a face-down one, so that the grid fills quickly
with small cards. Higher ones are discarded, unless they are the third of a column. While its last face-down card
would close the round, the bot compares: its own points must be lower than those of everybody else, counting 5 for
each of their face-down cards and allowing them one more good turn. Otherwise it spoils its worst face-up card rather
than close, but not for ever: after forty turns of each seat it closes at any price. In a final turn it simply takes
the largest gain.
"""

from skyjo import Action, Bot, View, run

LOW = 3  # cards up to this are kept
HIGH = 7  # face-up cards from this are replaced first
UNKNOWN = 5  # what a face-down card is expected to be
TURN = 2  # what the others still gain in their final turns
PATIENCE = 40  # turns of each seat, after which a round is closed at any price


class Threshold(Bot):
    def draw(self, view: View) -> Action:
        cell = self.cell_for(view, view.discard)
        return view.draw() if cell is None else view.take(cell)

    def place(self, view: View, card: int) -> Action:
        cell = self.cell_for(view, card)
        if cell is not None:
            return view.swap(cell)
        hidden = view.hidden()
        if view.closes(hidden[0]) and not self.may_close(view, view.points_now[view.seat] + UNKNOWN):
            return view.discard_drawn() if view.may_discard else view.swap(view.worst_cell())
        return view.flip(hidden[0])

    def cell_for(self, view: View, card: int) -> int | None:
        """Where the card is wanted, if anywhere."""
        clearing = view.clearing_cell(card)
        if clearing is not None and card > 0:
            return clearing
        if view.closer is not None:
            return self.largest_gain(view, card)
        if card > LOW:
            return None
        worst = view.worst_cell()
        highest = UNKNOWN if view.cells[worst] is None else view.cells[worst]
        hidden = view.hidden()
        if view.closes(hidden[0]) and not self.may_close(view, view.points_now[view.seat] + card):
            return worst if highest > card else None
        return worst if highest >= HIGH else hidden[0]

    def largest_gain(self, view: View, card: int) -> int | None:
        """The cell with the highest card, if the new one is lower."""
        values = {
            cell: UNKNOWN if view.cells[cell] is None else view.cells[cell] for cell in view.remaining()
        }
        cell = max(values, key=lambda cell: values[cell])
        return cell if values[cell] > card else None

    def may_close(self, view: View, points: int) -> bool:
        """Whether `points` will be lower than those of every other seat, or the round has lasted too long."""
        if view.turn > PATIENCE * len(view.grids):
            return True
        return all(
            points < view.points_now[seat] + UNKNOWN * len(view.hidden(seat)) - TURN for seat in view.others()
        )


if __name__ == "__main__":
    run(Threshold())
