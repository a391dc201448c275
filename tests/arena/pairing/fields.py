"""Fields of contenders for tests, and a ladder whose matches are made and counted but not played."""

import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from hypothesis import strategies as st

from arena.pairing.field import Contender, History, Record
from arena.pairing.ladder import Table, pick_tables


def contender(version: int, **fields: object) -> Contender:
    """One that is placed and not settled, of an owner of its own."""
    known = {
        "owner": version,
        "n_rated": 50,
        "n_opponents": 20,
        "elo": 1500.0,
        "standard_error": 20.0,
    }
    return Contender(version=version, **{**known, **fields})  # type: ignore[arg-type]


def newcomer(version: int, **fields: object) -> Contender:
    return Contender(version=version, **{"owner": version, **fields})  # type: ignore[arg-type]


def no_history(version: int) -> Record:
    return Record()


def history_of(field: Iterable[Contender], matches: Iterable[tuple[int, ...]]) -> History:
    by_version = {one.version: one for one in field}
    played = Counter(version for match in matches for version in match)
    met: dict[int, Counter[int]] = {version: Counter() for version in by_version}
    for match in matches:
        for one, two in combinations(match, 2):
            met[one][two] += 1
            met[two][one] += 1

    def record(version: int) -> Record:
        owners: Counter[int] = Counter()
        for other, n in met[version].items():
            if not by_version[other].is_house:
                owners[by_version[other].owner] += n
        return Record(n_matches=played[version], met=dict(met[version]), owners=dict(owners))

    return record


def tables(
    field: Iterable[Contender],
    *,
    seats: int = 2,
    n: int = 1,
    seed: int = 1,
    history: History = no_history,
) -> list[Table]:
    return pick_tables(field, seats=seats, n_tables=n, history=history, rng=random.Random(seed))


def seated(field: Iterable[Contender], **options: object) -> list[tuple[int, ...]]:
    return [table.versions for table in tables(field, **options)]  # type: ignore[arg-type]


fields = st.lists(
    st.builds(
        Contender,
        version=st.integers(1, 60),
        owner=st.integers(1, 5),
        is_house=st.booleans(),
        is_smoke_test=st.sampled_from([False, False, False, False, True]),
        n_rated=st.integers(0, 60),
        n_pending=st.integers(0, 5),
        n_opponents=st.integers(0, 20),
        elo=st.none() | st.floats(-2000, 4000),
        standard_error=st.none() | st.floats(0, 400),
        is_one_sided=st.booleans(),
    ),
    unique_by=lambda one: one.version,
    max_size=15,
)
