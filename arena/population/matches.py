"""The matches of a made-up crowd, with all that belongs to them, from the samples that were really played.

There are fewer samples than matches, so that games come again, under other bots that have the same packages: each
match holds one sample's seed, result, games and replays. Only the first match of a sample can keep the promise that
its commitment makes; commitments are unique, and a later one's belongs to no seed.
"""

from __future__ import annotations

import hashlib
import random
import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from arena.models import Ladder, LadderMatch, RequestedMatch, Trial, TrialMatch
from arena.pairing.first import Reason
from arena.population.bots import AGE, Crowd
from arena.population.copying import next_key, store
from arena.population.games import PRESET, Sample
from bots.models import Version
from matches.engine.deal import commitment
from matches.models import Attempt, Game, GameSeat, Match, Participant, Result
from matches.services import game_row, seat_row
from matches.tally import tally, times

WORKERS = ("matches@alder", "matches@birch", "matches@cedar")
# Of the newest matches.
N_QUEUED, N_RUNNING = 20, 2
PARKED_SHARE, VOID_SHARE, REQUESTED_SHARE, FAILED_SHARE = 0.0002, 0.002, 0.005, 0.01
BATCH = 2000

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rivals:
    """Two versions, by ascending key, with their packages, and the trial that lets them meet."""

    trial: Trial
    versions: tuple[int, ...]
    packages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mould:
    """A sample as fields of rows, to be filled with keys: games, and each one's seats with the participant there."""

    sample: Sample
    tally: Fields
    times: list[list[int]]
    games: list[tuple[Fields, list[tuple[int, Fields]]]]

    @classmethod
    def of(cls, sample: Sample) -> Mould:
        n = len(sample.packages)
        no_match, nobody = Match(pk=0), Version(pk=0)
        games = []
        for game in sample.record.games:
            row = game_row(no_match, game)
            seats = [
                (participant, _fields(seat_row(game, row, seat, nobody), "game_id", "version_id", "bot_id"))
                for seat, participant in enumerate(game.participants)
            ]
            games.append((_fields(row, "match_id", "created_at"), seats))
        return cls(sample, dict(tally(sample.record, range(n))), times(sample.record, n), games)


def _fields(row: Any, *but: str) -> Fields:
    names = [field.attname for field in row._meta.concrete_fields if not field.primary_key]
    return {name: getattr(row, name) for name in names if name not in but}


@dataclass(slots=True)
class Rows:
    """What is stored together; a match's own rows stand in the order in which they refer to each other."""

    matches: list[Match] = field(default_factory=list)
    participants: list[Participant] = field(default_factory=list)
    links: list[LadderMatch] = field(default_factory=list)
    requests: list[RequestedMatch] = field(default_factory=list)
    trial_links: list[TrialMatch] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    games: list[Game] = field(default_factory=list)
    seats: list[GameSeat] = field(default_factory=list)

    def store(self) -> None:
        store(Match, self.matches)
        store(Participant, self.participants)
        store(LadderMatch, self.links)
        store(RequestedMatch, self.requests)
        store(TrialMatch, self.trial_links)
        store(Attempt, self.attempts)
        store(Result, self.results)
        store(Game, self.games)
        store(GameSeat, self.seats)


