"""The Skyjo Arena kit for Python: what a bot needs to play. One file, the standard library alone, Python 3.11 or later.

    from skyjo import Bot, run

    class Lowest(Bot):
        def draw(self, view):
            return view.take(view.worst_cell()) if view.discard <= 2 else view.draw()

        def place(self, view, card):
            return view.swap(view.worst_cell()) if card <= 4 else view.flip(view.hidden()[0])

    if __name__ == "__main__":
        run(Lowest())

A bot answers three questions: which two cards to turn over at the start (`reveal`), where to take a card from
(`draw`), and what to do with a card from the draw pile (`place`). Each is asked with a `View`, which holds all that the
seat may know and makes the actions to return. The cells of a grid are numbered column by column: cell 3 × column + row,
0 to 11. The protocol underneath is described in the arena's docs/protocol.md; a bot need not know it.

`print` is harmless: while a bot plays, standard output leads to standard error, which the arena keeps for the bot's
owner. `random` is seeded at the start of every game, so that a match can be played again exactly.
"""

from __future__ import annotations

import gc
import json
import os
import random
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn

__all__ = [
    "COLUMNS",
    "DECK",
    "KIT_VERSION",
    "REMOVED",
    "VALUES",
    "Action",
    "Bot",
    "View",
    "load_bot",
    "run",
]

KIT_VERSION = "1.0"
PROTOCOL = 1

VALUES = tuple(range(-2, 13))
"""The values of the cards."""
DECK = {-2: 5, -1: 10, 0: 15, **dict.fromkeys(range(1, 13), 10)}
"""How many cards of each value the deck holds: 150 in all."""
COLUMNS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11))
"""The cells of each column."""
REMOVED = "x"
"""What stands in a grid where a card was removed with its column."""

_CELLS = 12
_LONGEST_NOTE = 200


class Action:
    """A decision, as `View` makes it: `kind` (reveal, draw, take, swap, flip, discard), the cells that it names, the
    phase that it answers, and `body`, its JSON without the braces. There is one object for each, so `is` compares.
    """

    __slots__ = ("body", "cells", "kind", "phase")

    def __init__(self, phase: str, kind: str, cells: tuple[int, ...], body: str) -> None:
        self.phase = phase
        self.kind = kind
        self.cells = cells
        self.body = body

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(map(str, self.cells))})"


_DRAW = Action("draw", "draw", (), '"take":"draw"')
_TAKE = [Action("draw", "take", (cell,), f'"take":"discard","cell":{cell}') for cell in range(_CELLS)]
_SWAP = [Action("place", "swap", (cell,), f'"swap":{cell}') for cell in range(_CELLS)]
_FLIP = [Action("place", "flip", (cell,), f'"flip":{cell}') for cell in range(_CELLS)]
_DISCARD = Action("place", "discard", (), '"discard":true')
_REVEAL = {
    cells: Action("reveal", "reveal", cells, f'"cells":[{",".join(map(str, cells))}]')
    for first in range(_CELLS)
    for cells in [(first,), *((first, second) for second in range(_CELLS) if second != first)]
}


