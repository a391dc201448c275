"""Decides at once, without looking at more than it must: what is measured beside it is everything else."""

from skyjo import Action, Bot, View, run


class Instant(Bot):
    def draw(self, view: View) -> Action:
        return view.draw()

    def place(self, view: View, card: int) -> Action:
        cell = view.cells.index(None)
        return view.swap(cell) if card <= 4 else view.flip(cell)


if __name__ == "__main__":
    run(Instant)
