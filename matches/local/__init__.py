"""Local play: house bots and bot files against each other, without a database."""

from .entrants import CommandLine, Entrant, UnknownBot, find_entrants, read_file
from .launching import local_launcher, measures_cpu_time
from .rerun import Decision, Rerun, rerun
from .runner import match_specs, play_local
from .tally import FirstFault, Standing, Tally

__all__ = [
    "CommandLine",
    "Decision",
    "Entrant",
    "FirstFault",
    "Rerun",
    "Standing",
    "Tally",
    "UnknownBot",
    "find_entrants",
    "local_launcher",
    "match_specs",
    "measures_cpu_time",
    "play_local",
    "read_file",
    "rerun",
]
