"""What events at tables are asked."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from arena.formats import State


def repeats_of(state: State) -> list[int]:
    """How many meetings each round repeats, extra deals aside."""
    met: Counter[frozenset[int]] = Counter()
    repeats = []
    for round in state.rounds:
        if round.key == "X":
            continue
        pairs = [frozenset(pair) for pairing in round.pairings for pair in combinations(pairing.entries, 2)]
        repeats.append(sum(met[pair] for pair in pairs))
        met.update(pairs)
    return repeats
