"""Lots that anybody can check: the smaller SHA-256 wins.

A lot is SHA-256("<seed>:<purpose>:<who>") as hex digits. The event's seed is published; the purpose and who take part
stand beside every lot that was drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

SHOWN_DIGITS = 8


def lot(seed: str, purpose: str, who: int) -> str:
    return hashlib.sha256(f"{seed}:{purpose}:{who}".encode()).hexdigest()


def drawn(seed: str, purpose: str, ids: Iterable[int]) -> list[int]:
    """The ids in the order of their lots, the winner first."""
    return sorted(ids, key=lambda who: (lot(seed, purpose, who), who))
