"""The referee beside a pipe: whole two-seat games between instant bots, all on one core, and what C makes of it.

The floor is two `cat` that hand one line of 600 bytes round in a ring: two programs in C that read and write, and
nothing else. Floor, sandboxed and bare games take turns, so that all meet the same machine. The same games are played
in every turn; of each its best time counts, and of those the median, so that a busy machine matters little.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bots.sandbox.launcher import BareLauncher, Launcher, SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from matches.engine import parse_seed, rules_from
from matches.referee import MatchSpec, Progress, play_match

GOAL_ALL = 15
GOAL_OWN = 6
GOAL_SANDBOX = 1.10

TURNS = 12
DEALS = 12
WINDOWS = 30
WINDOW_S = 0.004
LINE_BYTES = 600

INSTANT = Program("python", {"main.py": Path(__file__).with_name("instant_bot.py").read_bytes()}, "main.py")


class Cost(NamedTuple):
    """Of a game, in µs a decision: wall time, and the CPU time that the bots were charged."""

    all: float
    bots: float


Costs: TypeAlias = dict[tuple[int, int], Cost]
"""By deal and seating."""


def rows() -> list[dict[str, Any]]:
    floors: list[float] = []
    sandboxed: list[Costs] = []
    bare: list[Costs] = []
    with _one_core():
        for _ in range(TURNS):
            floors.append(_floor())
            sandboxed.append(_games(SandboxLauncher()))
            bare.append(_games(BareLauncher()))
    floor = min(floors)
    best = _best(sandboxed)
    own = best.all - best.bots
    return [
        _row("C pipe echo of 600 bytes, the floor", floor, "µs"),
        _row("a decision in a sandboxed two-seat game, in all", best.all, "µs"),
        _row("of it the bots' part (CPU time charged)", best.bots, "µs"),
        _row("of it the referee's own part (all the rest)", own, "µs"),
        _row("in all over the floor", best.all / floor, "times", GOAL_ALL),
        _row("the referee's own part over the floor", own / floor, "times", GOAL_OWN),
        _row("sandboxed over bare", best.all / _best(bare).all, "times", GOAL_SANDBOX),
    ]


def _row(name: str, value: float, unit: str, goal: float | None = None) -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "goal": goal, "ok": goal is None or value <= goal}


def _best(turns: list[Costs]) -> Cost:
    least = [min(turn[game] for turn in turns) for game in turns[0]]
    return Cost(statistics.median(cost.all for cost in least), statistics.median(cost.bots for cost in least))


@contextmanager
def _one_core() -> Iterator[None]:
    """Pinned, and where we may, ahead of whatever else runs there."""
    cores, niceness = os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)
    os.sched_setaffinity(0, {max(cores)})
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
        os.setpriority(os.PRIO_PROCESS, 0, niceness)


def _floor() -> float:
    """The least time of a round trip, in µs: of the line once round the ring."""
    there_read, there_write = os.pipe()
    back_read, back_write = os.pipe()
    cats = [
        subprocess.Popen(["/bin/cat"], stdin=there_read, stdout=back_write),
        subprocess.Popen(["/bin/cat"], stdin=back_read, stdout=there_write),
    ]
    try:
        with open(f"/proc/{cats[0].pid}/io", "rb", buffering=0) as counts:
            os.write(there_write, b"x" * LINE_BYTES)
            return min(_window(counts) for _ in range(WINDOWS))
    finally:
        for cat in cats:
            cat.kill()
            cat.wait()
        for descriptor in (there_read, there_write, back_read, back_write):
            os.close(descriptor)


def _window(counts: Any) -> float:
    trips, began = _trips(counts), time.perf_counter()
    time.sleep(WINDOW_S)
    trips, took = _trips(counts) - trips, time.perf_counter() - began
    return took / trips * 1e6 if trips > 0 else float("inf")


def _trips(counts: Any) -> float:
    """How often the line has passed, from the number of bytes that a `cat` has read: the first line is rchar."""
    counts.seek(0)
    return int(counts.read().split()[1]) / LINE_BYTES


def _games(launcher: Launcher) -> Costs:
    """A match; the first game of each run of the processes, in which they warm up, is left out."""
    costs: Costs = {}
    last = 0.0

    def on_progress(progress: Progress) -> None:
        nonlocal last
        record = progress.record
        if record is not None:
            if progress.deal:
                scale = 1e6 / record.n_decisions
                charged = sum(map(sum, record.times_ns)) / 1e9
                took = time.perf_counter() - last
                costs[progress.deal, progress.seating] = Cost(took * scale, charged * scale)
            last = time.perf_counter()

    spec = MatchSpec(parse_seed("7"), rules_from("official"), 2, DEALS, Limits())
    play_match(spec, [INSTANT] * 2, launcher, sha256s=["0" * 64] * 2, on_progress=on_progress)
    return costs
