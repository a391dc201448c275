"""Programs that misbehave in one way each, and a table to play them at."""

from __future__ import annotations

import hashlib
import json
import textwrap
from dataclasses import dataclass

from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from matches.engine import parse_seed, rules_from
from matches.referee import MatchSpec, play_match

SKELETON = '''
import itertools, json, os, random, signal, sys, threading, time

TOKEN = os.urandom(8).hex()  # tells this process from every other


def burn(ms):
    """Uses CPU time."""
    end = time.process_time() + ms / 1000
    while time.process_time() < end:
        pass


def log(*words):
    print(*words, file=sys.stderr, flush=True)


class Player:
    """Plays plainly and fast; a test overrides what it is about."""

    n_games = 0  # that this process has been told of
    n_asked = 0  # in this game

    def hello(self, m):
        self.say({"type": "ready"})

    def game(self, m):
        self.n_games += 1
        self.n_asked = 0

    def act(self, m):
        self.n_asked += 1
        self.say(self.answer(m))

    def round(self, m):
        pass

    def over(self, m):
        pass

    def bye(self, m):
        sys.exit()

    def answer(self, m):
        view = m["view"]
        grid = view["grids"][view["seat"]]
        hidden = [cell for cell in range(12) if grid[cell] is None]
        if m["phase"] == "reveal":
            return {"id": m["id"], "cells": hidden[:2] if len(hidden) == 12 else hidden[:1]}
        if m["phase"] == "draw":
            return {"id": m["id"], "take": "draw"}
        if view["drawn"] < 3:
            return {"id": m["id"], "swap": hidden[-1]}
        return {"id": m["id"], "flip": hidden[0]}

    def say(self, message):
        self.write(json.dumps(message).encode() + b"\\n")

    def write(self, line):
        while line:
            line = line[os.write(1, line):]
'''

LOOP = """

player = Mine()
for line in sys.stdin.buffer:
    message = json.loads(line)
    getattr(player, message["type"])(message)
"""


def program(body: str = "pass", *, before: str = "") -> Program:
    """A bot whose class Mine(Player) has this body; `before` runs while it starts."""
    mine = "\n\nclass Mine(Player):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n"
    source = SKELETON + textwrap.dedent(before) + mine + LOOP
    return Program("python", {"main.py": source.encode()}, "main.py")


PLAIN = program()


def answering(line: str | bytes, *, asked: int = 1) -> Program:
    """Answers question number `asked` of each game by this very line. In it, ID stands for the question's id."""
    raw = line.encode() if isinstance(line, str) else line
    return program(
        f"""
        def act(self, m):
            self.n_asked += 1
            if self.n_asked == {asked}:
                self.write({raw!r}.replace(b"ID", str(m["id"]).encode()) + b"\\n")
            else:
                self.say(self.answer(m))
        """
    )


class WatchedLauncher:
    """Remembers every process that it starts."""

    def __init__(self, launcher):
        self._launcher = launcher
        self.processes = []

    @property
    def python(self):
        return self._launcher.python

    def start(self, program, limits):
        process = self._launcher.start(program, limits)
        self.processes.append(process)
        return process


@dataclass(frozen=True, slots=True)
class ShortWall(Limits):
    """Wall caps that a test can wait for; those of the start stay as they are."""

    decision_wall: int = 60_000
    game_wall: int = 60_000

    @property
    def decision_wall_ms(self):
        return self.decision_wall

    @property
    def game_wall_ms(self):
        return self.game_wall


class Table:
    """Plays matches of short games: a round ends them unless `rules` say otherwise."""

    def __init__(self, launcher):
        self.launcher = WatchedLauncher(launcher)

    @property
    def processes(self):
        return self.launcher.processes

    def spec(self, seats=2, *, deals=1, seed="7", rules=None, limits=None):
        return MatchSpec(
            parse_seed(seed), rules_from(rules or {"target": 1}), seats, deals, limits or Limits()
        )

    def play(self, *programs, on_progress=None, house_program=None, launcher=None, **spec):
        return play_match(
            self.spec(len(programs), **spec),
            programs,
            launcher or self.launcher,
            sha256s=[digest(number) for number in range(len(programs))],
            on_progress=on_progress,
            house_program=house_program,
        )

    def fault(self, culprit, **spec):
        """The fault of a bot against a plain one, in the first game, and the private part of its seat."""
        record = self.play(culprit, PLAIN, **spec)
        game = record.games[0]
        (fault,) = game.faults
        assert game.participants[fault.seat] == 0
        assert game.placing[fault.seat] == 2
        assert game.placing[1 - fault.seat] == 1
        return fault, game.private[fault.seat]


def digest(number: int) -> str:
    """A version's sha-256, as far as the referee is concerned."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def seat_of(game, participant: int) -> int:
    return game.participants.index(participant)


def logged(game, participant: int) -> list[list[str]]:
    """What a participant's bot logged in a game, by line and word."""
    return [line.split() for line in game.private[seat_of(game, participant)].stderr.splitlines()]


def logged_json(game, participant: int) -> list[dict]:
    """What a participant's bot logged in a game as JSON lines."""
    return [json.loads(line) for line in game.private[seat_of(game, participant)].stderr.splitlines()]
