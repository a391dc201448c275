"""A replay that somebody brings as a file: read under limits, played again, and expanded for the viewer."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from matches.replay import Replay, ReplayError, Verified, decode, encode, expand, verify

# The longest games of house bots have about 1 MiB of JSON and 8,000 decisions, and a page has a line for each.
MAX_BYTES = 4 * 1024 * 1024
MAX_DECISIONS = 20_000
MAX_NAME = 40
# What web servers and proxies take of an address, with room for the place that a viewer adds. Thirteen rounds of two
# seats are 1,400 characters, seven of eight seats 2,500.
MAX_QUERY = 3500


@dataclass(frozen=True, slots=True)
class Opened:
    """A replay that came out as it says. `names`: by seat, as the file has them, which nothing verifies; or none."""

    replay: Replay
    verified: Verified
    expanded: dict[str, Any]
    names: tuple[str, ...] | None

    @property
    def query(self) -> str | None:
        """The whole replay as the parameters of an address (`from_query`); None if it is too long for one."""
        core, timing = self.replay.core, self.replay.timing
        text = base64.urlsafe_b64encode(encode(core, timing)).decode().rstrip("=")
        query = urlencode({"replay": text, "name": self.names or ()}, doseq=True)
        return query if len(query) <= MAX_QUERY else None


def from_query(text: str, names: Sequence[str]) -> Opened:
    """The replay that stands in an address. Raises ReplayError."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise ReplayError("the address holds no replay: it may have been cut off") from None
    return open_replay(data, names)


def open_replay(data: bytes, names: Sequence[str] = ()) -> Opened:
    """Read a compact or expanded replay, plain or in gzip, and play it again. `names` stand in for those in the file.

    Raises ReplayError with one sentence that says what is wrong, and where.
    """
    replay = decode(data, max_bytes=MAX_BYTES)
    n_decisions = len(replay.core.decisions)
    if n_decisions > MAX_DECISIONS:
        raise ReplayError(f"the game has {n_decisions:,} decisions; at most {MAX_DECISIONS:,} are shown")
    verified = verify(replay)
    about = (replay.stated or {}).get("about")
    stated = about.get("names") if isinstance(about, dict) else None
    found = _names(list(names) or stated, len(replay.core.seats))
    return Opened(replay, verified, expand(replay, {"names": list(found)} if found else None), found)


def _names(names: object, n_seats: int) -> tuple[str, ...] | None:
    if not isinstance(names, list) or len(names) != n_seats:
        return None
    if not all(isinstance(name, str) and len(name.strip()) > 0 and len(name) <= MAX_NAME for name in names):
        return None
    return tuple(names)
