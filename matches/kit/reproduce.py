"""`reproduce GAME --seat 1 mybot.py`: a recorded game once more, with your bot in a seat."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from typing import Any, Final

from bots.sandbox.faults import SandboxError, placed
from matches.engine import MAX_SEATS, Action
from matches.local import Decision, Rerun, rerun
from matches.referee import InfrastructureFault
from matches.replay import Core, Replay, ReplayError, decode

from . import table_options as table
from .main import print_line, whole_number
from .pictures import picture
from .positions import of_view
from .problems import NO, TROUBLE, Problem
from .reports import written
from .results import counted
from .sources import read_replay
from .terminal import Paint
from .watch import names_of

FAULTED: Final = 4


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Plays a recorded game again with your bot in one seat: the same cards, and the others' decisions as recorded, "
        "until yours decides otherwise or faults. The status is 0 if all came as recorded (the recorded fault, too), "
        "1 if your bot decided otherwise, 2 for a game or a seat that is not there, 4 if it faulted and the recorded "
        "one did not fault like that."
    )
    parser.add_argument("game", metavar="GAME", help="the address of a game on an arena, or a replay's file")
    parser.add_argument("bots", nargs="*", metavar="BOT", help=table.BOTS_HELP)
    table.add_command(parser)
    parser.add_argument(
        "--seat",
        type=whole_number(MAX_SEATS - 1, 0),
        required=True,
        metavar="N",
        help="the seat that your bot takes, counted from 0",
    )
    table.add_sandbox(parser)
    table.add_limits(parser)


def run(options: argparse.Namespace) -> int:
    if len(options.bots) != 1:
        raise Problem(f"One bot takes the seat, not {len(options.bots)}: name the game, then the bot's file.")
    (entrant,) = table.entrants_of(options.bots)
    try:
        replay = decode(read_replay(options.game))
        n_seats = len(replay.core.seats)
        if options.seat >= n_seats:
            raise Problem(f"This game has the seats 0 to {n_seats - 1}: there is no seat {options.seat}.")
        launcher = table.launcher_of(options)
        found = rerun(
            replay, options.seat, entrant.program, limits=table.limits_of(options), launcher=launcher
        )
    except ReplayError as error:
        raise Problem(f"{options.game}: {error}") from error
    except (InfrastructureFault, SandboxError) as fault:
        raise Problem(f"The game broke off, and the bot is not to blame. {fault}", TROUBLE) from fault
    for line in _told(found, replay, options.seat, entrant.sha256):
        print_line(line)
    if found.is_as_recorded:
        return 0
    return FAULTED if found.fault is not None else NO


def _told(found: Rerun, replay: Replay, seat: int, sha256: str) -> Iterator[str]:
    names = names_of(replay)
    core = replay.core
    yield f"{names[seat]} sat in seat {seat}; {_same_file(core, seat, sha256)}"
    yield f"Came as recorded: {counted(found.n_same, 'decision')} of the seat."
    if found.differs is not None:
        yield ""
        yield from _position(found.differs, names)
    yield ""
    if found.fault is not None:
        yield from _fault(found)
    elif found.differs is None:
        yield "Your bot decided as recorded to the end of the game."
    else:
        yield "Your bot decided otherwise. What comes after is another game."


def _same_file(core: Core, seat: int, sha256: str) -> str:
    if core.seats[seat] == sha256:
        return "your file is that very version."
    return "your file is another version."


def _position(decision: Decision, names: list[str]) -> Iterator[str]:
    paint = Paint(sys.stdout)
    yield f"Decision {decision.number}, round {decision.round}, turn {decision.turn}, phase {decision.phase}:"
    yield ""
    yield from picture(of_view(decision.view), names, paint, width=shutil.get_terminal_size().columns)
    yield ""
    yield f"  recorded: {_words(decision.recorded)}"
    yield f"  yours:    {_words(decision.mine)}"


def _words(action: Action | None) -> str:
    """What a decision was, for people; None is a fault."""
    if action is None:
        return "a fault"
    cells = ", ".join(map(str, action.cells))
    many = "s" if len(action.cells) > 1 else ""
    texts: dict[str, Any] = {
        "reveal": f"turn over cell{many} {cells}",
        "draw": "draw from the pile",
        "take": f"take the discard for cell {cells}",
        "swap": f"put the drawn card in cell {cells}",
        "flip": f"discard the drawn card, turn over cell {cells}",
        "discard": "discard the drawn card",
    }
    return str(texts[action.kind])


def _fault(found: Rerun) -> Iterator[str]:
    fault = found.fault
    if fault is None:
        return
    yield f"Your bot faulted ({fault.kind}). {placed(fault.as_dict())}"
    yield f"  expected: {fault.expected}"
    yield from written(found.line, found.stderr)
    if found.is_as_recorded:
        yield "So did the recorded one, at the same decision."
    elif found.recorded_fault is None:
        yield "The recorded one did not fault."
    else:
        yield f"The recorded one faulted too, but not like that ({found.recorded_fault.kind})."