class View:
    """All that a seat may know when it is asked. For reading, beside the methods:

    phase    what is asked: "reveal", "draw" or "place"
    seat     the bot's own seat
    cells    its own grid, 12 cells: an integer is a face-up card, None a face-down one, "x" a removed one
    discard  the top card of the discard pile, None while none is open
    drawn    the card taken from the draw pile (phase place), else None
    since    what happened since the bot's last decision: the public events, oldest first
    clock    {"bank_ms": CPU time left in this game, "last_ms": what the last decision was charged}
    rules    every flag of the rules that are played
    raw      the protocol's view itself

    `View(raw, phase)` makes one by hand, for tests.
    """

    __slots__ = ("cells", "clock", "discard", "drawn", "notes", "phase", "raw", "rules", "seat", "since")

    def __init__(
        self,
        raw: dict[str, Any],
        phase: str,
        since: Sequence[dict[str, Any]] = (),
        clock: Mapping[str, Any] | None = None,
        rules: Mapping[str, Any] | None = None,
    ) -> None:
        self.raw = raw
        self.phase = phase
        self.since = since
        self.clock = clock
        self.rules = rules
        self.seat: int = raw["seat"]
        self.cells: list[Any] = raw["grids"][self.seat]
        self.discard: Any = raw["discard"]
        self.drawn: Any = raw.get("drawn")
        self.notes: list[str] | None = None

    # The table.

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return self.raw["round"]  # type: ignore[no-any-return]

    @property
    def turn(self) -> int:
        """The number of the turn over all seats of the round, from 1; 0 in phase reveal."""
        return self.raw["turn"]  # type: ignore[no-any-return]

    @property
    def starter(self) -> int | None:
        """The seat that starts or started the round, None while that is not yet known."""
        return self.raw["starter"]  # type: ignore[no-any-return]

    @property
    def closer(self) -> int | None:
        """The seat that closed the round, None while nobody has. If somebody has, this is the bot's final turn."""
        return self.raw["closer"]  # type: ignore[no-any-return]

    @property
    def totals(self) -> list[int]:
        """Every seat's points of the rounds before."""
        return self.raw["totals"]  # type: ignore[no-any-return]

    @property
    def points_now(self) -> list[int]:
        """Every seat's sum of face-up cards."""
        return self.raw["points_now"]  # type: ignore[no-any-return]

    @property
    def grids(self) -> list[list[Any]]:
        """Every seat's grid, each as `cells`."""
        return self.raw["grids"]  # type: ignore[no-any-return]

    @property
    def draw_pile(self) -> int:
        """How many cards lie in the draw pile."""
        return self.raw["draw_pile"]  # type: ignore[no-any-return]

    @property
    def discards(self) -> dict[int, int]:
        """How many cards of each value lie in the discard pile, its top included."""
        return {int(value): count for value, count in self.raw["discards"].items()}

    def others(self) -> list[int]:
        """The other seats that play this round, in turn order after the bot's own."""
        n = len(self.grids)
        seats = [(self.seat + step) % n for step in range(1, n)]
        if self.rules is None or max(self.totals) < self.rules["target"]:
            return seats
        # An extra round among the seats that are tied: the grids of the others are empty from the start.
        return [seat for seat in seats if seat == self.closer or self.remaining(seat)]

    # Grids. Without a seat, the bot's own.

    def hidden(self, seat: int | None = None) -> list[int]:
        """The face-down cells."""
        grid = self.cells if seat is None else self.grids[seat]
        return [cell for cell in range(_CELLS) if grid[cell] is None]

    def face_up(self, seat: int | None = None) -> list[int]:
        """The face-up cells."""
        grid = self.cells if seat is None else self.grids[seat]
        return [cell for cell in range(_CELLS) if grid[cell] is not None and grid[cell] != REMOVED]

    def remaining(self, seat: int | None = None) -> list[int]:
        """The cells that still hold a card, face-up or face-down."""
        grid = self.cells if seat is None else self.grids[seat]
        return [cell for cell in range(_CELLS) if grid[cell] != REMOVED]

    def columns(self, seat: int | None = None) -> list[list[Any]]:
        """The four columns from left to right, each as its three cells' contents from top to bottom."""
        grid = self.cells if seat is None else self.grids[seat]
        return [grid[first : first + 3] for first in (0, 3, 6, 9)]

    def worst_cell(self) -> int:
        """The highest face-up cell (the lowest index of equals), or the first face-down one if none is face-up."""
        worst, highest = -1, -99
        for cell, card in enumerate(self.cells):
            if card.__class__ is int and card > highest:
                worst, highest = cell, card
        return self.cells.index(None) if worst < 0 else worst

    def clears(self, cell: int, card: int) -> bool:
        """Whether `card` in `cell` would make three equal face-up cards in a column, which then leave the grid."""
        if self.rules is not None and not self.rules["columns"]:
            return False
        first = cell - cell % 3
        return all(self.cells[other] == card for other in range(first, first + 3) if other != cell)

    def clearing_cell(self, card: int) -> int | None:
        """The first cell where `card` would clear a column, None if there is none."""
        for cell in range(_CELLS):
            if self.cells[cell] != card and self.clears(cell, card):
                return cell
        return None

    def closes(self, cell: int) -> bool:
        """Whether the bot closes the round when `cell` gets a face-up card: no other one of its cells is face-down."""
        return self.closer is None and all(other == cell for other in self.hidden())

    # What is not seen.

    def unseen(self) -> dict[int, int]:
        """How many cards of each value the bot has not seen: those in the draw pile and all face-down ones."""
        left = DECK.copy()
        for value, count in self.raw["discards"].items():
            left[int(value)] -= count
        for grid in self.grids:
            for card in grid:
                if card.__class__ is int:
                    left[card] -= 1
        if self.drawn is not None:
            left[self.drawn] -= 1
        return left

    def unseen_mean(self) -> float:
        """The mean value of the cards that the bot has not seen, so of any face-down card."""
        left = self.unseen()
        return sum(value * count for value, count in left.items()) / sum(left.values())

    def expected_points(self, seat: int | None = None) -> float:
        """The points of a seat if the round ended now: its face-up cards, and the mean for each face-down one."""
        seat = self.seat if seat is None else seat
        n_hidden = self.grids[seat].count(None)
        return self.points_now[seat] + (n_hidden * self.unseen_mean() if n_hidden else 0.0)

    # Actions.

    def draw(self) -> Action:
        """Take the top card of the draw pile; `place` is asked next."""
        if self.phase != "draw":
            self._refuse_phase("draw()")
        return _DRAW

    def take(self, cell: int) -> Action:
        """Take the top card of the discard pile and put it in `cell`."""
        if self.phase != "draw":
            self._refuse_phase(f"take({cell})")
        if self.cells[self._checked(cell)] == REMOVED:
            raise ValueError(f"take({cell}): the card in cell {cell} was removed with its column.")
        return _TAKE[cell]

    def swap(self, cell: int) -> Action:
        """Put the drawn card in `cell`."""
        if self.phase != "place":
            self._refuse_phase(f"swap({cell})")
        if self.cells[self._checked(cell)] == REMOVED:
            raise ValueError(f"swap({cell}): the card in cell {cell} was removed with its column.")
        return _SWAP[cell]

    def flip(self, cell: int) -> Action:
        """Discard the drawn card and turn over the face-down card in `cell`."""
        if self.phase != "place":
            self._refuse_phase(f"flip({cell})")
        if self.cells[self._checked(cell)] is not None:
            raise ValueError(f"flip({cell}): cell {cell} is not face-down; face-down are {self.hidden()}.")
        return _FLIP[cell]

    def discard_drawn(self) -> Action:
        """Discard the drawn card and turn over none: only if the rules say that a seat *may* turn one over."""
        if self.phase != "place":
            self._refuse_phase("discard_drawn()")
        if not self.may_discard:
            raise ValueError(
                "discard_drawn(): under these rules a face-down card must be turned over; use flip()."
            )
        return _DISCARD

    @property
    def may_discard(self) -> bool:
        """Whether the drawn card may be discarded without turning a card over (`flip_after_discard` is "may")."""
        return self.rules is not None and self.rules["flip_after_discard"] == "may"

    def legal_actions(self) -> list[Action]:
        """Every legal action in phase draw or place, always in the same order."""
        if self.phase == "draw":
            return [_DRAW, *(_TAKE[cell] for cell in self.remaining())]
        if self.phase == "place":
            actions = [_SWAP[cell] for cell in self.remaining()] + [_FLIP[cell] for cell in self.hidden()]
            return [*actions, _DISCARD] if self.may_discard else actions
        raise ValueError(
            "legal_actions() is for the phases draw and place; in reveal any face-down cells are legal."
        )

    def note(self, text: object) -> None:
        """Keep a short text with this decision, for the bot's owner to read in the replay; up to 200 characters."""
        if self.notes is None:
            self.notes = []
        self.notes.append(str(text))

    def _checked(self, cell: int) -> int:
        if cell.__class__ is not int or not 0 <= cell < _CELLS:
            raise ValueError(f"A cell is an integer from 0 to 11, not {cell!r}.")
        return cell

    def _refuse_phase(self, answer: str) -> NoReturn:
        wanted = {
            "reveal": "return the cells to turn over, such as (0, 5)",
            "draw": "use draw() or take(cell)",
            "place": "use swap(cell) or flip(cell)",
        }
        raise ValueError(f"{answer} is no answer in phase {self.phase}: {wanted[self.phase]}.")


