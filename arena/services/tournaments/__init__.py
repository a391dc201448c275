"""Every change to tournaments."""

from arena.services.tournaments.advancing import advance
from arena.services.tournaments.entering import disqualify, enter, leave, leave_tournaments, order_by_hand
from arena.services.tournaments.errors import TournamentError
from arena.services.tournaments.making import create_tournament, edit_tournament, preview
from arena.services.tournaments.running import (
    abandon_tournaments,
    cancel,
    change_embargo,
    forfeit,
    pause,
    rerun,
    resume,
    rewind,
    rewind_preview,
)
from arena.services.tournaments.starting import start_tournament
from arena.services.tournaments.sweeping import bring_on_all

__all__ = [
    "TournamentError",
    "abandon_tournaments",
    "advance",
    "bring_on_all",
    "cancel",
    "change_embargo",
    "create_tournament",
    "disqualify",
    "edit_tournament",
    "enter",
    "forfeit",
    "leave",
    "leave_tournaments",
    "order_by_hand",
    "pause",
    "preview",
    "rerun",
    "resume",
    "rewind",
    "rewind_preview",
    "start_tournament",
]
