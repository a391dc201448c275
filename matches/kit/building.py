"""Packs the kit into one file: a zip that Python runs, with engine, referee, kit and house bots as they are here.

The same sources and the same address give the same bytes, on any machine: files in order, dates that say nothing, and
nothing compressed, since compressors differ.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .about import ORIGIN

FILENAME: Final = "skyjo.pyz"
ROOT: Final = Path(__file__).resolve().parents[2]
PARTS: Final = (
    "bots/__init__.py",
    "bots/house/*.py",
    "bots/kit/*.py",
    "bots/kit/templates/*.py",
    "bots/packages/*.py",
    "bots/sandbox/*.py",
    "matches/__init__.py",
    "matches/checking.py",
    "matches/differences.py",
    "matches/engine/*.py",
    "matches/kit/*.py",
    "matches/local/*.py",
    "matches/referee/*.py",
    "matches/replay/*.py",
)
"""Where what the kit needs lies, from the root of a checkout."""

_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
_MAIN: Final = """\
import sys

if sys.version_info < (3, 11):
    sys.exit("The Skyjo kit needs Python 3.11 or later; this is Python %d.%d." % sys.version_info[:2])

from matches.kit import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


def build(url: str = "") -> bytes:
    """The bytes of `skyjo.pyz`. `url` is that of the arena that it submits to unless told otherwise."""
    packed = io.BytesIO()
    packed.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(_contents(url)):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.create_system = 3  # Unix, wherever it is built
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def _contents(url: str) -> Iterator[tuple[str, bytes]]:
    yield "__main__.py", _MAIN.encode()
    yield f"matches/kit/{ORIGIN}", json.dumps({"url": url}).encode()
    for part in PARTS:
        for path in ROOT.glob(part):
            yield path.relative_to(ROOT).as_posix(), path.read_bytes()


def main(path: str, url: str = "") -> None:
    """`python -m matches.kit.building PATH [URL]` writes the file."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(build(url))
    target.chmod(0o755)


if __name__ == "__main__":
    main(*sys.argv[1:3])
