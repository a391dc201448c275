"""Replays: what was played, in bytes that anyone can play again and check.

`docs/replay.md` describes the format.
"""

from .core import FAULT_KINDS, FORMAT, Core, Fault, core_sha256
from .decoding import Replay, decode, encode
from .errors import ReplayError
from .expanding import expand
from .playing import final_placing
from .private import Exchange, Note, PrivateSeat, decode_private, encode_private
from .recorder import Recorder
from .strict import MAX_BYTES
from .timing import Timing
from .verifying import Verified, verify
from .words import Line, RoundLog, log

__all__ = [
    "FAULT_KINDS",
    "FORMAT",
    "MAX_BYTES",
    "Core",
    "Exchange",
    "Fault",
    "Line",
    "Note",
    "PrivateSeat",
    "Recorder",
    "Replay",
    "ReplayError",
    "RoundLog",
    "Timing",
    "Verified",
    "core_sha256",
    "decode",
    "decode_private",
    "encode",
    "encode_private",
    "expand",
    "final_placing",
    "log",
    "verify",
]