def make_matches(
    n: int,
    *,
    samples: Sequence[Sample],
    crowd: Crowd,
    ladder: Ladder,
    rng: random.Random,
    now: datetime,
    trials: Sequence[Rivals] = (),
    matches_a_trial: int = 0,
    n_steps: int,
) -> Iterator[int]:
    """Store `n` matches of the ladder step by step, the oldest first, those of the trials among them; gives how many
    there are after each step. The steps of several ladders are taken in turn, so that keys follow time."""
    writer = _Writer(samples, crowd, ladder, rng, now, n, _of_trials(n, trials, matches_a_trial, rng))
    for step in range(n_steps):
        rows = Rows()
        writer.go_on()
        for number in range(n * step // n_steps, n * (step + 1) // n_steps):
            writer.add(rows, number)
        rows.store()
        yield n * (step + 1) // n_steps


def _of_trials(n: int, trials: Sequence[Rivals], each: int, rng: random.Random) -> dict[int, Rivals]:
    """Which of the matches a trial asked for: its own ones lie close together, away from the newest."""
    found: dict[int, Rivals] = {}
    for rivals in trials:
        start = rng.randrange(max(n - 4 * each - N_QUEUED, 1))
        free = (number for number in range(start, n - N_QUEUED - N_RUNNING) if number not in found)
        found |= {number: rivals for number, _ in zip(free, range(each), strict=False)}
    return found


class _Writer:
    """Makes the rows of one match after another, each with the next key."""

    def __init__(
        self,
        samples: Sequence[Sample],
        crowd: Crowd,
        ladder: Ladder,
        rng: random.Random,
        now: datetime,
        n: int,
        of_trial: dict[int, Rivals],
    ) -> None:
        self.moulds = [Mould.of(sample) for sample in samples]
        self.by_packages: defaultdict[tuple[int, ...], list[Mould]] = defaultdict(list)
        for mould in self.moulds:
            self.by_packages[mould.sample.packages].append(mould)
        self.crowd, self.ladder, self.rng, self.now, self.n = crowd, ladder, rng, now, n
        self.of_trial = of_trial
        self.go_on()
        self.limits = ladder.limits.as_dict()
        self.promised: set[bytes] = set()

    def go_on(self) -> None:
        """After what others have stored."""
        self.match, self.attempt, self.game = next_key(Match), next_key(Attempt), next_key(Game)

    def add(self, rows: Rows, number: int) -> None:
        rng = self.rng
        mould, versions = self._meeting(number)
        created_at = self.now - AGE * (1 - number / self.n)
        finished_at = created_at + timedelta(seconds=rng.uniform(2, 60))
        status = self._status(number)
        seed = mould.sample.seed
        is_first = seed not in self.promised
        self.promised.add(seed)
        match = Match(
            pk=self.match,
            preset=PRESET,
            seats=len(versions),
            deals=1,
            seed=seed,
            commitment=commitment(seed) if is_first else hashlib.sha256(b"%d" % self.match).hexdigest(),
            status=status,
            n_attempts=0 if status == Match.Status.QUEUED else 1,
            created_at=created_at,
            started_at=None if status == Match.Status.QUEUED else finished_at - timedelta(seconds=2),
            finished_at=finished_at if status in {Match.Status.FINISHED, Match.Status.VOID} else None,
            **self.limits,
        )
        rows.matches.append(match)
        for place, version in enumerate(versions):
            bot = self.crowd.bot_of[version]
            rows.participants.append(Participant(match=match, version_id=version, bot_id=bot, number=place))
        self._link(rows, number, match, versions)
        attempt = self._attempts(rows, match, finished_at)
        if attempt is not None and attempt.outcome == Attempt.Outcome.RUNNING:
            match.token, match.lease_until = attempt.token, self.now
        if attempt is not None and attempt.outcome == Attempt.Outcome.FINISHED:
            match.has_bot_fault = any(mould.tally["faults"])
            self._finish(rows, match, attempt, mould, versions)
        self.match += 1

    def _meeting(self, number: int) -> tuple[Mould, list[int]]:
        """A sample, and versions with its packages in their order: a match's participants stand by ascending key."""
        if (event := self.of_trial.get(number)) is not None:
            return self.rng.choice(self.by_packages[event.packages]), list(event.versions)
        mould = self.moulds[number] if number < len(self.moulds) else self.rng.choice(self.moulds)
        while (versions := self.crowd.meeting(mould.sample.packages, self.rng)) is None:
            mould = self.rng.choice(self.moulds)
        return mould, versions

    def _status(self, number: int) -> Match.Status:
        left = self.n - number
        if left <= N_QUEUED:
            return Match.Status.QUEUED
        if left <= N_QUEUED + N_RUNNING:
            return Match.Status.RUNNING
        luck = self.rng.random()
        if luck < PARKED_SHARE:
            return Match.Status.PARKED
        return Match.Status.VOID if luck < PARKED_SHARE + VOID_SHARE else Match.Status.FINISHED

    def _link(self, rows: Rows, number: int, match: Match, versions: Sequence[int]) -> None:
        if (rivals := self.of_trial.get(number)) is not None:
            rows.trial_links.append(TrialMatch(trial=rivals.trial, match=match))
        elif self.rng.random() < REQUESTED_SHARE:
            by = self.crowd.owner_of[versions[0]]
            rows.requests.append(RequestedMatch(match=match, by_id=by, created_at=match.created_at))
        else:
            rows.links.append(
                LadderMatch(
                    ladder=self.ladder,
                    match=match,
                    made_for_id=self.rng.choice(versions),
                    reason=self.rng.choice(list(Reason)).value,
                )
            )

    def _attempts(self, rows: Rows, match: Match, ended_at: datetime) -> Attempt | None:
        """The last one at the match; some had others before."""
        outcomes = {
            Match.Status.QUEUED: [],
            Match.Status.RUNNING: [Attempt.Outcome.RUNNING],
            Match.Status.PARKED: [Attempt.Outcome.INFRASTRUCTURE] * 5,
        }.get(Match.Status(match.status), [Attempt.Outcome.FINISHED])
        if outcomes[-1:] == [Attempt.Outcome.FINISHED] and self.rng.random() < FAILED_SHARE:
            outcomes = [Attempt.Outcome.INFRASTRUCTURE, *outcomes]
        match.n_attempts = len(outcomes)
        attempt = None
        for number, outcome in enumerate(outcomes, 1):
            has_failed = outcome == Attempt.Outcome.INFRASTRUCTURE
            attempt = Attempt(
                pk=self.attempt,
                match=match,
                number=number,
                token=uuid.UUID(int=self.rng.getrandbits(128)),
                worker=self.rng.choice(WORKERS),
                outcome=outcome,
                cause="lag" if has_failed else "",
                started_at=ended_at - timedelta(seconds=2),
                ended_at=None if outcome == Attempt.Outcome.RUNNING else ended_at,
            )
            rows.attempts.append(attempt)
            self.attempt += 1
        return attempt

    def _finish(
        self, rows: Rows, match: Match, attempt: Attempt, mould: Mould, versions: Sequence[int]
    ) -> None:
        ended_at = attempt.ended_at
        assert ended_at is not None  # noqa: S101 - it is finished
        rows.results.append(
            Result(
                match=match,
                attempt=attempt,
                duration_ms=mould.sample.record.wall_ms,
                tally=mould.tally | {"versions": list(versions)},
                times=mould.times,
                created_at=ended_at,
            )
        )
        for fields, seats in mould.games:
            rows.games.append(Game(pk=self.game, match=match, created_at=ended_at, **fields))
            for participant, seat in seats:
                version = versions[participant]
                bot = self.crowd.bot_of[version]
                rows.seats.append(GameSeat(game_id=self.game, version_id=version, bot_id=bot, **seat))
            self.game += 1
