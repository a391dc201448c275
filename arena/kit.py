"""The kit as this arena hands it out: one file, made from the code that runs here, that knows where it came from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

from django.http import HttpRequest
from django.urls import reverse

from bots.kit.skyjo import KIT_VERSION
from matches.kit.building import FILENAME, build


@dataclass(frozen=True, slots=True)
class Kit:
    """`content` is the file; `sha256` its hash in hex; `url` where it is downloaded."""

    content: bytes
    sha256: str
    url: str
    version: str = KIT_VERSION
    filename: str = FILENAME

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.content)


def kit_for(request: HttpRequest) -> Kit:
    """The kit for whoever reaches the arena under this request's address."""
    home, download = (request.build_absolute_uri(reverse(name)) for name in ("home", "kit"))
    return _kit(home.rstrip("/"), download)


@lru_cache(maxsize=8)
def _kit(origin: str, url: str) -> Kit:
    content = build(origin)
    return Kit(content, hashlib.sha256(content).hexdigest(), url)
