"""`verify replay.json`: plays replays again and compares every value that follows from them."""

from __future__ import annotations

import argparse
import sys

from matches.replay import ReplayError, Verified, verify

from .main import print_line
from .problems import NO, Problem
from .results import counted
from .sources import read_replay


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Plays each replay again and compares every value that follows from it. Takes compact and expanded files, "
        "plain or in gzip, and addresses of games on an arena. Prints one line each; the status is 1 if any is no "
        "sound replay, 2 if any cannot be read, 3 if an arena does not answer."
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a replay's file, or the address of a game")


def run(options: argparse.Namespace) -> int:
    status = 0
    for name in options.files:
        try:
            verified = verify(read_replay(name))
        except ReplayError as error:
            status = max(status, NO)
            sys.stderr.write(f"{name}: {error}\n")
        except Problem as problem:
            status = max(status, problem.status)
            sys.stderr.write(f"{problem.sentence}\n")
        else:
            print_line(f"{name}: {_summary(verified)}")
    return status


def _summary(verified: Verified) -> str:
    core = verified.core
    parts = [
        f"sound, {len(core.seats)} seats, {counted(verified.n_rounds, 'round')}, {len(core.decisions)} decisions",
        f"totals {_listed(verified.totals)}",
        f"placing {_listed(verified.placing)}",
    ]
    parts += [
        f"seat {fault.seat} faulted ({fault.kind}) at decision {fault.decision}" for fault in core.faults
    ]
    return "; ".join([*parts, f"core {verified.core_sha256}"])


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
