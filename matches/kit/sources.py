"""Where replays come from: a file, or the address of a game on an arena."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from matches.replay import MAX_BYTES

from .arena import fetch
from .problems import Problem

_GAME: Final = re.compile(r"(https?://[^?#]+?)/(?:api/v1/)?games/(\d+)(?:[/?#].*)?", re.IGNORECASE)


def read_replay(source: str) -> bytes:
    """The bytes of a replay, one over the limit being enough. `source` is a file, a game's address, or a replay's own.

    Raises Problem where it is not to be had.
    """
    if re.match(r"https?://", source, re.IGNORECASE):
        if game := _GAME.fullmatch(source):
            return fetch(f"{game[1]}/api/v1/games/{game[2]}/replay/", MAX_BYTES + 1)
        found = fetch(source, MAX_BYTES + 1)
        if found.lstrip().startswith(b"<"):
            raise Problem(f"{source} is a page and no replay: a game's address ends like /games/12/.")
        return found
    try:
        with Path(source).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Problem(f"{source}: {getattr(error, 'strerror', None) or error}.") from error
