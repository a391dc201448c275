"""Who stands out: exact tails, no alarm by chance, and an alarm for whoever breaks things."""

import random
from collections import Counter
from itertools import combinations

import pytest

from arena.outliers import FALSE_ALARMS, Stratum, outliers, tail

# So many more were played once: see the decision.
WINDOWS = 60


def test_the_tail_is_that_of_a_binomial_in_one_stratum_and_of_the_sum_in_several() -> None:
    assert tail(2, [Stratum(2, 2, 0.5)]) == pytest.approx(0.25)
    assert tail(1, [Stratum(3, 1, 0.1)]) == pytest.approx(1 - 0.9**3)
    # One of two and one of one: 1 - P(none) = 1 - 0.5 ** 2 * 0.75.
    assert tail(1, [Stratum(2, 1, 0.5), Stratum(1, 0, 0.25)]) == pytest.approx(1 - 0.25 * 0.75)
    assert tail(0, [Stratum(5, 0, 0.1)]) == 1.0
    assert tail(1000, [Stratum(1000, 1000, 0.5)]) == pytest.approx(0.5**1000)


def test_who_fills_a_stratum_alone_never_stands_out() -> None:
    assert tail(50, [Stratum(50, 50, 1.0)]) == 1.0
    assert outliers({"alone": [Stratum(50, 50, 1.0)]}, 50) == {}


def test_a_few_faults_are_enough_if_they_are_always_the_same_ones() -> None:
    strata = {"bad": [Stratum(5, 5, 0.1)], "other": [Stratum(5, 1, 0.1)], "third": [Stratum(5, 1, 0.1)]}
    found = outliers(strata, 5)
    assert list(found) == ["bad"]
    assert (found["bad"].n_own, found["bad"].n_faults, found["bad"].expected) == (5, 5, 0.5)
    assert outliers({name: [Stratum(2, own, 0.1)] for name, own in (("bad", 2), ("b", 1), ("c", 1))}, 2) == {}


def window(rng: random.Random, culprit: int | None) -> bool:
    """A day of ten players, looked at after each fault, with waves in which all fails; whether anybody stood out."""
    attempts: list[list[tuple[int, ...]]] = []
    failed: list[list[tuple[int, ...]]] = []
    players = range(10)
    for _ in range(12):
        rate = rng.choice([0.0, 0.002, 0.002, 0.3])
        attempts.append([])
        failed.append([])
        for pair in combinations(players, 2):
            attempts[-1].append(pair)
            if rng.random() < (0.5 if culprit in pair else rate):
                failed[-1].append(pair)
                if look(attempts, failed):
                    return True
    return False


def look(attempts: list[list[tuple[int, ...]]], failed: list[list[tuple[int, ...]]]) -> set[str]:
    played = [Counter(player for pair in hour for player in pair) for hour in attempts]
    broken = [Counter(player for pair in hour for player in pair) for hour in failed]
    suspects = {
        str(player): [
            Stratum(len(bad), mine[player], count[player] / len(hour))
            for bad, mine, count, hour in zip(failed, broken, played, attempts, strict=True)
        ]
        for player in range(10)
    }
    return set(outliers(suspects, sum(map(len, failed))))


def test_chance_alone_raises_no_more_alarms_than_are_put_up_with() -> None:
    rng = random.Random(1)
    n_alarms = sum(window(rng, culprit=None) for _ in range(WINDOWS))
    assert n_alarms <= FALSE_ALARMS * WINDOWS


def test_a_culprit_is_found_whatever_else_breaks() -> None:
    rng = random.Random(2)
    assert all(window(rng, culprit=3) for _ in range(40))
