"""Celery's doors to the services. A task's argument is a row's id and nothing else."""

from __future__ import annotations

from typing import Any

from arena import checks, services, workers
from arena.celery import app

__all__ = ["workers"]  # whose signal handlers every worker needs


@app.task(name="arena.tasks.play_match", bind=True)
def play_match(self: Any, match_id: int) -> None:
    services.play_queued_match(match_id=match_id, worker=self.request.hostname)


@app.task(name="arena.tasks.check_version", bind=True)
def check_version(self: Any, version_id: int) -> None:
    checks.check_version(version_id=version_id, worker=self.request.hostname)


@app.task(name="arena.tasks.sweep")
def sweep() -> None:
    services.sweep()


@app.task(name="arena.tasks.scrutinise")
def scrutinise() -> None:
    services.scrutinise()


@app.task(name="arena.tasks.verify_games")
def verify_games() -> None:
    services.verify_games()


@app.task(name="arena.tasks.advance_tournament")
def advance_tournament(tournament_id: int) -> None:
    services.tournaments.advance(tournament_id=tournament_id)


@app.task(name="arena.tasks.advance_trial")
def advance_trial(trial_id: int) -> None:
    services.trials.advance(trial_id=trial_id)


@app.task(name="arena.tasks.pair_ladders")
def pair_ladders() -> None:
    services.pair_ladders()


@app.task(name="arena.tasks.rate_ladders")
def rate_ladders() -> None:
    services.rate_ladders()