class Bot:
    """What every bot derives from. Only `draw` and `place` must be written.

    rules   every flag of the rules that are played, such as rules["target"]
    limits  start_ms, decision_ms, bank_ms (CPU time) and memory_mib
    game    the number of the game, from 0; seats: how many play; seat: the bot's own
    """

    rules: dict[str, Any] = {}
    limits: dict[str, int] = {}
    game: int = 0
    seats: int = 0
    seat: int = 0

    def reveal(self, view: View) -> Sequence[int]:
        """The two cells to turn over at the start of a round. By default the first ones of the first two columns."""
        return 0, 3

    def reveal_one(self, view: View) -> int:
        """The one cell to turn over in a tie for the start, under rules that have that. By default the first
        face-down one."""
        return view.hidden()[0]

    def draw(self, view: View) -> Action:
        """view.draw() or view.take(cell)."""
        raise NotImplementedError(f"{type(self).__name__} has no method draw(self, view).")

    def place(self, view: View, card: int) -> Action:
        """view.swap(cell) or view.flip(cell), for the drawn card."""
        raise NotImplementedError(f"{type(self).__name__} has no method place(self, view, card).")

    def prepare(self) -> None:
        """Called once before the first game, within the limit for the start; `rules` and `limits` are known."""

    def game_start(self) -> None:
        """Called at the start of each game; `game`, `seats` and `seat` are known."""

    def round_end(self, result: dict[str, Any]) -> None:
        """Called after each round with round, points, doubled, closer and totals."""

    def game_over(self, result: dict[str, Any]) -> None:
        """Called at the end of each game with placing and totals."""

    def decide(self, view: View) -> Action:
        """The answer to any question: asks the method above that the phase names."""
        phase = view.phase
        if phase == "draw":
            action = self.draw(view)
        elif phase == "place":
            action = self.place(view, view.drawn)
        else:
            return self._reveal(view)
        if action.__class__ is not Action or action.phase != phase:
            wanted = (
                "view.draw() or view.take(cell)" if phase == "draw" else "view.swap(cell) or view.flip(cell)"
            )
            raise TypeError(f"{type(self).__name__}.{phase} must return {wanted}, not {action!r}.")
        return action

    def _reveal(self, view: View) -> Action:
        # A tie-break comes when the bot's first two cards lie open (or were removed with their column).
        if view.cells.count(None) == _CELLS:
            name, wanted, n_wanted = "reveal", "two different face-down cells, such as (0, 5)", 2
            answer: object = self.reveal(view)
        else:
            name, wanted, n_wanted = "reveal_one", "one face-down cell, such as 5", 1
            answer = [self.reveal_one(view)]
        cells = tuple(answer) if isinstance(answer, (tuple, list)) else ()
        action = _REVEAL.get(cells) if all(cell.__class__ is int for cell in cells) else None
        if action is None or len(cells) != n_wanted or any(view.cells[cell] is not None for cell in cells):
            raise ValueError(f"{type(self).__name__}.{name} must return {wanted}, not {answer!r}.")
        return action


