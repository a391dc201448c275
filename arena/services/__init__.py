"""Every change of the arena that spans rows or rings a worker."""

from arena.services import tournaments, trials
from arena.services.entries import (
    activate_version,
    enter_ladder,
    enter_ladders,
    entries_of,
    leave_ladder,
    reactivate_bot,
    submit_version,
    withdraw_bot,
)
from arena.services.every_ladder import pair_ladders, rate_ladders
from arena.services.hosts import quarantine_host, release_host
from arena.services.operators import (
    ban_user,
    end_suspension,
    hide_bot,
    requeue_check,
    requeue_match,
    rerun_match,
    retire_bots,
    void_match,
)
from arena.services.pairing import pair_ladder
from arena.services.playing import play_queued_match
from arena.services.rating import RatingBusyError, rate_ladder, rating_changes, recompute_ratings
from arena.services.scrutiny import scrutinise
from arena.services.seeding import seed_arena
from arena.services.sweeping import sweep
from arena.services.tokens import create_api_token, revoke_all_tokens, revoke_api_token
from arena.services.verifying import verify_games

__all__ = [
    "RatingBusyError",
    "activate_version",
    "ban_user",
    "create_api_token",
    "end_suspension",
    "enter_ladder",
    "enter_ladders",
    "entries_of",
    "hide_bot",
    "leave_ladder",
    "pair_ladder",
    "pair_ladders",
    "play_queued_match",
    "quarantine_host",
    "rate_ladder",
    "rate_ladders",
    "rating_changes",
    "reactivate_bot",
    "recompute_ratings",
    "release_host",
    "requeue_check",
    "requeue_match",
    "rerun_match",
    "retire_bots",
    "revoke_all_tokens",
    "revoke_api_token",
    "scrutinise",
    "seed_arena",
    "submit_version",
    "sweep",
    "tournaments",
    "trials",
    "verify_games",
    "void_match",
    "withdraw_bot",
]
