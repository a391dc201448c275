"""Whole games without bots, taken down as the referee does."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from matches.engine import (
    DRAW,
    Action,
    Game,
    Rules,
    SeededDeal,
    autopilot,
    flip,
    parse_seed,
    reveal,
    swap,
    take,
)
from matches.replay import FAULT_KINDS, Recorder, Replay, expand

Player = Callable[[Game, random.Random], Action]

SHORT = Rules(target=1)
"""Nearly always one round."""


def at_random(game: Game, luck: random.Random) -> Action:
    return luck.choice(game.legal_actions())


def sensible(game: Game, luck: random.Random) -> Action:
    """Low cards in, high cards out, columns where two equal ones lie: games of ordinary length."""
    assert game.seat is not None
    view = game.view(game.seat)
    grid = view["grids"][game.seat]
    hidden = [cell for cell in range(12) if grid[cell] is None]
    worst = max(((card, cell) for cell, card in enumerate(grid) if isinstance(card, int)), default=(-3, 0))

    def home(card: int) -> int | None:
        for first in (0, 3, 6, 9):
            others = [cell for cell in range(first, first + 3) if grid[cell] != card]
            if len(others) == 1 and grid[others[0]] != "x":
                return others[0]
        if worst[0] > card + 3:
            return worst[1]
        return luck.choice(hidden) if card <= 3 and hidden else None

    if game.phase == "reveal":
        return reveal(*sorted(luck.sample(hidden, 2))) if len(hidden) == 12 else reveal(hidden[0])
    card = view["discard"] if game.phase == "draw" else view["drawn"]
    cell = home(card)
    if game.phase == "draw":
        return DRAW if cell is None or card > 4 else take(cell)
    return flip(luck.choice(hidden)) if cell is None else swap(cell)


def play(
    rules: Rules | None = None,
    seats: int = 2,
    *,
    seed: int = 1,
    deal: int = 0,
    faults: Mapping[int, tuple[int, str]] | None = None,
    player: Player = sensible,
) -> Recorder:
    """A finished game. `faults`: by seat, the decision from which on the autopilot plays, and the kind."""
    rules = rules or Rules()
    secret = parse_seed(str(seed))
    luck = random.Random(seed)
    game = Game(rules, seats, SeededDeal(secret, deal))
    sha256s = [hashlib.sha256(f"version {seat}".encode()).hexdigest() for seat in range(seats)]
    recorder = Recorder(rules, secret, deal, sha256s)
    left = dict(faults or {})
    fallen: set[int] = set()
    while game.seat is not None:
        for seat in [seat for seat, (decision, _) in left.items() if decision <= game.n_decisions]:
            recorder.fault(seat, game.n_decisions, left.pop(seat)[1], cpu_ns=3_000_000)
            fallen.add(seat)
        seat = game.seat
        if seat in fallen:
            action = autopilot(game)
            recorder.decision(seat, action, autopilot=True)
        else:
            action = player(game, luck)
            recorder.decision(seat, action, cpu_ns=int(luck.lognormvariate(13.5, 1)))
        game.apply(action)
    for seat, (_, kind) in left.items():
        recorder.fault(seat, game.n_decisions, kind)
    return recorder


def replay_of(recorder: Recorder) -> Replay:
    return Replay.of(recorder.core(), recorder.timing())


def expanded(recorder: Recorder, about: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return expand(replay_of(recorder), about)


def as_json(document: object) -> bytes:
    return json.dumps(document).encode()


RULES = st.builds(
    Rules,
    target=st.sampled_from([1, 20, 50]),
    start_tie=st.sampled_from(["lowest_seat", "flip_more"]),
    next_start=st.sampled_from(["closer", "round_winner", "highest_sum"]),
    open_discard=st.sampled_from(["before_reveal", "after_reveal"]),
    columns=st.booleans(),
    flip_after_discard=st.sampled_from(["must", "may"]),
    tie_doubles=st.booleans(),
    double_only_positive=st.booleans(),
    final_tie=st.sampled_from(["shared", "extra_round"]),
    turn_cap=st.sampled_from([1, 8, 100]),
    round_cap=st.sampled_from([1, 2, 6]),
)


@st.composite
def recorders(draw: st.DrawFn) -> Recorder:
    """Finished games under any rules, at any table, with any faults."""
    seats = draw(st.integers(2, 8))
    fault = st.tuples(st.integers(0, 120), st.sampled_from(FAULT_KINDS))
    return play(
        draw(RULES),
        seats,
        seed=draw(st.integers(0, 10**6)),
        deal=draw(st.integers(0, 9)),
        faults=draw(st.dictionaries(st.integers(0, seats - 1), fault, max_size=seats)),
        player=draw(st.sampled_from([at_random, sensible])),
    )
