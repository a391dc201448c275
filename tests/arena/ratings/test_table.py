"""The published table: a pure function of the set of matches."""

import dataclasses
import random

import pytest

from arena.ratings.table import Outcome, rate


def outcome(match: int, versions: tuple[int, ...], pairs: tuple[float, ...], **changes: object) -> Outcome:
    n = len(versions)
    one = Outcome(
        match=match,
        versions=versions,
        games=10,
        pairs=pairs,
        totals=(500,) * n,
        clean=(10,) * n,
        faults=(0,) * n,
    )
    return dataclasses.replace(one, **changes)  # type: ignore[arg-type]


def ladder(n_matches: int, seed: int = 3) -> list[Outcome]:
    rng = random.Random(seed)
    matches = []
    for match in range(1, n_matches + 1):
        versions = tuple(sorted(rng.sample(range(1, 9), 2)))
        matches.append(outcome(match, versions, (rng.randint(0, 20) / 2,)))
    return matches


def test_the_order_of_matches_changes_no_bit() -> None:
    matches = ladder(500)
    table = rate(matches, 1)
    for seed in range(5):
        shuffled = random.Random(seed).sample(matches, len(matches))
        assert rate(shuffled, 1) == table


def test_a_match_that_is_given_twice_counts_once() -> None:
    matches = ladder(50)
    assert rate(matches + matches[10:30], 1) == rate(matches, 1)


def test_the_anchor_stands_at_1500_without_error() -> None:
    rows = {row.version: row for row in rate(ladder(200), 4).rows}
    assert (rows[4].elo, rows[4].standard_error) == (1500.0, 0.0)
    assert all(row.standard_error > 0 for version, row in rows.items() if version != 4)


def test_without_the_anchor_the_mean_is_1500() -> None:
    rows = rate(ladder(200), None).rows
    assert sum(row.elo for row in rows) / len(rows) == pytest.approx(1500, abs=1e-4)


def test_ranks_follow_the_ratings() -> None:
    rows = rate(ladder(100), 1).rows
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    assert [row.elo for row in rows] == sorted((row.elo for row in rows), reverse=True)


def test_counts_are_of_games_opponents_points_and_faults() -> None:
    matches = [
        outcome(1, (1, 2), (7.5,), totals=(400, 800), clean=(10, 8), faults=(0, 2)),
        outcome(2, (1, 2, 3), (10.0, 5.0, 0.0), totals=(600, 0, 300), clean=(10, 0, 10), faults=(0, 10, 0)),
    ]
    rows = {row.version: row for row in rate(matches, 1).rows}
    assert (rows[1].n_matches, rows[1].n_games, rows[1].n_opponents, rows[1].n_faults) == (2, 20, 2, 0)
    assert rows[1].win_share == pytest.approx((7.5 + 10 + 5) / 30, abs=1e-6)
    assert rows[2].win_share == pytest.approx((2.5 + 0 + 0) / 30, abs=1e-6)
    assert rows[3].win_share == pytest.approx((5 + 10) / 20, abs=1e-6)
    assert rows[1].mean_points == pytest.approx(50)
    assert rows[2].mean_points == pytest.approx(100)
    assert rows[2].n_faults == 12


def test_points_are_unknown_where_every_game_had_a_fault() -> None:
    rows = rate([outcome(1, (1, 2), (10.0,), totals=(500, 0), clean=(10, 0), faults=(0, 10))], 1).rows
    assert {row.version: row.mean_points for row in rows} == {1: 50.0, 2: None}


def test_the_input_hash_tells_any_change_of_the_input() -> None:
    matches = ladder(20)
    hashes = {rate(matches, 1).input_sha256, rate(matches[:-1], 1).input_sha256}
    for changes in ({"match": 99}, {"games": 12}, {"pairs": (0.5,)}, {"totals": (1, 1)}, {"faults": (1, 0)}):
        hashes.add(rate([*matches[:-1], dataclasses.replace(matches[-1], **changes)], 1).input_sha256)
    assert len(hashes) == 7


def test_an_empty_ladder_has_an_empty_table() -> None:
    table = rate([], 1)
    assert (table.rows, table.n_matches, table.n_games) == ((), 0, 0)
