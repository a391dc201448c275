"""Door bells: messages that tell workers to look at the database, which alone is the truth.

A bell may be lost, late or repeated, and the broker may be away; nothing depends on any single one, since the sweep
rings again. Every bell here is rung when the running transaction commits, and none is ever an error.
"""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction

from arena.celery import app
from arena.tournaments.models import TournamentMatch
from arena.trials.models import TrialMatch
from matches.models import Match

logger = logging.getLogger(__name__)

# A start of each seat for each of two games, and the games, at the default limits, take less in any case.
CHECK_LIMIT_S = 600
# Beyond that, or a match's own wall limit: first the worker is asked to give up, then its process is killed.
SOFT_MARGIN_S = 15
HARD_MARGIN_S = 30


def ring_match(match: Match) -> None:
    ring(
        "arena.tasks.play_match",
        match.pk,
        soft_time_limit=match.wall_limit_s + SOFT_MARGIN_S,
        time_limit=match.wall_limit_s + HARD_MARGIN_S,
    )


def ring_check(version_id: int) -> None:
    ring(
        "arena.tasks.check_version",
        version_id,
        soft_time_limit=CHECK_LIMIT_S + SOFT_MARGIN_S,
        time_limit=CHECK_LIMIT_S + HARD_MARGIN_S,
    )


def ring_pairing() -> None:
    ring("arena.tasks.pair_ladders")


def ring_tournament(tournament_id: int) -> None:
    ring("arena.tasks.advance_tournament", tournament_id)


def ring_tournament_of(match: Match) -> None:
    """For the event, if any, that asked for this match."""
    tournament_id = TournamentMatch.objects.filter(match=match).values_list("tournament", flat=True).first()
    if tournament_id is not None:
        ring_tournament(tournament_id)


def ring_trial(trial_id: int) -> None:
    ring("arena.tasks.advance_trial", trial_id)


def ring_asker_of(match: Match) -> None:
    """For the tournament or the trial, if any, that asked for this match."""
    ring_tournament_of(match)
    trial_id = TrialMatch.objects.filter(match=match).values_list("trial", flat=True).first()
    if trial_id is not None:
        ring_trial(trial_id)


def ring_rating() -> None:
    ring("arena.tasks.rate_ladders")


def ring(task: str, *args: int, **options: Any) -> None:
    transaction.on_commit(lambda: send(task, *args, **options))


def send(task: str, *args: int, **options: Any) -> None:
    try:
        app.send_task(task, args=args, **options)
    except Exception:  # whatever a broker's client may raise
        logger.warning("The bell %s%r was not rung", task, args, exc_info=True)


def n_waiting(queue: str) -> int | None:
    """How many bells lie in a queue, or None if the broker does not say."""
    try:
        with app.connection_for_write() as connection:
            channel: Any = connection.default_channel
            # Not passively: to some brokers a queue without a message is none.
            return int(channel.queue_declare(queue=queue).message_count)
    except Exception:  # whatever a broker's client may raise
        logger.warning("The queue %s could not be read", queue, exc_info=True)
        return None
