"""A whole match: every deal from every seating, each seating by processes of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from bots.house import house_source
from bots.kit.skyjo import KIT_VERSION
from bots.sandbox.faults import LaggedError, SandboxError
from bots.sandbox.launcher import Launcher
from bots.sandbox.runtimes import PYTHON, Program, Startable
from matches.replay import final_placing

from . import messages
from .play import GamePlay
from .progress import Progress, Pulse
from .record import GameRecord, InfrastructureFault, MatchRecord
from .run import BotRun
from .spec import MatchSpec

FAULTED_GAMES_AT_TWO_SEATS: Final = 3
"""With its third faulted game a bot forfeits what is left of a two-seat match."""


def play_match(
    spec: MatchSpec,
    programs: Sequence[Startable],
    launcher: Launcher,
    *,
    sha256s: Sequence[str],
    on_progress: Callable[[Progress], object] | None = None,
    house_program: Program | None = None,
) -> MatchRecord:
    """Play a match and return its record.

    `programs` and `sha256s` (of the versions, hex) are in participant order. `on_progress` is called when the bots of
    a seating are ready, after every round and every game, and at least every 30 s in between; what it raises ends the
    match and passes through. `house_program` (by default the house bot `random`) must start where another did not,
    or it is no bot's fault.

    Raises InfrastructureFault where the attempt failed through no bot's doing, ValueError for programs that do not
    fit `spec`. No process is left, however this ends.
    """
    if not len(programs) == len(sha256s) == spec.seats:
        raise ValueError(f"{len(programs)} programs and {len(sha256s)} digests for {spec.seats} seats.")
    return _Match(spec, programs, launcher, sha256s, on_progress, house_program or _house_program()).play()


@cache
def _house_program() -> Program:
    return Program(PYTHON, {"main.py": house_source("random")}, "main.py")


class _Match:
    def __init__(
        self,
        spec: MatchSpec,
        programs: Sequence[Startable],
        launcher: Launcher,
        sha256s: Sequence[str],
        on_progress: Callable[[Progress], object] | None,
        house_program: Program,
    ) -> None:
        self._spec = spec
        self._programs = programs
        self._launcher = launcher
        self._sha256s = sha256s
        self._house_program = house_program
        self._hello = b""
        self._pulse = Pulse(spec.n_games, on_progress)
        self._games: list[GameRecord] = []
        self._n_faulted = [0] * spec.seats  # games, by participant
        self._cpu_ms = [0] * spec.seats

    def play(self) -> MatchRecord:
        began = time.monotonic()
        try:
            self._hello = messages.hello(
                self._spec.rules, self._spec.limits, kit=KIT_VERSION, python=self._launcher.python
            )
            for seating in range(self._spec.seats):
                self._play_seating(seating)
        except LaggedError as error:
            raise InfrastructureFault("lag", str(error)) from error
        except SandboxError as error:
            raise InfrastructureFault("sandbox", str(error)) from error
        except MemoryError as error:
            raise InfrastructureFault("memory", "The referee's host ran out of memory.") from error
        return MatchRecord(tuple(self._games), tuple(self._cpu_ms), round((time.monotonic() - began) * 1000))

    def _play_seating(self, seating: int) -> None:
        runs = [self._run(program) for program in self._programs]
        try:
            for deal in range(self._spec.deals):
                if self._forfeiters:
                    self._keep(self._forfeit(deal, seating))
                else:
                    self._play_game(deal, seating, runs)
        finally:
            _kill_all(runs)

    def _run(self, program: Startable) -> BotRun:
        return BotRun(program, self._launcher, self._spec.limits, self._hello, self._pulse.beat)

    def _play_game(self, deal: int, seating: int, runs: Sequence[BotRun]) -> None:
        self._pulse.begin_game(deal, seating)
        participants = self._spec.participants(deal, seating)
        game = GamePlay(
            self._spec,
            deal,
            [runs[participant] for participant in participants],
            [self._sha256s[participant] for participant in participants],
            self._prove_start,
            self._pulse,
        )
        game.play()
        for seat in game.faulted:
            self._n_faulted[participants[seat]] += 1
        game.end(is_last=deal + 1 == self._spec.deals or bool(self._forfeiters))
        record = game.record(seating, participants)
        for participant, cpu_ms in zip(participants, record.cpu_ms, strict=True):
            self._cpu_ms[participant] += cpu_ms
        self._keep(record)

    @property
    def _forfeiters(self) -> frozenset[int]:
        """The participants that have faulted so often that the match is over; at larger tables it never is."""
        if self._spec.seats > 2:
            return frozenset()
        return frozenset(p for p, n in enumerate(self._n_faulted) if n >= FAULTED_GAMES_AT_TWO_SEATS)

    def _forfeit(self, deal: int, seating: int) -> GameRecord:
        participants = self._spec.participants(deal, seating)
        seats = tuple(
            seat for seat, participant in enumerate(participants) if participant in self._forfeiters
        )
        placing = final_placing([1] * len(participants), seats)
        return GameRecord(deal, seating, participants, placing, forfeiters=seats)

    def _keep(self, record: GameRecord) -> None:
        self._games.append(record)
        self._pulse.n_finished += 1
        self._pulse.beat(record)

    def _prove_start(self) -> None:
        """A house bot starts under the same limits; where it does not, no other bot is to blame for the same."""
        house = self._run(self._house_program)
        try:
            house.launch()
            failure = house.greet()
        finally:
            house.kill()
        if failure is not None:
            raise InfrastructureFault(
                "start", f"A bot did not start, but then neither did a house bot. {failure.sentence}"
            )


def _kill_all(runs: Sequence[BotRun]) -> None:
    """All processes are ended, even where one cannot be, or a second Ctrl-C comes."""
    errors: list[BaseException] = []
    for run in runs:
        try:
            run.kill()
        except (SandboxError, KeyboardInterrupt) as error:
            errors.append(error)
    if errors:
        raise errors[0]
