"""The referee: plays a match between bots' processes and says what happened.

It decides everything that a result rests on: who sits where, what each bot is told, what its answers mean, what
time it has used, and whose doing a failure is. docs/protocol.md is the contract.
"""

from .match import FAULTED_GAMES_AT_TWO_SEATS, play_match
from .progress import Progress
from .record import Fault, GameRecord, InfrastructureFault, MatchRecord
from .spec import MatchSpec

__all__ = [
    "FAULTED_GAMES_AT_TWO_SEATS",
    "Fault",
    "GameRecord",
    "InfrastructureFault",
    "MatchRecord",
    "MatchSpec",
    "Progress",
    "play_match",
]
