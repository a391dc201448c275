"""Addresses that lead to a place within a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse


def at_turn(game: int, fault: Mapping[str, Any]) -> str:
    """The page of a game, opened at the turn of a fault; at its beginning if that came before the first question."""
    page = reverse("game", args=[game])
    if not fault.get("round"):
        return page
    return f"{page}?round={fault['round']}&turn={fault.get('turn') or 0}"
