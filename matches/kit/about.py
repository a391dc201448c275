"""What this kit is: its version, and the arena that it came from."""

from __future__ import annotations

import json
import os
import pkgutil
import shlex
import sys
from typing import Final

from bots.kit.skyjo import KIT_VERSION
from matches.engine.rules import ENGINE_RULES
from matches.referee.messages import PROTOCOL

ORIGIN: Final = "origin.json"
"""The file beside this one that `building` adds: {"url": of the arena, or ""}. A checkout has none."""


def command_line() -> str:
    """How it is called in a terminal: `python3 skyjo.pyz`, or what stands for it in a checkout."""
    # What Python is called: Debian has no `python`, Windows no `python3`.
    python = "python" if os.name == "nt" else "python3"
    path = sys.argv[0]
    return f"{python} {shlex.quote(path) if path.endswith('.pyz') else '-m matches.kit'}"


def version_line() -> str:
    return f"Skyjo kit {KIT_VERSION} (protocol {PROTOCOL}, engine rules {ENGINE_RULES})"


def origin_url() -> str:
    """The address of the arena that this copy was downloaded from; empty where that is not known."""
    try:
        text = pkgutil.get_data(__package__ or "", ORIGIN)
    except OSError:
        return ""
    url = json.loads(text or b"{}").get("url", "")
    return url if isinstance(url, str) else ""
