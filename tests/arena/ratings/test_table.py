"""The published table: a pure function of the set of matches."""

import dataclasses
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.ratings.table import Doubt, Outcome, Row, Table, rate


def outcome(match: int, versions: tuple[int, ...], pairs: tuple[float, ...], **changes: object) -> Outcome:
    n = len(versions)
    one = Outcome(
        match=match,
        versions=versions,
        games=10,
        pairs=pairs,
        totals=(500,) * n,
        clean=(10,) * n,
        rounds=(40,) * n,
        faults=(0,) * n,
    )
    return dataclasses.replace(one, **changes)  # type: ignore[arg-type]


def ladder(n_matches: int, seed: int = 3, versions: range = range(1, 9)) -> list[Outcome]:
    rng = random.Random(seed)
    matches = []
    for match in range(1, n_matches + 1):
        two = tuple(rng.sample(versions, 2))
        matches.append(outcome(match, two, (rng.randint(0, 20) / 2,)))
    return matches


def by_version(table: Table) -> dict[int, Row]:
    return {row.version: row for row in table.rows}


def test_the_order_of_matches_changes_no_bit() -> None:
    matches = ladder(500)
    table = rate(matches, anchor=1)
    for seed in range(5):
        shuffled = random.Random(seed).sample(matches, len(matches))
        assert rate(shuffled, anchor=1) == table


def test_a_match_that_is_given_twice_counts_once() -> None:
    matches = ladder(50)
    assert rate(matches + matches[10:30], anchor=1) == rate(matches, anchor=1)


def test_fits_at_once_in_one_process_come_out_the_same_bit_for_bit() -> None:
    """Large enough for BLAS to split sums between threads, if it may."""
    matches = ladder(3000, versions=range(1, 301))
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda _: rate(matches, anchor=1), range(4)))
    assert all(table == tables[0] for table in tables)


def test_the_order_of_seats_in_a_match_means_nothing() -> None:
    seated = [
        outcome(1, (1, 2, 3), (7.5, 5.0, 2.0), totals=(1, 2, 3), clean=(4, 5, 6), faults=(7, 8, 9)),
        outcome(2, (2, 3), (6.0,)),
    ]
    turned = [
        outcome(1, (3, 1, 2), (5.0, 8.0, 7.5), totals=(3, 1, 2), clean=(6, 4, 5), faults=(9, 7, 8)),
        outcome(2, (3, 2), (4.0,)),
    ]
    assert rate(seated, anchor=1).rows == rate(turned, anchor=1).rows


def test_the_anchor_stands_at_1500_and_has_an_error_like_all_others() -> None:
    rows = by_version(rate(ladder(200), anchor=4))
    assert rows[4].elo == 1500.0
    assert all(row.standard_error > 0 for row in rows.values())


def test_without_the_anchor_the_mean_is_1500() -> None:
    for anchor in (None, 99):
        rows = rate(ladder(200), anchor=anchor).rows
        assert sum(row.elo for row in rows) / len(rows) == pytest.approx(1500, abs=0.01)


def test_ratings_and_errors_are_published_in_hundredths() -> None:
    for row in rate(ladder(100), anchor=1).rows:
        assert (row.elo, row.standard_error) == (round(row.elo, 2), round(row.standard_error, 2))


def test_ranks_follow_the_ratings() -> None:
    rows = rate(ladder(100), anchor=1).rows
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    assert [row.elo for row in rows] == sorted((row.elo for row in rows), reverse=True)


def test_counts_are_of_games_opponents_points_and_faults() -> None:
    matches = [
        outcome(1, (1, 2), (7.5,), totals=(400, 800), clean=(10, 8), rounds=(40, 32), faults=(0, 2)),
        outcome(
            2, (1, 2, 3), (10.0, 5.0, 0.0),
            totals=(600, 0, 300), clean=(10, 0, 10), rounds=(60, 0, 60), faults=(0, 10, 0),
        ),
    ]  # fmt: skip
    rows = by_version(rate(matches, anchor=1))
    assert (rows[1].n_matches, rows[1].n_games, rows[1].n_opponents, rows[1].n_faults) == (2, 20, 2, 0)
    assert rows[1].win_share == pytest.approx((7.5 + 10 + 5) / 30, abs=1e-6)
    assert rows[2].win_share == pytest.approx((2.5 + 0 + 0) / 30, abs=1e-6)
    assert rows[3].win_share == pytest.approx((5 + 10) / 20, abs=1e-6)
    assert (rows[1].mean_points, rows[1].round_points) == (50, 10)
    assert (rows[2].mean_points, rows[2].round_points) == (100, 25)
    assert rows[2].n_faults == 12


def test_the_input_hash_tells_any_change_of_the_input() -> None:
    matches = ladder(20)
    hashes = {
        rate(matches, anchor=1).input_sha256,
        rate(matches, anchor=2).input_sha256,
        rate(matches, anchor=1, outliers=[3]).input_sha256,
        rate(matches[:-1], anchor=1).input_sha256,
    }
    for changes in (
        {"match": 99},
        {"games": 12},
        {"pairs": (0.25,)},
        {"totals": (1, 1)},
        {"clean": (9, 9)},
        {"rounds": (1, 1)},
        {"faults": (1, 0)},
    ):
        changed = dataclasses.replace(matches[-1], **changes)  # type: ignore[arg-type]
        hashes.add(rate([*matches[:-1], changed], anchor=1).input_sha256)
    assert len(hashes) == 11


# What could go wrong with a field.


def test_no_games_make_an_empty_table() -> None:
    table = rate([], anchor=1)
    assert (table.rows, table.n_matches, table.n_games) == ((), 0, 0)


