"""How many matches have finished today: a figure that many pages show, of more rows than they should count."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from arena import pulse
from arena.models import Pulse
from matches.models import Match

# A day may have more than anybody wants to be counted.
COUNTED_TO = 10_000
# A match names the moment at which it finished before its result is stored. Each sweep counts anew, so that one that
# took longer is counted by the next.
STORED_WITHIN = timedelta(minutes=2)


def n_today(signs: Iterable[Pulse] | None = None) -> int:
    """Matches finished since midnight UTC, as far as COUNTED_TO, which stands for "as many or more".

    What the sweep has counted (`swept`) is not counted again. Signs of life are read where they are not handed over.
    """
    found = Pulse.objects.filter(name=pulse.SWEEP) if signs is None else signs
    since, n = _midnight(), 0
    for sign in found:
        if sign.name == pulse.SWEEP and sign.detail.get("finished_until", 0) > since.timestamp():
            since = datetime.fromtimestamp(sign.detail["finished_until"], UTC)
            n = sign.detail["finished_today"]
    return n + Match.objects.filter(finished_at__gte=since)[: COUNTED_TO - n].count()


def swept() -> dict[str, int]:
    """For the sweep's sign of life: how many matches finished today before a moment, in seconds since 1970."""
    midnight = _midnight()
    until = max((timezone.now() - STORED_WITHIN).replace(microsecond=0), midnight)
    finished = Match.objects.filter(finished_at__gte=midnight, finished_at__lt=until)
    return {"finished_today": finished[:COUNTED_TO].count(), "finished_until": int(until.timestamp())}


def _midnight() -> datetime:
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
