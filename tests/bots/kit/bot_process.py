"""Runs a bot file as the arena does, with the kit beside it, and feeds it whole messages through pipes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bots.kit import skyjo
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import RUNTIMES
from matches.engine import Game, SeededDeal, parse_seed, rules_from

KIT_FOLDER = Path(skyjo.__file__).parent
PYTHON = RUNTIMES["python"]
RULES = rules_from("official").as_dict()
LIMITS = {"start_ms": 5000, "decision_ms": 500, "bank_ms": 10000, "memory_mib": 512}
HELLO = {"type": "hello", "protocol": 1, "kit": "1.0", "python": "3.11.2", "rules": RULES, "limits": LIMITS}
GAME = {"type": "game", "game": 0, "seats": 2, "seat": 0, "random_seed": 261489313412043}
BYE = {"type": "bye"}


def act(number: int, game: Game) -> dict[str, Any]:
    """The question with this id to the seat that is to act."""
    return {
        "type": "act",
        "id": number,
        "phase": game.phase,
        "view": game.view(game.seat),
        "since": [],
        "clock": {"bank_ms": 9000, "last_ms": 1},
    }


def fresh_game(seats: int = 2, preset: str = "official") -> Game:
    return Game(rules_from(preset), seats, SeededDeal(parse_seed("3"), 0))


def questions(*phases: str) -> list[dict[str, Any]]:
    """A question for each of these phases, all from one game, ids from 1."""
    game = fresh_game()
    found = {}
    while len(found) < 3:
        found.setdefault(game.phase, act(0, game))
        game.apply(game.legal_actions()[0])
    return [{**found[phase], "id": number} for number, phase in enumerate(phases, 1)]


@dataclass(frozen=True, slots=True)
class Talk:
    """What a bot wrote until it ended, and how it ended."""

    lines: list[str]
    stderr: str
    status: int

    @property
    def answers(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


def talk(folder: Path, files: Mapping[str, str] | str, messages: Sequence[Mapping[str, Any] | str]) -> Talk:
    """Start main.py in `folder`, send the messages, close its input, and wait for its end."""
    for name, text in ({"main.py": files} if isinstance(files, str) else files).items():
        (folder / name).write_text(text)
    sent = "".join(f"{text if isinstance(text, str) else json.dumps(text)}\n" for text in messages)
    done = subprocess.run(
        PYTHON.argv("main.py", str(folder), Limits()),
        input=sent.encode(),
        env=PYTHON.environment_with(str(KIT_FOLDER)),
        cwd=folder,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Talk(done.stdout.decode().splitlines(), done.stderr.decode(), done.returncode)
