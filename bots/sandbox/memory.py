"""How much memory a bot's process has, by the kernel's account, and whether its last words tell of too little."""

from __future__ import annotations

import mmap
import os
import re
from glob import iglob

from bots.sandbox.stderr import StderrLog

# The last line of who has run out of memory.
_OUT_OF_MEMORY = re.compile(
    rb"^(MemoryError\b|Fatal Python error:.*memory|.*\[Errno 12\]|.*std::bad_alloc|.*\bout of memory\.?$"
    rb"|.*: Cannot allocate memory$)",
    re.IGNORECASE,
)
# What V8, Go, Rust and C++ write as they end for want of memory, with a trace behind it.
_FATAL_MEMORY = re.compile(
    rb"^(FATAL ERROR: .*out of memory|# Fatal process (OOM|out of memory)|fatal error: .*out of memory"
    rb"|fatal error: failed to reserve|memory allocation of \d+ bytes failed|.*std::bad_alloc"
    rb"|# Check failed: .*SetPermissions|RangeError: Array buffer allocation failed"
    rb"|RangeError: WebAssembly\.[\w.]+\(\): .*(allocat|grow))",
    re.MULTILINE,
)
# What Python 3.13 writes when it has no memory left to print a traceback either.
_NO_MEMORY_TO_SAY_SO = re.compile(rb"^object repr +: MemoryError\(\)\nlost sys\.stderr\s*\Z", re.MULTILINE)
# Of a line of its own: the first line holds a name that the bot may choose.
_PEAK = re.compile(rb"^VmHWM:\s*(\d+) kB", re.MULTILINE)


def has_run_out(log: StderrLog) -> bool:
    """Whether what a process wrote before it ended tells of too little memory."""
    return bool(
        _OUT_OF_MEMORY.search(log.last_line())
        or _NO_MEMORY_TO_SAY_SO.search(log.end())
        or _FATAL_MEMORY.search(log.text())
    )


def peak_kib(pid: int) -> int:
    """The most resident memory that the process has had, in KiB; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            found = _PEAK.search(file.read())
    except OSError:
        return 0
    return int(found[1]) if found else 0


def own_bytes(statm: int) -> int:
    """Resident memory that is no file's, by an open `/proc/…/statm`; 0 if the process or thread has ended."""
    try:
        _, resident, of_files, *_ = os.pread(statm, 256, 0).split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(of_files)) * mmap.PAGESIZE


def own_bytes_of_threads(pid: int) -> int:
    """The same by any of the process's threads: they share it, and the first may have ended before the others."""
    return max(map(_own_bytes_by, iglob(f"/proc/{pid}/task/*/statm")), default=0)


def _own_bytes_by(path: str) -> int:
    try:
        statm = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return own_bytes(statm)
    finally:
        os.close(statm)
