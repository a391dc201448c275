"""Makes its highest face-up card lower whenever it can, and thinks of nothing else.

A card that is lower than its worst face-up card goes there, whether it lies open or was drawn. Zero and the negative
cards are never let go: if they improve no face-up card, they go to a face-down one. Everything else is discarded, and
the next face-down card is turned over. It keeps no columns in mind and closes a round whenever its last card happens to
be turned over, however bad the moment. That still wins every game against random play.
"""

from skyjo import Action, Bot, View, run


class Greedy(Bot):
    def draw(self, view: View) -> Action:
        cell = self.cell_for(view, view.discard)
        return view.draw() if cell is None else view.take(cell)

    def place(self, view: View, card: int) -> Action:
        cell = self.cell_for(view, card)
        return view.flip(view.hidden()[0]) if cell is None else view.swap(cell)

    def cell_for(self, view: View, card: int) -> int | None:
        """Where the card is wanted, if anywhere."""
        worst = view.worst_cell()
        if view.cells[worst] is not None and view.cells[worst] > card:
            return worst
        return view.hidden()[0] if card <= 0 else None


if __name__ == "__main__":
    run(Greedy())
