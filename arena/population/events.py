"""What the owners of a made-up crowd arranged: trials, whose matches are among all others, and tournaments, which are
announced, entered, started and played by the services that do it in earnest."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from arena.formats import FORMATS
from arena.models import Tournament, TournamentMatch, Trial, TrialMatch
from arena.population.bots import AGE, Crowd
from arena.population.copying import next_key, store
from arena.population.games import PRESET, RIVALS, played
from arena.population.matches import Rivals
from arena.ratings.sequential import SequentialTest
from arena.services import tournaments
from arena.services.trials.advancing import course, thinned
from arena.trials.models import counts_of
from bots.models import Bot, Version
from bots.sandbox.limits import Limits
from matches.engine.rules import rules_from
from matches.models import Match
from matches.referee import MatchSpec
from matches.services import claim_match, finish_match

MATCHES_A_TRIAL = 5
KINDS = ("round-robin", "single-elimination", "swiss", "double-elimination", "groups-knockout")
NAMES = ("Spring cup", "Night league", "Newcomers' open", "Grand final", "Coffee break")
ENTRIES = (6, 8, 8, 12, 16)
QUICK = ("deals", "final_deals", "extra_deals")
WORKER = "matches@alder"
EMBARGO = timedelta(days=30)
# Of the event that goes on: the first round of eight entries.
PLAYED_OF_RUNNING = 4


def make_trials(n: int, crowd: Crowd, rng: random.Random, now: datetime) -> list[Rivals]:
    """Trials without matches yet, between versions whose packages have met often."""
    first, test, limits = next_key(Trial), SequentialTest(), Limits().as_dict()
    found = []
    for number in range(n):
        packages = rng.choice(RIVALS)
        versions = crowd.meeting(packages, rng)
        if versions is None:
            continue
        version, opponent = rng.sample(versions, 2)
        trial = Trial(
            pk=first + number,
            owner_id=crowd.owner_of[version],
            version_id=version,
            opponent_id=opponent,
            preset=PRESET,
            deals=1,
            nelo0=test.nelo0,
            nelo1=test.nelo1,
            alpha=test.alpha,
            beta=test.beta,
            max_pairs=MATCHES_A_TRIAL,
            created_at=now - AGE * (1 - number / n),
            **limits,
        )
        found.append(Rivals(trial, tuple(versions), packages))
    store(Trial, [rivals.trial for rivals in found])
    return found


def settle_trials(trials: Sequence[Rivals]) -> None:
    """What the trials' matches came to; where some have no result, the trial still runs."""
    tallies: dict[int, list[list[int]]] = {}
    links = TrialMatch.objects.filter(match__status=Match.Status.FINISHED).select_related("trial")
    for link in links.select_related("trial", "match__result").order_by("match_id"):
        found = tallies.setdefault(link.trial_id, [])
        found.append(counts_of(link.match.result.tally, link.trial.version_id))
    for rivals in trials:
        trial = rivals.trial
        now = course(trial.test, tallies.get(trial.pk, []))
        trial.counts, trial.path = now.counts, thinned(now.path)
        if now.verdict is not None:
            trial.state = Trial.State(now.verdict.value)
            trial.finished_at = trial.created_at + timedelta(hours=1)
    Trial.objects.bulk_update([rivals.trial for rivals in trials], ["counts", "path", "state", "finished_at"])


def make_tournaments(
    n: int, crowd: Crowd, rng: random.Random, progress: Callable[[int], None] = lambda n_done: None
) -> None:
    """Events of all formats. All are over but the last three: one is being played, under an embargo, one is open for
    entries, one was cancelled."""
    bots = list(
        Bot.objects.filter(current_version__in=Version.objects.playing(), is_house=False)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    packages = {sha256: number for number, sha256 in enumerate(crowd.sha256s)}
    for number in range(n):
        left = n - number
        event = _announced(number, bots, rng, is_secret=left == 3)
        if left > 1:
            tournaments.start_tournament(tournament=event, by=event.organiser)
        if left == 2:
            tournaments.cancel(tournament=event, by=event.organiser, reason="Too few wanted it.")
        elif left > 1:
            _play_out(event, packages, rng, most=PLAYED_OF_RUNNING if left == 3 else None)
        progress(number + 1)


def _announced(number: int, bots: Sequence[int], rng: random.Random, *, is_secret: bool) -> Tournament:
    format = KINDS[number % len(KINDS)]
    chosen = list(Bot.objects.filter(pk__in=rng.sample(bots, min(ENTRIES[number % len(ENTRIES)], len(bots)))))
    organiser: User = chosen[0].owner
    event = tournaments.create_tournament(
        organiser=organiser,
        name=f"{NAMES[number % len(NAMES)]} {number + 1}",
        format=format,
        settings={setting.name: 1 for setting in FORMATS[format].settings if setting.name in QUICK},
        most_entries=max(len(chosen), 4),
        most_entries_an_owner=len(chosen),
        embargo_until=timezone.now() + EMBARGO if is_secret else None,
    )
    for bot in chosen:
        tournaments.enter(tournament=event, bot=bot, by=bot.owner)
    return event


def _play_out(event: Tournament, packages: dict[str, int], rng: random.Random, most: int | None) -> None:
    """Play the event's matches, as they are made, in this process, to its end or so many."""
    n_played = 0
    while most is None or n_played < most:
        links = TournamentMatch.objects.filter(
            tournament=event, is_current=True, match__status=Match.Status.QUEUED
        )
        waiting = list(links.order_by("match_id").values_list("match", flat=True))
        if not waiting:
            return
        for match_id in waiting:
            claim = claim_match(match_id=match_id, worker=WORKER)
            assert claim is not None  # noqa: S101 - nobody else plays
            match, sha256s = claim.match, [version.sha256 for version in claim.versions]
            spec = MatchSpec(
                bytes(match.seed), rules_from(match.preset), match.seats, match.deals, match.limits
            )
            record = played(spec, [packages[sha256] for sha256 in sha256s], sha256s, rng)
            finish_match(claim=claim, record=record)
            n_played += 1
        tournaments.advance(tournament_id=event.pk)
