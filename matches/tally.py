"""A match in numbers: what ratings and statistics are made of, reckoned once when the result is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import TypedDict

from matches.referee.record import MatchRecord
from matches.replay.timing import bucket_number


class Tally(TypedDict):
    """All lists but `pairs` are by participant.

    `pairs`: for each two participants i < j, in the order (0,1), (0,2), …, (1,2), …, the games in which i was
    placed before j, equal placings counting half; `deals`: the same for each deal alone, by its number.
    `clean`: games in which the participant had no fault; `totals`, `rounds`: its points and the rounds in these
    (points of a faulted seat enter no statistic). `faults`: games in which it had one.
    """

    versions: list[int]
    games: int
    pairs: list[float]
    deals: list[list[float]]
    totals: list[int]
    clean: list[int]
    rounds: list[int]
    faults: list[int]


def tally(record: MatchRecord, version_ids: Sequence[int]) -> Tally:
    n = len(version_ids)
    couples = list(combinations(range(n), 2))
    deals = [[0.0] * len(couples) for _ in range(1 + max((game.deal for game in record.games), default=-1))]
    totals, clean, rounds, faults = [0] * n, [0] * n, [0] * n, [0] * n
    for game in record.games:
        placing = {participant: game.placing[seat] for seat, participant in enumerate(game.participants)}
        for couple, (i, j) in enumerate(couples):
            deals[game.deal][couple] += (placing[i] < placing[j]) + 0.5 * (placing[i] == placing[j])
        for seat, participant in enumerate(game.participants):
            if game.fault_of(seat) is not None:
                faults[participant] += 1
            elif game.totals is not None:
                totals[participant] += game.totals[seat]
                clean[participant] += 1
                rounds[participant] += len(game.rounds)
    return Tally(
        versions=list(version_ids),
        games=len(record.games),
        pairs=[sum(deal[couple] for deal in deals) for couple in range(len(couples))],
        deals=deals,
        totals=totals,
        clean=clean,
        rounds=rounds,
        faults=faults,
    )


def times(record: MatchRecord, n_participants: int) -> list[list[int]]:
    """By participant, how many of the decisions that its bot made itself were charged so much CPU time: first those
    below 1 ms, then below 2 ms, below 4 ms, and so on as far as there are any."""
    counts = [Counter[int]() for _ in range(n_participants)]
    for game in record.games:
        for participant, times_ns in zip(game.participants, game.times_ns, strict=False):
            counts[participant].update(map(bucket_number, times_ns))
    return [[found[number] for number in range(max(found, default=-1) + 1)] for found in counts]
