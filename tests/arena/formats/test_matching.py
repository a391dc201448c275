"""The matching is perfect and nothing cheaper exists: against all matchings while they can be counted, and against
the bound that its duals prove where they cannot."""

import random
from functools import lru_cache

import pytest

from arena.formats.matching import _Forest, cheapest_matching

Costs = list[list[int]]


def costs_of(rng: random.Random, n: int, kind: str) -> Costs:
    points = [(rng.randint(0, 50), rng.randint(0, 50)) for _ in range(n)]
    costs = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            (a, b), (c, d) = points[i], points[j]
            costs[i][j] = costs[j][i] = {
                "any": rng.randint(0, 1000),
                "few": rng.choice([0, 0, 1, 2]),
                "plane": (a - c) ** 2 + (b - d) ** 2,
                "huge": rng.choice([1, 10**30]) * rng.randint(-5, 5),
            }[kind]
    return costs


def cost_of(costs: Costs, partner: tuple[int, ...]) -> int:
    return sum(costs[i][j] for i, j in enumerate(partner) if i < j)


def least_cost(costs: Costs) -> int:
    @lru_cache(None)
    def least(left: frozenset[int]) -> int:
        if not left:
            return 0
        i = min(left)
        return min(costs[i][j] + least(left - {i, j}) for j in left - {i})

    return least(frozenset(range(len(costs))))


@pytest.mark.parametrize("kind", ["any", "few", "plane", "huge"])
def test_no_matching_of_a_small_graph_is_cheaper(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(150):
        costs = costs_of(rng, 2 * rng.randint(0, 5), kind)
        partner = cheapest_matching(costs)
        assert all(partner[j] == i != j for i, j in enumerate(partner))
        assert cost_of(costs, partner) == least_cost(costs)


@pytest.mark.parametrize("kind", ["any", "few", "plane", "huge"])
@pytest.mark.parametrize("n", [20, 64, 100])
def test_the_duals_prove_a_large_matching_cheapest(n: int, kind: str) -> None:
    costs = costs_of(random.Random(f"{kind}{n}"), n, kind)
    forest = _Forest(costs)
    partner = tuple(forest.solve())
    blossoms = [(set(forest.vertices(b)), forest.z[b]) for b in range(n, 2 * n) if forest.children[b]]
    assert all(z >= 0 for _, z in blossoms)
    for i in range(n):
        for j in range(i):
            around = sum(z for inside, z in blossoms if i in inside and j in inside)
            assert 2 * costs[i][j] - forest.y[i] - forest.y[j] + around >= 0
    # Every perfect matching has at most (size - 1) / 2 edges inside a blossom.
    bound = sum(forest.y) - sum(z * (len(inside) - 1) // 2 for inside, z in blossoms)
    assert 2 * cost_of(costs, partner) == bound


def test_an_odd_number_has_no_perfect_matching() -> None:
    with pytest.raises(ValueError, match="3 vertices"):
        cheapest_matching([[0] * 3] * 3)
