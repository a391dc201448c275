"""The published table of a ladder: a pure function of its complete matches, whatever order they come in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from arena.ratings.bradley_terry import Comparison, fit

# Rises with every change that would publish other numbers for the same matches.
ALGORITHM = "bradley-terry-1"
ANCHOR_ELO = 1500.0
# Far finer than any standard error, far coarser than the noise of another machine's floating point.
DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Outcome:
    """A complete match; the lists of its tally (docs: `matches.tally.Tally`), by participant or by pair."""

    match: int
    versions: tuple[int, ...]
    games: int
    pairs: tuple[float, ...]
    totals: tuple[int, ...]
    clean: tuple[int, ...]
    faults: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One version's rating. `standard_error` is of the difference to the anchor; `win_share` is over all pairs;
    `mean_points` a game, over games without an own fault, None if there is none."""

    version: int
    rank: int
    elo: float
    standard_error: float
    n_matches: int
    n_games: int
    n_opponents: int
    win_share: float
    mean_points: float | None
    n_faults: int


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` by rank; `input_sha256` is of every outcome in the order of matches and of the algorithm's name."""

    rows: tuple[Row, ...]
    input_sha256: str
    n_matches: int
    n_games: int


@dataclass(slots=True)
class Count:
    matches: int = 0
    games: int = 0
    won: float = 0.0
    compared: int = 0
    totals: int = 0
    clean: int = 0
    faults: int = 0


def rate(outcomes: Iterable[Outcome], anchor: int | None) -> Table:
    """Rate all versions of these matches, the anchor at 1500. A match given twice counts once."""
    matches = [outcome for _, outcome in sorted({outcome.match: outcome for outcome in outcomes}.items())]
    fitted = fit([Comparison(one.versions, one.games, one.pairs) for one in matches])
    elo = fitted.elo(anchor, ANCHOR_ELO).round(DECIMALS).tolist()
    errors = fitted.standard_errors(anchor).round(DECIMALS).tolist()
    counts, opponents = counted(matches)
    by_rank = sorted(range(len(elo)), key=lambda index: (-elo[index], fitted.players[index]))
    rows = []
    for rank, index in enumerate(by_rank, 1):
        version = fitted.players[index]
        count = counts[version]
        rows.append(
            Row(
                version=version,
                rank=rank,
                elo=elo[index],
                standard_error=errors[index],
                n_matches=count.matches,
                n_games=count.games,
                n_opponents=len(opponents[version]),
                win_share=round(count.won / count.compared, DECIMALS),
                mean_points=round(count.totals / count.clean, DECIMALS) if count.clean else None,
                n_faults=count.faults,
            )
        )
    return Table(
        rows=tuple(rows),
        input_sha256=input_sha256(matches),
        n_matches=len(matches),
        n_games=sum(outcome.games for outcome in matches),
    )


def input_sha256(matches: Iterable[Outcome]) -> str:
    digest = hashlib.sha256(ALGORITHM.encode())
    for one in matches:
        row = [
            one.match,
            one.versions,
            one.games,
            [float(score) for score in one.pairs],
            one.totals,
            one.clean,
            one.faults,
        ]
        digest.update(json.dumps(row, separators=(",", ":")).encode() + b"\n")
    return digest.hexdigest()


def counted(matches: Iterable[Outcome]) -> tuple[dict[int, Count], dict[int, set[int]]]:
    """By version: plain counts, and the versions that it has met."""
    counts: dict[int, Count] = {}
    opponents: dict[int, set[int]] = {}
    for outcome in matches:
        for number, version in enumerate(outcome.versions):
            count = counts.setdefault(version, Count())
            count.matches += 1
            count.games += outcome.games
            count.totals += outcome.totals[number]
            count.clean += outcome.clean[number]
            count.faults += outcome.faults[number]
            opponents.setdefault(version, set()).update(set(outcome.versions) - {version})
        for (one, two), score in zip(combinations(outcome.versions, 2), outcome.pairs, strict=True):
            counts[one].won += score
            counts[two].won += outcome.games - score
            counts[one].compared += outcome.games
            counts[two].compared += outcome.games
    return counts, opponents
