"""Local play: house bots and bot files against each other, without a database."""

from .entrants import Entrant, UnknownBot, find_entrants
from .runner import play_local
from .tally import FirstFault, Standing, Tally

__all__ = ["Entrant", "FirstFault", "Standing", "Tally", "UnknownBot", "find_entrants", "play_local"]
