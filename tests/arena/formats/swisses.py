"""What must hold of every Swiss event: an oracle that knows nothing of how rounds are drawn."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence

from arena.formats import FORMATS, Entry, Result, State
from tests.arena.formats.events import by_chance, check_state, departures, field, play_out

PRIME = 2**31 - 1


def largest_matching(vertices: Sequence[int], edges: Collection[frozenset[int]], rng: random.Random) -> int:
    """How many disjoint edges there can be: half the rank of a random Tutte matrix (Lovász), wrong with a chance of
    about 10^-8."""
    index = {vertex: number for number, vertex in enumerate(vertices)}
    rows = [[0] * len(vertices) for _ in vertices]
    for edge in edges:
        i, j = sorted(index[vertex] for vertex in edge)
        rows[i][j] = rng.randrange(1, PRIME)
        rows[j][i] = PRIME - rows[i][j]
    rank = 0
    for column in range(len(vertices)):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        inverse = pow(rows[rank][column], -1, PRIME)
        for r in range(rank + 1, len(rows)):
            factor = rows[r][column] * inverse % PRIME
            if factor:
                rows[r] = [(a - factor * b) % PRIME for a, b in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return rank // 2


def fewest_rematches(
    present: Sequence[int], met: Collection[frozenset[int]], byes: Counter[int], rng: random.Random
) -> int:
    """With how few rematches these can be paired, the bye going to one with the fewest."""
    vertices = list(present)
    edges = {frozenset((one, two)) for one in present for two in present if one < two} - set(met)
    if len(present) % 2:
        vertices.append(0)
        fewest = min(byes[who] for who in present)
        edges |= {frozenset((0, who)) for who in present if byes[who] == fewest}
    return len(vertices) // 2 - largest_matching(vertices, edges, rng)


def check_draws(state: State, entries: Sequence[Entry], rng: random.Random) -> None:
    """No avoidable rematch, no second bye while one without is left, nobody twice in a round, nobody forgotten."""
    met: set[frozenset[int]] = set()
    byes: Counter[int] = Counter()
    for round in state.rounds:
        if round.key == "X":
            continue
        present = [
            entry.id for entry in entries if entry.departure is None or entry.departure.stage >= round.number
        ]
        pairs = [frozenset(pairing.entries) for pairing in round.pairings]
        assert all(len(pair) == 2 for pair in pairs)
        drawn = [who for pair in pairs for who in pair] + list(round.byes)
        assert sorted(drawn) == sorted(present)
        assert len(round.byes) == len(present) % 2
        for who in round.byes:
            assert byes[who] == min(byes[other] for other in present), (
                "a second bye while one without is left"
            )
        rematches = sum(pair in met for pair in pairs)
        if rematches:
            assert rematches == fewest_rematches(present, met, byes, rng), "an avoidable rematch"
        met |= set(pairs)
        byes.update(round.byes)


def fuzzed(seed: int) -> tuple[State, list[Entry], list[Result]]:
    """A random event of 5 to 64 entries in which some leave, checked on the way and at its end."""
    rng = random.Random(seed)
    n = rng.randint(5, 64 if seed % 4 == 0 else 28)
    most = n - 1 + n % 2
    settings = {
        "rounds": rng.choice([0, rng.randint(1, min(most, 20)), min(most, 9)]),
        "bye": rng.choice(["win", "half", "nothing"]),
        "decided_places": rng.choice([0, 1, 3]),
    }
    leaving = rng.choice([0.0, 0.0, 0.05, 0.3])
    state, entries, results = play_out(
        FORMATS["swiss"], field(n), settings, by_chance(rng), step=departures(rng, leaving), check=check_state
    )
    assert not state.unused, [unused.note.text for unused in state.unused]
    check_draws(state, entries, rng)
    live = {entry.id for entry in entries if entry.departure is None}
    assert state.winner is not None or not live or len(live) > 1
    return state, entries, results
