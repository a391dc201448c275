"""What the sweep does for events: begin those that are due, and bring on those whose bell was lost."""

from __future__ import annotations

import logging

from arena.models import Tournament
from arena.services.tournaments.advancing import advance
from arena.services.tournaments.starting import start_due

logger = logging.getLogger(__name__)


def bring_on_all() -> int:
    """Begin what is due and bring on what is running; how many matches were made."""
    start_due()
    n_made = 0
    for pk in Tournament.objects.started().order_by("pk").values_list("pk", flat=True):
        try:
            n_made += len(advance(tournament_id=pk))
        except Exception:  # one event must not keep the others waiting
            logger.exception("Tournament %d could not be brought on", pk)
    return n_made
