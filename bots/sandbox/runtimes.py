"""What can run in the sandbox: a small registry. A runtime says how a program is started and what it may use."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bots.sandbox.limits import Limits

BOT_DIR: Final = "/bot"
KIT_DIR: Final = "/kit"
THREADS: Final = 16


@dataclass(frozen=True, slots=True)
class Program:
    """A bot's files by relative path, and the one that is started. `runtime` is a key of RUNTIMES."""

    runtime: str
    files: Mapping[str, bytes]
    entry: str

    def __post_init__(self) -> None:
        if self.runtime not in RUNTIMES:
            raise ValueError(
                f"There is no runtime “{self.runtime}”; there are: {', '.join(sorted(RUNTIMES))}."
            )
        if self.entry not in self.files:
            raise ValueError(f"The entry {self.entry!r} is not among the program's files.")
        for path in self.files:
            inside = posixpath.normpath(path) == path and not path.startswith(("/", "..")) and path != "."
            if not inside or "\0" in path:
                raise ValueError(f"{path!r} is no relative path inside the program.")


@dataclass(frozen=True, slots=True)
class Command:
    """A bot on one's own machine by its command line, run in `folder` with one's own environment. It is no upload:
    no sandbox starts it, and its memory is not limited."""

    argv: tuple[str, ...]
    folder: str


Startable = Program | Command


@dataclass(frozen=True, slots=True)
class Runtime:
    """How a program is started.

    `interpreter` is an absolute path on the host and the same one in the sandbox. `flags` stand between it and the
    entry. `environment` is the whole environment, but for PYTHONPATH, which names the kit's folder.
    """

    interpreter: str
    flags: tuple[str, ...]
    environment: Mapping[str, str]

    def argv(self, entry: str, bot_dir: str) -> list[str]:
        return [self.interpreter, *self.flags, f"{bot_dir}/{entry}"]

    def environment_with(self, kit_dir: str) -> dict[str, str]:
        return {**self.environment, "PYTHONPATH": kit_dir}


RUNTIMES: Final[Mapping[str, Runtime]] = {
    "python": Runtime(
        interpreter="/usr/bin/python3",
        # No per-user packages, no byte code written, and standard output never kept back in a buffer: a bot that
        # forgets to flush plays all the same.
        flags=("-s", "-B", "-u"),
        environment={
            "PATH": "/usr/bin",
            "HOME": "/tmp",  # noqa: S108 - a name for programs that ask; nothing can be written there
            "LANG": "C.UTF-8",
            # The same sets and dictionaries in every run, so that a match can be played again exactly.
            "PYTHONHASHSEED": "0",
            # An arena of the C library reserves 64 MiB of address space for each thread; the limit counts it.
            "MALLOC_ARENA_MAX": "1",
        },
    ),
}


def rlimit_options(limits: Limits) -> list[str]:
    """The options of prlimit(1) that hold inside the sandbox.

    Address space is the whole bot's limit because it cannot fork. No CPU limit: the referee charges CPU time by the
    process's clock, and SIGKILL must mean that somebody outside sent it.
    """
    return [
        f"--as={limits.memory_mib * 1024 * 1024}",
        f"--nproc={THREADS}",
        "--nofile=32",
        "--fsize=0",
        "--core=0",
        f"--stack={8 * 1024 * 1024}",
        "--memlock=0",
        "--msgqueue=0",
        "--sigpending=32",
        "--locks=0",
        "--rtprio=0",
        "--nice=0",
    ]
