"""Making the whole crowd, step by step."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from arena.models import Ladder
from arena.population.bots import make_crowd
from arena.population.events import MATCHES_A_TRIAL, make_tournaments, make_trials, settle_trials
from arena.population.games import Sample, play_samples
from arena.population.matches import BATCH, make_matches
from arena.population.ratings import make_ratings
from arena.services.seeding import LADDERS, seed_arena
from bots.models import Bot
from matches.models import Match

# Of the two-seat matches, so many others with four seats, and of the bots, so many trials and tournaments.
TABLE_SHARE = 0.02
TRIALS_SHARE, TOURNAMENTS_SHARE = 0.05, 0.002


@dataclass(frozen=True, slots=True)
class Size:
    """`matches`: with two seats and one deal, so of two games; `samples`: how many of them were really played, whose
    games the others share; `snapshots`: older ones of each ladder's ratings."""

    bots: int = 10_000
    matches: int = 100_000
    samples: int = 2_000
    snapshots: int = 30


def is_empty() -> bool:
    """Whether nobody has used this database yet, nor an arena started on it."""
    return not any(model.objects.exists() for model in (User, Bot, Match, Ladder))


def populate(
    size: Size, *, seed: int, say: Callable[[str], None] = lambda text: None, n_processes: int | None = None
) -> None:
    """Fill an empty database, in a transaction that is open already. Equal sizes and seeds give equal bots, games and
    meetings."""
    rng = random.Random(seed)  # noqa: S311
    now = timezone.now()
    # As every arena has them, but for the one deal.
    ladders = [Ladder.objects.create(**{**terms, "deals": 1}) for terms in LADDERS]
    seed_arena()
    say(f"Making {size.bots:,} bots …")
    crowd = make_crowd(size.bots, ladders, rng, now)
    trials = make_trials(round(size.bots * TRIALS_SHARE), crowd, rng, now)
    made = []
    for ladder in ladders:
        is_duel = ladder.seats == 2
        n_matches = size.matches if is_duel else round(size.matches * TABLE_SHARE)
        n_samples = min(size.samples, n_matches) if is_duel else max(round(size.samples * TABLE_SHARE), 1)
        say(f"Playing {n_samples:,} matches with {ladder.seats} seats …")
        samples: list[Sample] = []
        for sample in play_samples(
            crowd.sha256s, n=n_samples, seats=ladder.seats, seed=seed, n_processes=n_processes
        ):
            samples.append(sample)
            if len(samples) % 500 == 0:
                say(f"  {len(samples):,}")
        made.append(
            make_matches(
                n_matches,
                samples=samples,
                crowd=crowd,
                ladder=ladder,
                rng=rng,
                now=now,
                trials=trials if is_duel else (),
                matches_a_trial=MATCHES_A_TRIAL,
                n_steps=-(-size.matches // BATCH),
            )
        )
    say("Storing the matches …")
    for n_stored in zip(*made, strict=True):
        say(f"  {sum(n_stored):,}")
    settle_trials(trials)
    analyse()
    for ladder in ladders:
        say(f"Storing the ratings of {ladder.slug}, with {size.snapshots} older snapshots …")
        make_ratings(ladder, size.snapshots, rng, now)
    n_tournaments = max(round(size.bots * TOURNAMENTS_SHARE), 4)
    say(f"Playing {n_tournaments} tournaments …")
    make_tournaments(n_tournaments, crowd, rng)
    analyse()


def analyse() -> None:
    """Let the database count what it has, by which it plans its queries."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
