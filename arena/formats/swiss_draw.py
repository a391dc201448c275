"""The draw of one round of a Swiss for two seats: a perfect matching of least cost.

What the draw avoids, the worst first: a second bye, a pairing that has been played, a third meeting, a bye for many
points, pairings of unequal points (their squared differences), floating the same way twice in a row. What is left
free follows FIDE's Dutch system: within equal points the upper half meets the lower half, from high to low by seed,
and who must meet fewer points is the lowest of its own and meets the highest of the others. Each is worth more than
all that comes after it together can be. There are no colours to balance: every deal is played from both seats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from .matching import cheapest_matching


@dataclass(slots=True)
class Drawn:
    """An entry before the draw. `points` in halves. `met`: how often it played whom. `floated`: the sign of its
    points less its opponent's in the round before."""

    id: int
    seed: int
    points: int = 0
    met: Counter[int] = field(default_factory=Counter)
    byes: int = 0
    forfeit_wins: int = 0
    floated: int = 0


@dataclass(frozen=True, slots=True)
class Draw:
    """Pairs from the top table down, and who sits out."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None


Key = tuple[int, int, int, tuple[tuple[int, int], ...], int, int, int]


def draw_swiss(entries: Sequence[Drawn]) -> Draw:
    """Each two of these who meet, and who has the bye if their number is odd."""
    ranked = sorted(entries, key=lambda one: (-one.points, one.seed))
    return _drawn(tuple(map(key_of, ranked)))


def key_of(one: Drawn) -> Key:
    met = tuple(sorted(one.met.items()))
    return one.id, one.seed, one.points, met, one.byes, one.forfeit_wins, one.floated


@lru_cache(maxsize=512)  # an event is drawn anew from its beginning whenever it is looked at
def _drawn(keys: tuple[Key, ...]) -> Draw:
    ranked = [
        Drawn(who, seed, points, Counter(dict(met)), byes, forfeit_wins, floated)
        for who, seed, points, met, byes, forfeit_wins, floated in keys
    ]
    n = len(ranked)
    costs = cost_matrix(ranked)
    partner = cheapest_matching(costs)
    pairs = [(i, j) for i, j in enumerate(partner) if i < j < n]
    bye = next((ranked[i].id for i in range(n) if partner[i] == n), None)
    pairs.sort(key=lambda pair: (-ranked[pair[0]].points, -ranked[pair[1]].points, pair))
    return Draw(tuple((ranked[i].id, ranked[j].id) for i, j in pairs), bye)


def cost_matrix(ranked: Sequence[Drawn]) -> list[list[int]]:
    """By rank; with an odd number one more row stands for the bye."""
    n = len(ranked)
    size = n + n % 2
    half = size // 2
    span = ranked[0].points - ranked[-1].points
    most_met = max((max(one.met.values(), default=0) for one in ranked), default=0)
    most_forfeits = max(one.forfeit_wins for one in ranked)
    # Each weight is more than all lighter costs of a whole draw together.
    float_again = 2 * half * n * n + 1
    gap = float_again * (2 * half + 1)
    bye_points = gap * (half * span * span + most_forfeits + 1)
    meeting = bye_points * (span + 1)
    rematch = meeting * (half * most_met + 1)
    second_bye = rematch * (half + 1)
    place, of_equals = places(ranked)
    costs = [[0] * size for _ in range(size)]
    for i, upper in enumerate(ranked):
        for j in range(i + 1, n):
            lower = ranked[j]
            difference = upper.points - lower.points
            times = upper.met[lower.id]
            cost = rematch * (times > 0) + meeting * times + gap * difference**2
            if difference:
                cost += float_again * ((upper.floated > 0) + (lower.floated < 0))
                cost += (of_equals[i] - 1 - place[i]) ** 2 + place[j] ** 2
            else:
                cost += (j - i - of_equals[i] // 2) ** 2
            costs[i][j] = costs[j][i] = cost
    if size > n:
        fewest = min(one.byes for one in ranked)
        for i, one in enumerate(ranked):
            cost = second_bye * (one.byes - fewest) + bye_points * (one.points - ranked[-1].points)
            costs[i][n] = costs[n][i] = cost + gap * one.forfeit_wins + (n - 1 - i) ** 2
    return costs


def places(ranked: Sequence[Drawn]) -> tuple[list[int], list[int]]:
    """For each rank its place from 0 among equal points, and how many these are."""
    size = Counter(one.points for one in ranked)
    seen: Counter[int] = Counter()
    place = []
    for one in ranked:
        place.append(seen[one.points])
        seen[one.points] += 1
    return place, [size[one.points] for one in ranked]
