"""What periodic jobs do with each ladder in turn; one that breaks keeps no other waiting."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from arena import pulse
from arena.models import Ladder
from arena.services.pairing import pair_ladder
from arena.services.rating import rate_ladder

logger = logging.getLogger(__name__)


def pair_ladders() -> None:
    """Queue the next matches of every open ladder."""
    with_each(pulse.PAIR, Ladder.objects.filter(is_open=True), lambda ladder: len(pair_ladder(ladder=ladder)))


def rate_ladders() -> None:
    """Publish a new snapshot of every ladder of which there is something new."""
    with_each(pulse.RATE, Ladder.objects.all(), lambda ladder: int(rate_ladder(ladder=ladder) is not None))


def with_each(job: str, ladders: Iterable[Ladder], act: Callable[[Ladder], int]) -> None:
    """The job's sign of life tells how much was done, and at which ladders it broke."""
    n_done, broken = 0, []
    for ladder in ladders:
        try:
            n_done += act(ladder)
        except Exception:  # one ladder must not keep the others waiting
            logger.exception("The job %s broke at the ladder %s", job, ladder.slug)
            broken.append(ladder.slug)
    pulse.record_job(job, broken, done=n_done)
