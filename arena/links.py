"""Addresses that lead to a place within a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.templatetags.addresses import address


def at_turn(game: int, fault: Mapping[str, Any]) -> str:
    """The page of a game, opened at the turn of a fault; at its beginning if that came before the first question."""
    page = address("game", game)
    if not fault.get("round"):
        return page
    return f"{page}?round={fault['round']}&turn={fault.get('turn') or 0}"
