"""Matches on one's own machine, by the same engine, referee, clocks and seeds as on the arena.

Deals are played in matches of at most DEALS_A_MATCH, each by processes of its own, so that several can be played at
once and the result is the same however many are.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, Final, NoReturn

from bots.sandbox.launcher import Launcher
from bots.sandbox.limits import Limits
from matches.engine import Rules
from matches.referee import GameRecord, InfrastructureFault, MatchRecord, MatchSpec, Progress, play_match

from .entrants import Entrant

DEALS_A_MATCH: Final = 10
_STOP_S = 20.0

OnGame = Callable[[int, GameRecord], object]


def seed_of_match(seed: bytes, number: int) -> bytes:
    """The seed of the match of this number: the first has the run's own."""
    if number == 0:
        return seed
    return hashlib.sha256(b"skyjo-arena local match %d" % number + seed).digest()


def match_specs(seed: bytes, rules: Rules, seats: int, deals: int, limits: Limits) -> list[MatchSpec]:
    """The matches of a run of so many deals. Raises ValueError for what is no match."""
    return [
        MatchSpec(
            seed_of_match(seed, number),
            rules,
            seats,
            min(DEALS_A_MATCH, deals - first) if deals else 0,
            limits,
        )
        for number, first in enumerate(range(0, max(deals, 1), DEALS_A_MATCH))
    ]


def play_local(
    entrants: Sequence[Entrant],
    specs: Sequence[MatchSpec],
    *,
    launcher: Launcher,
    on_game: OnGame,
    jobs: int = 1,
) -> None:
    """Play these matches between the entrants, `jobs` at a time.

    Each game goes to `on_game`, with the number of its match, as soon as it is over; whatever ends the run early, an
    interrupt too, leaves there what was played until then. Raises what `play_match` raises. No process is left.
    """
    if jobs == 1 or len(specs) == 1:
        for number, spec in enumerate(specs):
            _play(entrants, spec, launcher, lambda game, number=number: on_game(number, game))  # type: ignore[misc]
    else:
        _play_side_by_side(entrants, specs, launcher, on_game, min(jobs, len(specs)))


def _play(
    entrants: Sequence[Entrant], spec: MatchSpec, launcher: Launcher, on_game: Callable[[GameRecord], object]
) -> MatchRecord:
    def progress(progress: Progress) -> None:
        if progress.record is not None:
            on_game(progress.record)

    return play_match(
        spec,
        [entrant.program for entrant in entrants],
        launcher,
        sha256s=[entrant.sha256 for entrant in entrants],
        on_progress=progress,
    )


def _play_side_by_side(
    entrants: Sequence[Entrant],
    specs: Sequence[MatchSpec],
    launcher: Launcher,
    on_game: OnGame,
    jobs: int,
) -> None:
    left = iter(range(len(specs)))
    with _players(entrants, specs, launcher, jobs) as connections:
        playing = [connection for connection in connections if _give(connection, left)]
        try:
            while playing:
                for ready in wait(playing):
                    connection: Any = ready
                    if not _take(connection, on_game) and not _give(connection, left):
                        playing.remove(connection)
        except KeyboardInterrupt:
            for connection in playing:
                with suppress(InfrastructureFault):
                    while connection.poll() and _take(connection, on_game):
                        pass
            raise


def _take(connection: Connection, on_game: OnGame) -> bool:
    """Hand over what a player has sent: False if that was the end of its match. Raises InfrastructureFault."""
    with _reaching_a_player():
        kind, *facts = connection.recv()
    if kind == "game":
        on_game(*facts)
    elif kind == "fault":
        raise InfrastructureFault(*facts)
    return bool(kind == "game")


def _give(connection: Connection, left: Iterator[int]) -> bool:
    """Send the next match's number: False if there is none left. Raises InfrastructureFault."""
    number = next(left, None)
    with _reaching_a_player():
        connection.send(number)
    return number is not None


@contextmanager
def _reaching_a_player() -> Iterator[None]:
    try:
        yield
    except (EOFError, ConnectionError):
        raise InfrastructureFault("worker", "A process that played matches has ended.") from None


@contextmanager
def _players(
    entrants: Sequence[Entrant], specs: Sequence[MatchSpec], launcher: Launcher, jobs: int
) -> Iterator[list[Connection]]:
    """Processes that play matches, each at the other end of a connection; ended with the block."""
    # A copy of this process is there at once; where that cannot be had, a fresh one.
    context: BaseContext = multiprocessing.get_context(
        "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    )
    connections: list[Connection] = []
    processes: list[BaseProcess] = []
    try:
        for _ in range(jobs):
            ours, theirs = context.Pipe()
            connections.append(ours)
            process = context.Process(  # type: ignore[attr-defined]
                target=_player, args=(theirs, tuple(connections), entrants, specs, launcher)
            )
            process.start()
            processes.append(process)
            theirs.close()
        yield connections
    except BaseException:
        # Who has played all of it ends by itself, and is not disturbed in that.
        for process in processes:
            process.terminate()
        raise
    finally:
        for process in processes:
            process.join(_STOP_S)
            if process.is_alive():
                process.kill()
        for connection in connections:
            connection.close()


def _player(
    connection: Connection,
    others: Sequence[Connection],
    entrants: Sequence[Entrant],
    specs: Sequence[MatchSpec],
    launcher: Launcher,
) -> None:
    """Plays the matches whose numbers it is sent, until it is sent None, told to stop, or its parent has gone."""
    for other in others:  # or it would not see that its parent has gone
        other.close()
    # Ctrl-C, and the end of a terminal, reach every process there: the parent tells this one, once, when to stop, and
    # nothing breaks into that.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    with suppress(KeyboardInterrupt, EOFError, BrokenPipeError):
        while (number := connection.recv()) is not None:
            try:
                _play(entrants, specs[number], launcher, lambda game: connection.send(("game", number, game)))
                connection.send(("done",))
            except InfrastructureFault as fault:
                connection.send(("fault", fault.cause, fault.detail))


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
