"""Every change to bots and versions that spans rows.

Nothing here rings a worker or knows a ladder; `arena.services` wraps what must.
"""

from bots.errors import SubmissionError
from bots.services.activation import activate_version, newest_ready, withdraw_bot
from bots.services.checks import (
    CheckClaim,
    accept_version,
    begin_stage,
    claim_check,
    free_checks_of,
    pass_stage,
    reject_version,
    renew_check,
    requeue_check,
    return_check,
    return_expired_checks,
    settle_runtime,
    stop_check,
)
from bots.services.owners import Quotas, lock_owner, publish_source, quotas, strip_name, wipe_packages
from bots.services.submission import Submission, add_version, make_bot, submit_version

__all__ = [
    "CheckClaim",
    "Quotas",
    "Submission",
    "SubmissionError",
    "accept_version",
    "activate_version",
    "add_version",
    "begin_stage",
    "claim_check",
    "free_checks_of",
    "lock_owner",
    "make_bot",
    "newest_ready",
    "pass_stage",
    "publish_source",
    "quotas",
    "reject_version",
    "renew_check",
    "requeue_check",
    "return_check",
    "return_expired_checks",
    "settle_runtime",
    "stop_check",
    "strip_name",
    "submit_version",
    "wipe_packages",
    "withdraw_bot",
]
