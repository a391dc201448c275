"""Trials for tests, and their matches played with given scores."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from django.contrib.auth.models import User

from arena.models import Trial
from arena.services.trials import start_trial
from bots.models import Version
from matches.models import Match
from matches.services import finish_match
from tests.make import make_bot, make_claim, make_record, make_version


def make_versions(owner: User, n: int = 2) -> list[Version]:
    """Versions 1, 2, … of one bot of this owner's, ready, the last in play."""
    bot = make_bot(owner)
    return [make_version(bot) for _ in range(n)]


def make_trial(owner: User, **terms: object) -> Trial:
    """Its newest version against the one before."""
    old, new = make_versions(owner)
    return start_trial(**{"owner": owner, "version": new, "opponent": old, **terms})  # type: ignore[arg-type]


def played(trial: Trial, match: Match, scores: Sequence[float]) -> Match:
    """Finish a match of the trial; `scores`: of the games that the trial's version won in each pair, from 0 to 2."""
    claim = make_claim(match)
    record = make_record(claim.match, claim.versions)
    own = [version.pk for version in claim.versions].index(trial.version_id)
    games = []
    for game in record.games:
        # A tie first, then what is left: ½ is a tie and a loss, 1½ a tie and a win, 1 a win and a loss.
        score = scores[game.deal]
        if score in (0.5, 1.5):
            won = 0.5 if game.seating == 0 else score - 0.5
        else:
            won = score / 2 if score in (0, 2) else float(game.seating == 0)
        placing = tuple(
            1 if won == 0.5 or (participant == own) == (won == 1) else 2 for participant in game.participants
        )
        games.append(dataclasses.replace(game, placing=placing))
    assert finish_match(claim=claim, record=dataclasses.replace(record, games=tuple(games)))
    return Match.objects.get(pk=match.pk)
