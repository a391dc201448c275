"""Fairness on a busy host: short limits beside eight busy loops, which leave a bot a fraction of a core.

Honest bots that use 40 % of a decision's limit must never be timed out. A bot that spins is stopped at its CPU limit,
one that sleeps at the wall cap. One that thinks on the opponent's turn is stopped then, and charged for it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from matches.engine import parse_seed, rules_from
from matches.referee import GameRecord, InfrastructureFault, MatchSpec, play_match

LIMITS = Limits(decision_ms=20, bank_ms=2000)
SHARE = 0.4
LOOPS = 8
GAMES = 40
SPINS = 30
SLEEPS = 4
THOUGHTS = 6

GOAL_MEDIAN = 0.10 * LIMITS.decision_ms
GOAL_WORST = GOAL_MEDIAN + 30
GOAL_THOUGHT = 0.5

_BOT = """
import sys, threading, time
from skyjo import Bot, run

USE_S = {use_s}


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Honest(Bot):
    def decide(self, view):
        self.think()
        return super().decide(view)

    def think(self):
        burn(USE_S)

    def draw(self, view):
        return view.draw()

    def place(self, view, card):
        return view.flip(view.hidden()[0])


class Mine(Honest):
{body}


run(Mine())
"""


def _bot(body: str = "pass") -> Program:
    use_s = SHARE * LIMITS.decision_ms / 1000
    source = _BOT.format(use_s=use_s, body=textwrap.indent(textwrap.dedent(body), "    "))
    return Program("python", {"main.py": source.encode()}, "main.py")


HONEST = _bot()
SPINNER = _bot("def think(self): burn(1e9)")
SLEEPER = _bot("def think(self): time.sleep(1e6)")
THINKER = _bot(
    """
    def think(self):
        if not self.threads:
            sys.setswitchinterval(1e-4)
            self.threads.append(threading.Thread(target=self.ponder, daemon=True))
            self.threads[0].start()
        self.mine = True
        burn(USE_S / 8)
        print(self.thought_s)

    def decide(self, view):
        action = super().decide(view)
        self.mine = False
        return action

    def ponder(self):
        while True:
            before = time.thread_time()
            burn(2e-4)
            if not self.mine:
                self.thought_s += time.thread_time() - before

    threads = []
    mine = True
    thought_s = 0.0
    """
)
"""Says how much CPU time it had so far while it was not its turn."""


def rows() -> list[dict[str, Any]]:
    with _busy():
        return [*_honest(), *_spinning(), *_sleeping(), *_thinking()]


@contextmanager
def _busy() -> Iterator[None]:
    """Each in a session of its own, as services are: with `sched_autogroup` the kernel shares the cores by session."""
    argv = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(argv, start_new_session=True) for _ in range(LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def _play(*programs: Program, deals: int, seed: int = 1) -> tuple[GameRecord, ...]:
    spec = MatchSpec(parse_seed(str(seed)), rules_from({"target": 1}), len(programs), deals, LIMITS)
    return play_match(spec, programs, SandboxLauncher(), sha256s=["0" * 64] * len(programs)).games


def _faults(culprit: Program, kind: str, n: int) -> list[Any]:
    """The culprit's faults, three a match."""
    faults: list[Any] = []
    while len(faults) < n:
        games = _play(culprit, HONEST, deals=2, seed=len(faults) + 1)
        for game in games:
            faults += [fault for fault in game.faults if game.participants[fault.seat] == 0]
            strangers = [fault for fault in game.faults if game.participants[fault.seat] == 1]
            if strangers:
                raise RuntimeError(f"The honest opponent had a fault: {strangers[0].sentence}")
    if wrong := [fault for fault in faults if fault.kind != kind]:
        raise RuntimeError(f"A fault was no {kind}: {wrong[0].sentence}")
    return faults


def _honest() -> list[dict[str, Any]]:
    timeouts = n_games = lags = 0
    most = 0.0
    for seed in range(GAMES // 8):
        try:
            games = _play(HONEST, HONEST, deals=4, seed=seed)
        except InfrastructureFault:
            lags += 1
            continue
        n_games += len(games)
        timeouts += sum(len(game.faults) for game in games)
        most = max(most, *(max(times) / 1e6 for game in games for times in game.times_ns))
    return [
        _row("games of honest bots beside eight busy loops", n_games, "games", GAMES, at_least=True),
        _row("of them with a fault", timeouts, "faults", 0),
        _row("attempts given up because the host lagged", lags, "attempts", 0),
        _row(f"the longest decision, of {LIMITS.decision_ms} ms", most, "ms CPU"),
    ]


def _spinning() -> list[dict[str, Any]]:
    over = [fault.cpu_ms - LIMITS.decision_ms for fault in _faults(SPINNER, "timeout", SPINS)]
    return [
        _row("a spinning bot's time over its limit, median", statistics.median(over), "ms CPU", GOAL_MEDIAN),
        _row("a spinning bot's time over its limit, worst", max(over), "ms CPU", GOAL_WORST),
    ]


def _sleeping() -> list[dict[str, Any]]:
    over = [fault.wall_ms - LIMITS.decision_wall_ms for fault in _faults(SLEEPER, "timeout", SLEEPS)]
    return [
        _row("a sleeping bot's time short of the wall cap, worst", max(0.0, -min(over)), "ms", 0),
        _row("a sleeping bot's time over the wall cap, worst", max(over), "ms"),
    ]


def _thinking() -> list[dict[str, Any]]:
    had = charged = theirs = 0.0
    for seed in range(THOUGHTS):
        for game in _play(THINKER, HONEST, deals=1, seed=seed):
            seat = game.participants.index(0)
            had += float(game.private[seat].stderr.split()[-1])
            charged += sum(game.times_ns[seat]) / 1e9
            theirs += sum(game.times_ns[1 - seat]) / 1e9
    return [
        _row(
            "of the opponent's time, what a thinking bot had beside it", had / theirs, "times", GOAL_THOUGHT
        ),
        _row("what it was charged over what it had there", charged / had, "times", 1.0, at_least=True),
    ]


def _row(
    name: str, value: float, unit: str, goal: float | None = None, *, at_least: bool = False
) -> dict[str, Any]:
    ok = goal is None or (value >= goal if at_least else value <= goal)
    return {"name": name, "value": value, "unit": unit, "goal": goal, "ok": ok}
