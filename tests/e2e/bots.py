"""Bots that people of the end-to-end tests submit: one that plays, and the ways in which one does not."""

from io import BytesIO
from zipfile import ZipFile

CAREFUL = '''\
"""Keeps low cards, throws high ones away."""

from skyjo import Bot, run


class Careful(Bot):
    def reveal(self, view):
        return 0, 5

    def draw(self, view):
        if view.discard <= 2:
            return view.take(view.worst_cell())
        return view.draw()

    def place(self, view, card):
        if card <= 4:
            return view.swap(view.worst_cell())
        return view.flip(view.hidden()[0])


if __name__ == "__main__":
    run(Careful())
'''

START_OF_DRAW = "        if view.discard <= 2:"
CRASHES = CAREFUL.replace(START_OF_DRAW, '        raise RuntimeError("on purpose")\n' + START_OF_DRAW)
LOOPS = CAREFUL.replace(START_OF_DRAW, "        while True:\n            pass\n" + START_OF_DRAW)
NONSENSE = """\
import sys

for line in sys.stdin:
    print("I would rather not say", flush=True)
"""


def broken_zip() -> bytes:
    """A zip whose end, with its table of contents, is missing."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        archive.writestr("main.py", CAREFUL)
    return buffer.getvalue()[:-40]
