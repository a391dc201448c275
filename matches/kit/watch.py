"""`watch mybot.py greedy`: a game in the terminal, step by step or at a speed."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matches.local import CommandLine, match_specs, play_local
from matches.referee import GameRecord, InfrastructureFault
from matches.replay import Line, Replay, ReplayError, decode, expand, log, verify

from . import table_options as table
from .main import print_line, whole_number, writing
from .pictures import picture
from .positions import Position, steps
from .problems import NO, TROUBLE, Problem
from .results import counted
from .sources import read_replay
from .terminal import Paint

_SUFFIXES = (".json", ".gz")
# How a replay begins, as text and packed.
_BEGINNINGS = (b"{", b"\x1f\x8b")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Plays a game between bots and shows it; or shows a recorded one, given a replay's file or a game's address on "
        "an arena."
    )
    parser.add_argument("bots", nargs="+", metavar="BOT", help=f"{table.BOTS_HELP}; or one replay")
    table.add_command(parser)
    parser.add_argument("--step", action="store_true", help="wait for the Enter key after each step")
    parser.add_argument(
        "--speed",
        type=_speed,
        default=2.0,
        metavar="N",
        help="steps a second; 0 is without a pause; default 2",
    )
    parser.add_argument(
        "--round", type=whole_number(10**6), default=1, metavar="N", help="begin with this round"
    )
    parser.add_argument("--open", action="store_true", help="show face-down cards too, in brackets")
    table.add_rules(parser)
    table.add_sandbox(parser)
    table.add_limits(parser)


def run(options: argparse.Namespace) -> int:
    if len(options.bots) == 1 and _is_replay(options.bots[0]):
        expanded, names, notes = _recorded(options.bots[0])
    elif any(_is_address(bot) for bot in options.bots):
        raise Problem("A recorded game is watched by itself: name nothing beside it.")
    else:
        expanded, names, notes = _played(options)
    lines = [line for round in log(expanded, names, notes=notes) for line in round.lines]
    if not any(round["round"] == options.round for round in expanded["rounds"]):
        raise Problem(
            f"The game has {counted(len(expanded['rounds']), 'round')}: there is no round {options.round}."
        )
    _show(steps(expanded), lines, names, options)
    return 0


def _is_replay(bot: str) -> bool:
    if isinstance(bot, CommandLine):
        return False
    return _is_address(bot) or bot.endswith(_SUFFIXES) or _begins_as_one(bot)


def _is_address(bot: str) -> bool:
    return not isinstance(bot, CommandLine) and "://" in bot


def _begins_as_one(name: str) -> bool:
    try:
        with Path(name).open("rb") as file:
            return file.read(2).startswith(_BEGINNINGS)
    except (OSError, ValueError):
        return False


def _recorded(source: str) -> tuple[dict[str, Any], list[str], Mapping[int, str]]:
    try:
        replay = decode(read_replay(source))
        # What is shown is played again from the decisions: so nobody takes an altered file for what it says.
        verify(replay)
        expanded = expand(replay)
    except ReplayError as error:
        raise Problem(f"{source}: {error}", NO) from error
    return expanded, names_of(replay), {}


def names_of(replay: Replay) -> list[str]:
    """Who sat where, as far as the replay tells; what it says of that is nobody's word, and shown plain."""
    n_seats = len(replay.core.seats)
    about = (replay.stated or {}).get("about")
    names = about.get("names") if isinstance(about, dict) else None
    if not isinstance(names, list) or len(names) != n_seats:
        return [f"seat {seat}" for seat in range(n_seats)]
    return [
        "".join(char for char in str(name) if char.isprintable())[:40] or f"seat {seat}"
        for seat, name in enumerate(names)
    ]


class _Enough(Exception):
    """One game is all that is wanted."""

    def __init__(self, game: GameRecord) -> None:
        super().__init__()
        self.game = game


def _played(options: argparse.Namespace) -> tuple[dict[str, Any], list[str], Mapping[int, str]]:
    chosen = table.table_of(options)
    launcher = table.launcher_of(options)
    specs = match_specs(chosen.seed, chosen.rules, len(chosen.entrants), 1, chosen.limits)

    def stop(match: int, game: GameRecord) -> None:
        raise _Enough(game)

    print_line(f"seed {chosen.seed.hex()}")
    try:
        play_local(chosen.entrants, specs, launcher=launcher, on_game=stop)
    except InfrastructureFault as fault:
        raise Problem(f"The game broke off, and no bot is to blame. {fault}", TROUBLE) from fault
    except _Enough as enough:
        game = enough.game
    if game.core is None or game.timing is None:
        raise Problem("The game was not played.", TROUBLE)
    names = [chosen.entrants[participant].name for participant in game.participants]
    notes = {note.decision: note.text for private in game.private for note in private.notes}
    return expand(Replay.of(game.core, game.timing)), names, notes


def _show(
    positions: Iterator[Position], lines: Sequence[Line], names: Sequence[str], options: argparse.Namespace
) -> None:
    paint = Paint(sys.stdout)
    columns = shutil.get_terminal_size().columns
    for position, line in zip(positions, lines, strict=True):
        if position.round < options.round:
            continue
        shown = picture(position, names, paint, width=columns, is_open=options.open)
        shown += ["", *(text for text in (line.text, line.more) if text)]
        if line.note:
            shown.append(paint.faint(f"note: {line.note}"))
        if paint.is_on:
            shown[0] = f"\x1b[H\x1b[2J{shown[0]}"
        else:
            shown.append("")
        print_line("\n".join(shown))
        if options.step:
            with writing():
                sys.stdout.write(paint.faint("Enter: next  Ctrl-C: stop "))
                sys.stdout.flush()
            if not sys.stdin.readline():
                return
        elif options.speed:
            time.sleep(1 / options.speed)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = -1.0
    if speed and not 0.01 <= speed <= 1000:
        raise argparse.ArgumentTypeError(f"it must be 0 or a number from 0.01 to 1000, not “{text}”")
    return speed
