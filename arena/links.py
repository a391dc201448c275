"""Addresses of pages, and of places within them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.urls import reverse

# A page of a list asks for hundreds, most of them of few things.
KEPT = 20_000


@lru_cache(maxsize=KEPT)
def address(name: str, *args: Any) -> str:
    """As `reverse`; one that was asked for before is not put together again."""
    return reverse(name, args=args)


def at_turn(game: int, fault: Mapping[str, Any]) -> str:
    """The page of a game, opened at the turn of a fault; at its beginning if that came before the first question."""
    return address("game", game) + turn_of(fault)


def turn_of(fault: Mapping[str, Any]) -> str:
    """What is put behind the address of a game's page for it to open there."""
    return f"?round={fault['round']}&turn={fault.get('turn') or 0}" if fault.get("round") else ""
