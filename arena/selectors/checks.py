"""How long a version waits for its check, as far as can be said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from arena.pulse import CHECKS, living_workers
from bots.models import Version

# What a check takes is told from so many of the latest versions, as far as they were checked.
VERSIONS_LOOKED_AT = 30


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many checks are begun or come before, how many are done at once, and what one takes as a rule, in seconds;
    None where no check has told that yet."""

    n_before: int
    n_at_once: int
    usual_s: float | None

    @property
    def estimate_s(self) -> float | None:
        """Until it is done, if every check takes as long as it usually does; None if nobody can say."""
        if self.usual_s is None or not self.n_at_once:
            return None
        return math.ceil((self.n_before + 1) / self.n_at_once) * self.usual_s


def waiting(version: Version) -> Waiting | None:
    """None once its check has begun."""
    if version.status != Version.Status.RECEIVED:
        return None
    pending = Version.objects.filter(status__in=[Version.Status.RECEIVED, Version.Status.CHECKING])
    workers = [worker for worker in living_workers(CHECKS) if worker.is_well]
    return Waiting(
        n_before=pending.filter(pk__lt=version.pk).count(),
        n_at_once=sum(worker.detail["concurrency"] for worker in workers),
        usual_s=usual_s(),
    )


def usual_s() -> float | None:
    """The median of the latest checks that came to an end; None without any."""
    latest = Version.objects.order_by("-pk").values_list("check_started_at", "checked_at")
    took = [
        (ended - began).total_seconds()
        for began, ended in latest[:VERSIONS_LOOKED_AT]
        if began is not None and ended is not None
    ]
    return median(took) if took else None
