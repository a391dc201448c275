"""What periodic jobs do with each ladder in turn; one that breaks keeps no other waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from arena import pulse
from arena.models import Ladder
from arena.services.one_by_one import one_by_one
from arena.services.pairing import pair_ladder
from arena.services.rating import rate_ladder


def pair_ladders() -> None:
    """Queue the next matches of every open ladder."""
    with_each(pulse.PAIR, Ladder.objects.filter(is_open=True), lambda ladder: len(pair_ladder(ladder=ladder)))


def rate_ladders() -> None:
    """Publish a new snapshot of every ladder of which there is something new."""
    with_each(pulse.RATE, Ladder.objects.all(), lambda ladder: int(rate_ladder(ladder=ladder) is not None))


def with_each(job: str, ladders: Iterable[Ladder], act: Callable[[Ladder], int]) -> None:
    """The job's sign of life tells how much was done, and at which ladders it broke."""
    done = one_by_one(ladders, act, name=lambda ladder: ladder.slug)
    pulse.record_job(job, done.broken, done=done.n)