def run(bot: Bot | type[Bot]) -> None:
    """Play: answer the referee's messages on standard input until the match is over.

    While a bot file is being imported, as by an author's own tests, it returns at once.
    """
    if _importing():
        return
    if isinstance(bot, type):
        bot = bot()
    if not isinstance(bot, Bot):
        raise TypeError(f"run() needs a bot, as in run(MyBot()), not {bot!r}.")
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(
            "skyjo: this bot waits for a referee's messages, one JSON object a line. "
            "Let the kit start it (skyjo.pyz play), or press Ctrl-D to stop.\n"
        )
    read, write = _claim_pipes()
    _talk(bot, read, write)


def load_bot(path: str | os.PathLike[str]) -> type[Bot]:
    """The one `Bot` subclass of a bot file, for playing it in this process.

    The file is executed, but not as the main program, so its `run` returns at once. If it defines several subclasses,
    the one that no other derives from is meant. Raises ValueError where there is none or more than one.
    """
    from importlib.util import module_from_spec, spec_from_file_location

    # The file's own `from skyjo import …` must find this module, under whatever name it was imported.
    kit = sys.modules.setdefault("skyjo", sys.modules[__name__])
    path = os.path.abspath(path)
    name = f"skyjo_bot_{os.path.splitext(os.path.basename(path))[0]}_{abs(hash(path)):x}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no Python file.")
    module = module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, os.path.dirname(path))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(os.path.dirname(path))
    found = {
        item
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, kit.Bot) and item is not kit.Bot
    }
    last = [
        item for item in found if not any(other is not item and issubclass(other, item) for other in found)
    ]
    if len(last) != 1:
        names = ", ".join(sorted(item.__name__ for item in last)) or "none"
        raise ValueError(f"{path} must hold one subclass of Bot, to be played; it holds {names}.")
    return last[0]


