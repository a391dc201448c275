"""A replay that somebody brings as a file: read under limits, played again, and expanded for the viewer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matches.replay import ReplayError, Verified, decode, expand, verify

# The longest games of house bots have about 1 MiB of JSON and 8,000 decisions, and a page has a line for each.
MAX_BYTES = 4 * 1024 * 1024
MAX_DECISIONS = 20_000
MAX_NAME = 40


@dataclass(frozen=True, slots=True)
class Opened:
    """A replay that came out as it says. `names`: by seat, as the file has them, which nothing verifies; or none."""

    verified: Verified
    expanded: dict[str, Any]
    names: tuple[str, ...] | None


def open_replay(data: bytes) -> Opened:
    """Read a compact or expanded replay, plain or in gzip, and play it again.

    Raises ReplayError with one sentence that says what is wrong, and where.
    """
    replay = decode(data, max_bytes=MAX_BYTES)
    n_decisions = len(replay.core.decisions)
    if n_decisions > MAX_DECISIONS:
        raise ReplayError(f"the game has {n_decisions:,} decisions; at most {MAX_DECISIONS:,} are shown")
    verified = verify(replay)
    names = _names((replay.stated or {}).get("about"), len(replay.core.seats))
    about = {"names": list(names)} if names else None
    return Opened(verified, expand(replay, about), names)


def _names(about: object, n_seats: int) -> tuple[str, ...] | None:
    names = about.get("names") if isinstance(about, dict) else None
    if not isinstance(names, list) or len(names) != n_seats:
        return None
    if not all(isinstance(name, str) and len(name.strip()) > 0 and len(name) <= MAX_NAME for name in names):
        return None
    return tuple(names)
