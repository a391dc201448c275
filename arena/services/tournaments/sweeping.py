"""What the sweep does for events: begin those that are due, and bring on those whose bell was lost."""

from __future__ import annotations

from arena.models import Tournament
from arena.services.one_by_one import Done, one_by_one
from arena.services.tournaments.advancing import advance
from arena.services.tournaments.starting import start_due


def bring_on_all() -> Done:
    """Begin what is due and bring on what is running; how many matches were made."""
    begun = start_due()
    running = Tournament.objects.started().order_by("pk").values_list("pk", flat=True)
    brought = one_by_one(
        running, lambda pk: len(advance(tournament_id=pk)), name=lambda pk: f"tournament {pk}"
    )
    return Done(brought.n, begun.broken + brought.broken)