def _importing() -> bool:
    """Whether a module is being imported right now, further up the stack."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib._bootstrap"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


_pipes: tuple[Callable[[], bytes], Callable[[bytes], None]] | None = None


def _claim_pipes() -> tuple[Callable[[], bytes], Callable[[bytes], None]]:
    """Keep standard input and output for the referee alone: what reads a line, and what writes one.

    What a bot prints goes to standard error from now on, and also what it has printed and not yet flushed.
    """
    global _pipes
    if _pipes is None:
        stream: Any = sys.__stdin__.detach()  # type: ignore[union-attr]
        sys.stdin = None  # input() then says that there is none, instead of taking a message
        output = os.dup(1)
        os.dup2(2, 1)
        sys.stdout.flush()
        sys.stdout = sys.stderr

        def write(line: bytes) -> None:
            sent = os.write(output, line)
            while sent < len(line):
                sent += os.write(output, line[sent:])

        _pipes = stream.readline, write
    return _pipes


def _talk(bot: Bot, read: Callable[[], bytes], write: Callable[[bytes], None]) -> None:
    decode = json.JSONDecoder().raw_decode
    decide = bot.decide
    line = b""
    try:
        # What is loaded by now stays: the collector need not look at it again.
        gc.freeze()
        while line := read():
            message = decode(line.decode())[0]
            kind = message["type"]
            if kind == "act":
                view = View(message["view"], message["phase"], message["since"], message["clock"], bot.rules)
                answer = f'{{"id":{message["id"]},{decide(view).body}'
                if view.notes is not None:
                    answer += f',"note":{_note_text(view.notes)}'
                write(f"{answer}}}\n".encode())
            elif kind == "game":
                bot.game, bot.seats, bot.seat = message["game"], message["seats"], message["seat"]
                random.seed(message["random_seed"])
                bot.game_start()
            elif kind == "round":
                bot.round_end(message)
            elif kind == "over":
                bot.game_over(message)
            elif kind == "hello":
                if message["protocol"] != PROTOCOL:
                    raise SystemExit(
                        f"skyjo: kit {KIT_VERSION} speaks protocol {PROTOCOL}, the referee {message['protocol']}."
                    )
                bot.rules, bot.limits = message["rules"], message["limits"]
                bot.prepare()
                write(b'{"type":"ready"}\n')
            elif kind == "bye":
                return
    except Exception:
        text = line.decode(errors="replace").rstrip()
        sys.stderr.write(f"skyjo: {type(bot).__name__} failed at this message:\n{text}\n")
        raise


def _note_text(notes: list[str]) -> str:
    text = "; ".join(notes)[:_LONGEST_NOTE]
    return json.dumps(text.encode(errors="replace").decode())


def _imported_by_bot() -> bool:
    """Whether the main program, talking through pipes, imports this module, by itself or through its own modules."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    if main is None:  # python -c, or an interactive session
        return False
    frame = sys._getframe(1)
    folder = os.path.join(os.path.dirname(os.path.abspath(main)), "")
    while frame.f_back is not None:
        own = frame.f_globals is globals() or "importlib" in frame.f_code.co_filename
        if not own and not os.path.abspath(frame.f_code.co_filename).startswith(folder):
            return False
        frame = frame.f_back
    return frame.f_globals["__name__"] == "__main__" and all(
        stat.S_ISFIFO(os.fstat(fd).st_mode) for fd in (0, 1)
    )


# A bot file may print before it calls run().
if __name__ == "skyjo" and _imported_by_bot():
    _claim_pipes()
