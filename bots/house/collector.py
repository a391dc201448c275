"""Collects columns: any two equal cards are the beginning of one, however high they are.

A third of a column is always worth placing, for it takes all three cards off the grid. So the bot puts a card beside
its like as soon as it has one there, twelves included, while enough of that value are still unseen and nobody is
about to close: two twelves wait for the third. It neither breaks up a pair nor starts a second value beside one.
Cards that match nothing it treats as a player with a threshold does: low ones are kept, the others turned into
another look at a face-down card. Towards the end it gives collecting up and only looks after its points, and after
forty turns of each seat it closes at any price. It has more columns cleared than any other house bot, and now and
then it is caught with a handful of unfinished pairs.
"""

from skyjo import COLUMNS, Action, Bot, View, run

LOW = 3  # cards up to this are kept, whatever lies there
HIGH = 7  # face-up cards from this are replaced first
UNKNOWN = 5  # what a face-down card is expected to be
TURN = 2  # what the others still gain in their final turns
PATIENCE = 40  # turns of each seat, after which a round is closed at any price
LEFT = 3  # a column is begun while so many of its value are unseen


class Collector(Bot):
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
        third = view.clearing_cell(card)
        if third is not None and card > 0:
            return third
        if view.closer is not None:
            return self.largest_gain(view, card)
        if card > 0 and self.has_time(view):
            second = self.beside_its_like(view, card)
            if second is not None:
                return second
        if card > LOW:
            return None
        worst = view.worst_cell()
        highest = UNKNOWN if view.cells[worst] is None else view.cells[worst]
        hidden = view.hidden()
        if view.closes(hidden[0]) and not self.may_close(view, view.points_now[view.seat] + card):
            return worst if highest > card else None
        return worst if highest >= HIGH else hidden[0]

    def has_time(self, view: View) -> bool:
        """Whether a column begun now may still be finished."""
        columns_count = view.rules is None or view.rules["columns"]
        others = min(len(view.hidden(seat)) for seat in view.others())
        return columns_count and others > 3 and len(view.hidden()) > 2

    def beside_its_like(self, view: View, card: int) -> int | None:
        """The cell in a column with one such card that gains most, if there is such a column."""
        if view.unseen()[card] < LEFT:
            return None
        best, gain = None, -99
        for column in COLUMNS:
            others = [cell for cell in column if view.cells[cell] != card]
            known = [cell for cell in others if view.cells[cell] is not None]
            if len(others) != 2 or (len(known) == 2 and view.cells[known[0]] == view.cells[known[1]]):
                continue
            cell = max(known, key=lambda cell: view.cells[cell], default=others[0])
            if len(known) == 1 and view.cells[cell] < UNKNOWN:
                cell = next(other for other in others if other != cell)
            value = UNKNOWN if view.cells[cell] is None else view.cells[cell]
            if value > gain:
                best, gain = cell, value
        return best

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
    run(Collector())