def test_one_game_makes_two_provisional_ratings() -> None:
    rows = by_version(rate([outcome(1, (1, 2), (1.0,), games=1)], anchor=1))
    assert rows[2].elo < rows[1].elo == 1500
    assert 100 < rows[1].standard_error < 400
    assert all(row.doubts == (Doubt.ERROR, Doubt.CONNECTION) for row in rows.values())


def test_who_won_every_game_is_rated_and_provisional() -> None:
    matches = [*ladder(400), *[outcome(1000 + n, (n % 8 + 1, 20), (0.0,)) for n in range(80)]]
    rows = by_version(rate(matches, anchor=1))
    assert rows[20].rank == 1
    assert rows[20].elo < 1500 + 1500
    assert Doubt.CONNECTION in rows[20].doubts
    assert rows[20].n_opponents == 8
    assert all(Doubt.CONNECTION not in rows[version].doubts for version in range(1, 9))


def test_groups_that_never_met_are_told_apart() -> None:
    first, second = ladder(600), ladder(300, seed=4, versions=range(11, 16))
    apart = [dataclasses.replace(one, match=one.match + 1000) for one in second]
    rows = by_version(rate([*first, *apart], anchor=1))
    assert all(Doubt.CONNECTION in rows[version].doubts for version in range(11, 16))
    assert all(Doubt.CONNECTION not in rows[version].doubts for version in range(1, 9))
    # Nobody knows how far apart the groups are: that is in the errors.
    by_itself = by_version(rate(apart, anchor=11))
    assert all(rows[v].standard_error > 1.2 * by_itself[v].standard_error for v in range(11, 16))
    alone = by_version(rate(first, anchor=1))
    assert all(rows[version].elo == pytest.approx(alone[version].elo, abs=15) for version in range(1, 9))


def test_ties_in_every_game_leave_all_equal() -> None:
    matches = [outcome(n, (n % 5 + 1, (n + 1) % 5 + 1), (5.0,)) for n in range(100)]
    rows = rate(matches, anchor=1).rows
    assert {row.elo for row in rows} == {1500.0}
    assert [row.version for row in rows] == [1, 2, 3, 4, 5]
    assert all(Doubt.CONNECTION not in row.doubts for row in rows)


def test_eight_seats_with_shared_places_add_up() -> None:
    rng = random.Random(5)
    matches = []
    for match in range(60):
        places = [rng.randint(1, 4) for _ in range(8)]
        pairs = tuple(
            10 * ((places[i] < places[j]) + 0.5 * (places[i] == places[j]))
            for i in range(8)
            for j in range(i + 1, 8)
        )
        matches.append(outcome(match, tuple(range(1, 9)), pairs))
    rows = rate(matches, anchor=1).rows
    assert sum(row.win_share for row in rows) == pytest.approx(4, abs=1e-5)
    assert {row.n_opponents for row in rows} == {7}
    assert all(row.doubts == () for row in rows if row.standard_error <= 30)


def test_a_version_with_nothing_but_faults_is_last_and_has_no_points() -> None:
    lost = [
        outcome(1000 + n, (n % 8 + 1, 20), (10.0,), totals=(500, 0), clean=(10, 0), rounds=(40, 0), faults=(0, 10))
        for n in range(40)
    ]  # fmt: skip
    rows = by_version(rate([*ladder(200), *lost], anchor=1))
    assert rows[20].rank == 9
    assert (rows[20].mean_points, rows[20].round_points, rows[20].n_faults) == (None, None, 400)
    assert rows[20].elo > 0


def test_two_who_flood_the_ladder_move_nobody_else() -> None:
    """Thousands of matches between two versions tell of their difference alone."""
    matches = ladder(400)
    rng = random.Random(8)
    flood = [outcome(1000 + n, (7, 8), (rng.randint(0, 20) / 2,)) for n in range(5000)]
    quiet, loud = by_version(rate(matches, anchor=1)), by_version(rate([*matches, *flood], anchor=1))
    for version in range(1, 7):
        assert abs(loud[version].elo - quiet[version].elo) < quiet[version].standard_error
        assert loud[version].standard_error == pytest.approx(quiet[version].standard_error, rel=0.1)
    assert abs(loud[7].elo - loud[8].elo) < 10
    assert loud[7].n_opponents == quiet[7].n_opponents
    # Where the two stand together is known little better than before.
    assert loud[7].standard_error > 0.6 * quiet[7].standard_error


def test_few_opponents_in_a_large_field_make_a_rating_provisional() -> None:
    matches = ladder(2000, versions=range(1, 21))
    narrow = [outcome(3000 + n, (n % 7 + 1, 30), (float(4 + n % 3),)) for n in range(200)]
    rows = by_version(rate([*matches, *narrow], anchor=1))
    assert rows[30].doubts == (Doubt.OPPONENTS,)
    assert rows[30].n_opponents == 7
    wide = [outcome(4000, (8, 30), (5.0,))]
    assert by_version(rate([*matches, *narrow, *wide], anchor=1))[30].doubts == ()


def test_in_a_small_field_all_others_are_opponents_enough() -> None:
    rows = rate(ladder(300, versions=range(1, 4)), anchor=1).rows
    assert [row.n_opponents for row in rows] == [2, 2, 2]
    assert [row.doubts for row in rows] == [(), (), ()]


def test_twins_that_mirror_each_other_keep_the_models_error_while_matches_are_few() -> None:
    few = rate([outcome(n, (1, 2), (5.0,)) for n in range(29)], anchor=1).rows
    many = rate([outcome(n, (1, 2), (5.0,)) for n in range(60)], anchor=1).rows
    assert min(row.standard_error for row in few) > 10
    assert [row.standard_error for row in many] == [0, 0]
