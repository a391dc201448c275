"""What must hold of every knock-out, whoever leaves and whenever."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from arena.formats import FORMATS, Entry, How, Leaving, State
from tests.arena.formats.events import by_chance, check_state, field, leave, play_out

LIVES = {"single-elimination": 1, "double-elimination": 2}


def subsets(n: int) -> Iterator[tuple[int, ...]]:
    for count in range(n + 1):
        yield from combinations(range(1, n + 1), count)


def check_bracket(state: State, entries: Sequence[Entry]) -> None:
    check_state(state, entries)
    seeds = {entry.id: entry.seed for entry in entries}
    n = len(entries)
    byes = Counter(pairing.winner for pairing in state.pairings if pairing.how is How.BYE)
    size = 2 ** max(1, (n - 1).bit_length())
    assert {seeds[who]: k for who, k in byes.items() if who is not None} == dict.fromkeys(
        range(1, size - n + 1), 1
    )
    first = state.parts[0]
    for number, round in enumerate(first.rounds, 1):
        for pairing in round.pairings:
            if {seeds[who] for who in pairing.entries} == {1, 2}:
                assert number == len(first.rounds), (
                    "seeds 1 and 2 meet in the first bracket only in its final"
                )
    if len(state.parts) > 1 and state.parts[1].key == "L":
        for pairing in state.parts[1].rounds[0].pairings:
            assert pairing.how is not How.BYE


def check_end(state: State, entries: Sequence[Entry], lives: int) -> None:
    """Everybody but the winner is out as often as the format says, by a match, by a forfeit or by leaving."""
    left = {entry.id for entry in entries if entry.departure is not None}
    losses = Counter(
        pairing.loser
        for pairing in state.pairings
        if pairing.loser is not None
        and pairing.how not in (How.NOT_NEEDED, How.BYE, How.WALK_OVER)
        and not pairing.key.startswith("T")
    )
    for entry in entries:
        if entry.id not in left and entry.id != state.winner:
            assert losses[entry.id] == lives, f"seed {entry.seed} is out after {losses[entry.id]} losses"
    expelled = [standing for standing in state.standings if standing.status == Leaving.DISQUALIFIED]
    if state.winner is not None:
        assert losses[state.winner] < lives or expelled, "others move up where one is disqualified"
        won = [pairing for pairing in state.pairings if pairing.winner == state.winner]
        assert state.winner not in left or won[-1].played, "who has left wins only what it had won before"
    else:
        assert all(losses[entry.id] == lives for entry in entries if entry.id not in left)


def play_with(
    name: str, n: int, leaving: dict[int, int], rng: random.Random, settings: dict[str, Any]
) -> tuple[State, list[Entry]]:
    """An event of n in which the entries of these seeds leave after so many steps of all matches that could be
    played."""
    steps = Counter[str]()

    def step(state: State, now: list[Entry]) -> list[Entry]:
        going = [
            entry.id
            for entry in now
            if entry.departure is None and leaving.get(entry.seed, 99) <= steps["played"]
        ]
        if not going:
            steps["played"] += 1
            return now
        for who in going:
            kind = rng.choice([Leaving.WITHDRAWN, Leaving.DISQUALIFIED])
            now = leave(now, who, state.stage, kind, steps["played"])
        return now

    state, entries, results = play_out(
        FORMATS[name], field(n), settings, by_chance(rng, level=0.1), step=step, check=check_bracket
    )
    assert not state.unused
    assert len(state.used) == len(results)
    lives = LIVES[name]
    if name == "double-elimination" and settings.get("reset") is False:
        return state, entries
    check_end(state, entries, lives)
    return state, entries
