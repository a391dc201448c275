"""The check of a version: its package, its start, and a qualification match against a house bot.

Each stage is a row that the version's page shows live. A version is rejected for its own doing alone, with one
sentence that matters first and, for its owner, what it takes to see the same at home. Trouble of ours sends the check
back to the queue.
"""

from __future__ import annotations

import hashlib
import logging
import shlex
import traceback
from collections.abc import Callable
from typing import Any

from django.db import transaction

from arena import memory, pulse
from arena.services import enter_ladders
from bots.house import house_source
from bots.leases import LeaseLost
from bots.models import CheckStage
from bots.packages import PackageError, check_syntax, read_package, to_program
from bots.sandbox.faults import SandboxError
from bots.sandbox.launcher import Launcher, SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
from bots.services import (
    CheckClaim,
    accept_version,
    begin_stage,
    claim_check,
    lock_owner,
    pass_stage,
    reject_version,
    renew_check,
    return_check,
    stop_check,
)
from bots.words import placed
from matches.engine.rules import rules_from
from matches.referee import (
    Fault,
    GameRecord,
    InfrastructureFault,
    MatchRecord,
    MatchSpec,
    Progress,
    play_match,
)
from matches.replay import PrivateSeat

logger = logging.getLogger(__name__)

Stage = CheckStage.Name

OPPONENT = "greedy"
PRESET = "official"
DEALS = 1
# The phase of a fault before the first question of a game.
START = "start"
# The version's place among the programs of its qualification match.
VERSION = 0
STDERR_TAIL = 4000


class Rejected(Exception):
    """The version failed at this stage by its own doing; the sentence is for everybody, the report for its owner."""

    def __init__(self, stage: Stage, sentence: str, **report: Any) -> None:
        super().__init__(sentence)
        self.stage = stage
        self.sentence = sentence
        self.report = {"stage": stage, "sentence": sentence, **report}


def check_version(*, version_id: int, worker: str, launcher: Launcher | None = None) -> bool:
    """Check a received version if it is to be had; whether a verdict was stored."""
    fitness = pulse.fitness()
    problems = [*fitness.problems, *memory.check_problems(fitness.match_mib)]
    if problems:
        logger.warning("The check of version %d is refused: %s", version_id, " ".join(problems))
        return False
    claim = claim_check(version_id=version_id, worker=worker)
    if claim is None:
        return False
    try:
        is_judged = judge(claim, launcher or SandboxLauncher())
        logger.info("%s: %s", claim.version, "a verdict was stored" if is_judged else "the lease was lost")
        return is_judged
    except LeaseLost:
        logger.warning("%s: the lease of its check was lost", claim.version)
    except (InfrastructureFault, SandboxError) as fault:
        logger.exception("%s: the check failed through no fault of its own", claim.version)
        return_check(claim=claim, trouble=f"{type(fault).__name__}: {fault}")
    except Exception:
        logger.exception("%s: the check failed", claim.version)
        return_check(claim=claim, trouble=traceback.format_exc())
    except BaseException:
        # The worker is being stopped.
        stop_check(claim=claim)
        raise
    return False


def judge(claim: CheckClaim, launcher: Launcher) -> bool:
    version = claim.version
    try:
        program = read(claim, launcher)
        qualify(claim, program, launcher)
    except Rejected as rejected:
        return reject_version(
            claim=claim, stage=rejected.stage, sentence=rejected.sentence, report=rejected.report
        )
    with transaction.atomic():
        lock_owner(version.bot.owner)
        is_accepted = accept_version(
            claim=claim, report={"command": command(version.filename, seed_of_package(version.sha256))}
        )
        if is_accepted:
            enter_ladders(version=version)
    return is_accepted


def read(claim: CheckClaim, launcher: Launcher) -> Program:
    """Stage one: the package can be read and compiled."""
    version = claim.version
    begin_stage(claim=claim, name=Stage.PACKAGE)
    try:
        package = read_package(version.filename, bytes(version.package.content))
        check_syntax(package, launcher, Limits())
    except PackageError as error:
        raise Rejected(Stage.PACKAGE, error.public_sentence, code=error.code, facts=error.facts) from error
    pass_stage(claim=claim, name=Stage.PACKAGE, facts={"n": len(package.files)})
    return to_program(package)


def qualify(claim: CheckClaim, program: Program, launcher: Launcher) -> None:
    """Stages two and three: the bot starts, and plays one deal from both seats without a fault."""
    version = claim.version
    seed = seed_of_package(version.sha256)
    spec = MatchSpec(
        seed=seed, rules=rules_from(PRESET), seats=memory.CHECK_SEATS, deals=DEALS, limits=Limits()
    )
    opponent = house_source(OPPONENT)
    begin_stage(claim=claim, name=Stage.START)
    record = play_match(
        spec,
        [program, Program("python", {"main.py": opponent}, "main.py")],
        launcher,
        sha256s=[version.sha256, hashlib.sha256(opponent).hexdigest()],
        on_progress=watcher(claim, spec),
    )
    pass_stage(claim=claim, name=Stage.QUALIFICATION, facts=achieved(record))


def watcher(claim: CheckClaim, spec: MatchSpec) -> Callable[[Progress], None]:
    """Renews the lease, shows that the bot has started, and ends the match with the first game that has a fault."""
    is_started = False

    def watch(progress: Progress) -> None:
        nonlocal is_started
        renew_check(claim=claim)
        seat = spec.participants(progress.deal, progress.seating).index(VERSION)
        fault = own_fault(progress, seat)
        if not is_started and progress.round > 0 and (fault is None or fault.phase != START):
            is_started = True
            pass_stage(claim=claim, name=Stage.START, facts={})
            begin_stage(claim=claim, name=Stage.QUALIFICATION)
        if fault is not None and progress.record is not None:
            raise rejection(claim.version.filename, progress.record, fault, spec.seed)

    return watch


def own_fault(progress: Progress, seat: int) -> Fault | None:
    """The version's fault in the game in play, if any. Raises InfrastructureFault if the house bot has one."""
    for fault in progress.faults:
        if fault.seat != seat:
            raise InfrastructureFault("house", f"{OPPONENT} faulted: {fault.sentence}")
    return progress.faults[0] if progress.faults else None


def rejection(filename: str, game: GameRecord, fault: Fault, seed: bytes) -> Rejected:
    private = game.private[fault.seat] if game.private else PrivateSeat()
    facts = fault.as_dict()
    return Rejected(
        Stage.START if fault.phase == START else Stage.QUALIFICATION,
        placed(facts),
        fault=facts,
        exchange=[{"to": one.sent, "from": one.received} for one in private.exchanges],
        offending=private.offending,
        stderr=private.stderr[-STDERR_TAIL:],
        command=command(filename, seed),
    )


def achieved(record: MatchRecord) -> dict[str, Any]:
    """What a qualification match came to: games won and played, the opponent, the points in each game."""
    games = [(game, game.participants.index(VERSION)) for game in record.games]
    return {
        "won": sum(game.placing[seat] == 1 for game, seat in games),
        "n": len(games),
        "opponent": OPPONENT,
        "totals": [game.totals[seat] for game, seat in games if game.totals],
    }


def seed_of_package(sha256: str) -> bytes:
    """The same in every attempt, so that what happened once happens again."""
    return hashlib.sha256(b"skyjo-arena check" + sha256.encode()).digest()


def command(filename: str, seed: bytes) -> str:
    """What plays the same match at home."""
    return f"python manage.py play {shlex.quote(filename)} {OPPONENT} --deals {DEALS} --seed {seed.hex()}"
