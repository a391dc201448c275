"""A start with columns, counted cards, and a look at the others before it closes a round.

Everything that a View knows and can do is in the kit's own text, skyjo.py, and in the protocol's page.
"""

from skyjo import Bot, run


class Columns(Bot):
    def game_start(self):
        # Called before each game; self.seats, self.seat and self.rules are known. Keep here what a game needs.
        self.rounds_closed = 0

    def reveal(self, view):
        # Two cells of different columns. A cell is 3 × column + row, so 0 to 2 are the first column.
        return 0, 3

    def draw(self, view):
        cell = self.cell_for(view, view.discard)
        if cell is None:
            return view.draw()
        return view.take(cell)

    def place(self, view, card):
        cell = self.cell_for(view, card)
        if cell is not None:
            return view.swap(cell)
        hidden = view.hidden()[0]
        if view.closes(hidden) and not self.leads(view):
            # Turning it over would close the round, at the price of doubling. Lose a little instead.
            view.note("not closing")
            return view.swap(view.worst_cell())
        return view.flip(hidden)

    def cell_for(self, view, card):
        """Where a card helps, or None."""
        third = view.clearing_cell(card)
        if third is not None and card > 0:
            return third
        worst = view.worst_cell()
        if view.cells[worst] is None:
            # No face-up card at all: any low card is welcome.
            return worst if card <= 3 else None
        if view.cells[worst] - card >= 4:
            return worst
        hidden = view.hidden()[0]
        if card <= 3 and card < view.unseen_mean() and not view.closes(hidden):
            return hidden
        return None

    def leads(self, view):
        """Whether the others are expected to have clearly more points than the bot, if the round ended now."""
        own = view.expected_points()
        return all(own < view.expected_points(seat) - 3 for seat in view.others())

    def round_end(self, result):
        # result: round, points, doubled, closer, totals. What is printed goes to the log that you alone can read.
        if result["closer"] == self.seat:
            self.rounds_closed += 1

    def game_over(self, result):
        print(f"placing {result['placing'][self.seat]}, closed {self.rounds_closed} rounds")


if __name__ == "__main__":
    run(Columns())
