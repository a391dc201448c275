"""The check of a version by a worker: what `matches.checking` asks of a bot, each stage a row that its page shows live.

A version is rejected for its own doing alone, with one sentence that matters first and, for its owner, what it takes to
see the same at home. Trouble of ours sends the check back to the queue.
"""

from __future__ import annotations

import logging
import shlex
import traceback
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from arena import fitness, memory
from arena.services import enter_ladders
from bots.leases import LeaseLost
from bots.sandbox.faults import SandboxError
from bots.sandbox.launcher import Launcher, SandboxLauncher
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
    settle_runtime,
    stop_check,
)
from matches.checking import Rejected, qualify, read
from matches.referee import InfrastructureFault

logger = logging.getLogger(__name__)


def check_version(*, version_id: int, worker: str, launcher: Launcher | None = None) -> bool:
    """Check a received version if it is to be had; whether a verdict was stored."""
    own = fitness.own()
    problems = [*own.problems, *memory.check_problems(own.match_mib)]
    if problems:
        logger.warning("The check of version %d is refused: %s", version_id, " ".join(problems))
        return False
    claim = claim_check(version_id=version_id, worker=worker, runtimes=own.runtimes)
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
    watcher = Keeper(claim)
    again = command(version.filename)
    try:
        program = read(
            version.filename,
            bytes(version.package.content),
            runtime=version.runtime or None,
            launcher=launcher,
            watcher=watcher,
        )
        settle_runtime(claim=claim, runtime=program.runtime)
        qualify(program, sha256=version.sha256, launcher=launcher, watcher=watcher, command=again)
    except Rejected as rejected:
        return reject_version(
            claim=claim, stage=rejected.stage, sentence=rejected.sentence, report=rejected.report
        )
    with transaction.atomic():
        lock_owner(version.bot.owner)
        is_accepted = accept_version(claim=claim, report={"command": again})
        if is_accepted:
            enter_ladders(version=version)
    return is_accepted


class Keeper:
    """Shows the stages of a check, and renews its lease meanwhile. All methods raise LeaseLost."""

    def __init__(self, claim: CheckClaim) -> None:
        self.claim = claim

    def begin(self, stage: str) -> None:
        begin_stage(claim=self.claim, name=stage)

    def passed(self, stage: str, facts: Mapping[str, Any]) -> None:
        pass_stage(claim=self.claim, name=stage, facts=facts)

    def beat(self) -> None:
        renew_check(claim=self.claim)


def command(filename: str) -> str:
    """What checks the same file at home: the seed of the qualification match is made of its bytes."""
    return f"python3 skyjo.pyz check {shlex.quote(filename)}"
