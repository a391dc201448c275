"""What `/usr/bin/node` is on this host, if it is there: version, the real file, and what it reads at its start."""

from __future__ import annotations

import functools
import os
import subprocess
from dataclasses import dataclass
from typing import Final

from bots.sandbox.faults import SandboxError

OLDEST_NODE: Final = 18


# Debian keeps these parts of node's own library beside it, and it does not start without.
_LIBRARY: Final = "/usr/share/nodejs"
_PARTS: Final = ("acorn", "acorn-walk", "amaro", "cjs-module-lexer", "minimatch", "undici")
# From here on memories of WebAssembly can do without ten GiB of address space each.
_PLAIN_MEMORIES: Final = (20, 15)


@dataclass(frozen=True, slots=True)
class Node:
    """`folders` hold parts of its own library. `flags` are those that this version knows and older ones do not."""

    version: str
    executable: str
    folders: tuple[str, ...]
    flags: tuple[str, ...]


@functools.cache
def node(path: str) -> Node:
    """Asks it, once a process. Raises SandboxError if it is missing, does not run or is too old."""
    if not os.access(path, os.X_OK):
        raise SandboxError(f"{path} is missing: install the package nodejs.")
    try:
        done = subprocess.run(
            [path, "-p", "process.versions.node"],
            env={}, cwd="/", capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        version = done.stdout.strip()
        major, minor = map(int, version.split(".")[:2])
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise SandboxError(f"The bots' interpreter {path} does not run: {error}") from error
    if major < OLDEST_NODE:
        raise SandboxError(
            f"The bots' interpreter {path} is Node.js {version}; {OLDEST_NODE} or later is needed."
        )
    folders = tuple(folder for part in _PARTS if os.path.isdir(folder := f"{_LIBRARY}/{part}"))
    flags = ("--disable-wasm-trap-handler",) if (major, minor) >= _PLAIN_MEMORIES else ()
    return Node(version, os.path.realpath(path), folders, flags)
