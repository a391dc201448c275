"""How bots are started on one's own machine, whatever that is."""

from __future__ import annotations

import os
import sys

from bots.sandbox.launcher import PRLIMIT, BareLauncher, Launcher
from bots.sandbox.portable import PortableLauncher


def local_launcher() -> Launcher:
    """Starts bots without a sandbox, by the Python that runs this.

    On Linux with the arena's clocks and its limit of memory; elsewhere by the wall clock alone.
    """
    python = os.path.realpath(sys.executable)
    if measures_cpu_time():
        return BareLauncher(python=python)
    return PortableLauncher(python)


def measures_cpu_time() -> bool:
    """Whether this system has what CPU time and memory are measured with."""
    return sys.platform == "linux" and hasattr(os, "pidfd_open") and os.path.exists(PRLIMIT)
