"""The ratings of a made-up crowd: not fitted, which would take longer than all else together, but read off each
version's share of wins, and published in snapshots that lead up to today's."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import combinations

from arena.models import Ladder, Rating, RatingRun
from arena.population.bots import AGE
from arena.population.copying import next_key, store
from arena.ratings.compare import placed
from arena.ratings.table import ANCHOR_ELO, ENOUGH_OPPONENTS, PROVISIONAL_ERROR, Doubt, Outcome
from arena.services.rating import outcomes, playing_versions
from matches.differences import ELO_PER_NAT

ALGORITHM = "made up"
# As the periodic job thins them out: one an hour for two days, one a day before.
HOURLY = timedelta(hours=48)


@dataclass(slots=True)
class Record:
    """What a version came to in all its matches."""

    n_matches: int = 0
    n_games: int = 0
    won: float = 0.0
    n_pairs: int = 0
    opponents: set[int] = field(default_factory=set)
    points: int = 0
    n_clean: int = 0
    n_rounds: int = 0
    n_faults: int = 0

    @property
    def elo(self) -> float:
        return ANCHOR_ELO + ELO_PER_NAT * math.log((self.won + 1) / (self.n_pairs - self.won + 1))

    @property
    def error(self) -> float:
        return ELO_PER_NAT * math.sqrt(1 / (self.won + 1) + 1 / (self.n_pairs - self.won + 1))


def make_ratings(ladder: Ladder, n_older: int, rng: random.Random, now: datetime) -> None:
    """Publish the ladder's ratings, and store so many snapshots of the time before, each a little further from them."""
    results = list(outcomes(ladder))
    records = _records(results)
    moments = [*_moments(n_older, now), now]
    playing = set(playing_versions(ladder))
    first = next_key(RatingRun)
    runs = [
        RatingRun(
            pk=first + number,
            ladder=ladder,
            algorithm=ALGORITHM,
            input_sha256=f"{number:064x}",
            prior_sd=200,
            n_matches=round(len(results) * _share(at, now)),
            n_games=round(sum(result.games for result in results) * _share(at, now)),
            n_rated=len(records),
            n_playing=len(playing & records.keys()),
            duration_ms=1000,
            created_at=at,
        )
        for number, at in enumerate(moments)
    ]
    store(RatingRun, runs)
    store(Rating, _rows(runs, records, playing, rng, now))
    Ladder.objects.filter(pk=ladder.pk).update(current_run=runs[-1])


def _records(results: list[Outcome]) -> dict[int, Record]:
    records: defaultdict[int, Record] = defaultdict(Record)
    for result in results:
        for place, version in enumerate(result.versions):
            record = records[version]
            record.n_matches += 1
            record.n_games += result.games
            record.n_pairs += result.games * (len(result.versions) - 1)
            record.opponents.update(other for other in result.versions if other != version)
            record.points += result.totals[place]
            record.n_clean += result.clean[place]
            record.n_rounds += result.rounds[place]
            record.n_faults += result.faults[place]
        for (one, other), won in zip(combinations(result.versions, 2), result.pairs, strict=True):
            records[one].won += won
            records[other].won += result.games - won
    return dict(records)


def _share(at: datetime, now: datetime) -> float:
    """Of the matches, how many were played by then."""
    return 1 - (now - at) / (AGE * 1.1)


def _moments(n: int, now: datetime) -> list[datetime]:
    """Oldest first."""
    n_hours = min(n, HOURLY // timedelta(hours=1))
    hours = [now - timedelta(hours=number) for number in range(1, n_hours + 1)]
    days = [now - HOURLY - timedelta(days=number) for number in range(1, n - n_hours + 1)]
    return [*days[::-1], *hours[::-1]]


def _rows(
    runs: list[RatingRun], records: dict[int, Record], playing: set[int], rng: random.Random, now: datetime
) -> Iterator[Rating]:
    for run in runs:
        share = _share(run.created_at, now)
        moved = [
            (record.elo + rng.gauss(0, 40 * (1 - share)), record.error / math.sqrt(share), version, record)
            for version, record in records.items()
        ]
        moved.sort(key=lambda row: (-row[0], row[2]))
        places = placed(
            [(elo, error) for elo, error, *_ in moved], [version in playing for *_, version, _record in moved]
        )
        for rank, ((elo, error, version, record), place) in enumerate(zip(moved, places, strict=True), 1):
            yield Rating(
                run=run,
                version_id=version,
                rank=rank,
                elo=round(elo, 2),
                standard_error=round(error, 2),
                doubts=_doubts(record, error),
                n_matches=math.ceil(record.n_matches * share),
                n_games=math.ceil(record.n_games * share),
                n_opponents=len(record.opponents),
                win_share=record.won / record.n_pairs,
                mean_points=record.points / record.n_clean if record.n_clean else None,
                round_points=record.points / record.n_rounds if record.n_rounds else None,
                n_faults=record.n_faults,
                **asdict(place),
            )


def _doubts(record: Record, error: float) -> list[str]:
    found = []
    if len(record.opponents) < ENOUGH_OPPONENTS:
        found.append(Doubt.OPPONENTS.value)
    if error > PROVISIONAL_ERROR:
        found.append(Doubt.ERROR.value)
    return found
