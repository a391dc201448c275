"""What can run in the sandbox: a small registry. A runtime says how a program is started and what it may use."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bots.sandbox.limits import MIB, Limits

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

    `interpreter` is an absolute path on the host and the same one in the sandbox; empty where the program is a program
    by itself. `flags` stand between it and the entry, after them `heap_flag` with what it may keep in its heap, in
    MiB. `environment` is the whole environment, but for PYTHONPATH, which names the kit's folder where `has_kit`.

    `reserve_mib` is address space beyond the limit of memory that the runtime sets aside and never uses. Where there
    is some, the limit holds for private writable memory, the filter denies what the kernel does not count as such,
    and the referee looks at what is resident.
    """

    interpreter: str
    flags: tuple[str, ...]
    environment: Mapping[str, str]
    has_kit: bool = False
    heap_flag: str = ""
    reserve_mib: int = 0

    def argv(self, entry: str, bot_dir: str, limits: Limits, host_flags: Sequence[str] = ()) -> list[str]:
        """The words that start it; `host_flags` are those that this host's interpreter needs besides."""
        words = [self.interpreter, *self.flags, *host_flags] if self.interpreter else []
        if self.heap_flag:
            words.append(f"{self.heap_flag}={limits.memory_mib * 3 // 4}")
        return [*words, f"{bot_dir}/{entry}"]

    def environment_with(self, kit_dir: str) -> dict[str, str]:
        return {**self.environment, **({"PYTHONPATH": kit_dir} if self.has_kit else {})}


_ENVIRONMENT: Final = {
    "PATH": "/usr/bin",
    "HOME": "/tmp",  # noqa: S108 - a name for programs that ask; nothing can be written there
    "LANG": "C.UTF-8",
}
# V8 sets aside 512 MiB for code, Go's runtime 590 MiB for its tables, whatever they use of it.
_RESERVE_MIB: Final = 768

PYTHON: Final = "python"
NODE: Final = "node"
EXECUTABLE: Final = "executable"

RUNTIMES: Final[Mapping[str, Runtime]] = {
    PYTHON: Runtime(
        interpreter="/usr/bin/python3",
        # No per-user packages, no byte code written, and standard output never kept back in a buffer: a bot that
        # forgets to flush plays all the same.
        flags=("-s", "-B", "-u"),
        environment={
            **_ENVIRONMENT,
            # The same sets and dictionaries in every run, so that a match can be played again exactly.
            "PYTHONHASHSEED": "0",
            # An arena of the C library reserves 64 MiB of address space for each thread; the limit counts it.
            "MALLOC_ARENA_MAX": "1",
        },
        has_kit=True,
    ),
    NODE: Runtime(
        interpreter="/usr/bin/node",
        # One helper thread instead of four: they are charged like the bot's own.
        flags=("--v8-pool-size=1",),
        environment={**_ENVIRONMENT, "MALLOC_ARENA_MAX": "1"},
        heap_flag="--max-old-space-size",
        reserve_mib=_RESERVE_MIB,
    ),
    EXECUTABLE: Runtime(
        interpreter="", flags=(), environment=_ENVIRONMENT, reserve_mib=_RESERVE_MIB
    ),
}  # fmt: skip


def rlimit_options(limits: Limits, runtime: Runtime) -> list[str]:
    """The options of prlimit(1) that hold inside the sandbox.

    Memory is the whole bot's limit because it cannot fork. No CPU limit: the referee charges CPU time by the
    process's clock, and SIGKILL must mean that somebody outside sent it.
    """
    return [
        f"--as={(limits.memory_mib + runtime.reserve_mib) * MIB}",
        *([f"--data={limits.memory_mib * MIB}"] if runtime.reserve_mib else []),
        f"--nproc={THREADS}",
        "--nofile=32",
        "--fsize=0",
        "--core=0",
        f"--stack={8 * MIB}",
        "--memlock=0",
        "--msgqueue=0",
        "--sigpending=32",
        "--locks=0",
        "--rtprio=0",
        "--nice=0",
    ]
