"""Ends sandboxes that have lost the process that watched them.

A guard beside each process does that too (`bots.sandbox.guard`), unless somebody kills it. A worker adopts what its
processes leave behind when they are killed, and ends it.
"""

from __future__ import annotations

import ctypes
import os
import signal
from contextlib import suppress

from arena.serving.supervisor import PR_SET_CHILD_SUBREAPER, children
from bots.sandbox.guard import guard


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent dies. Is not inherited by children."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_orphans() -> int:
    """End the children of this process that stand in a process group of their own, as bots do; the number of them.

    To be called by a process whose own children stay in its group. The guard beside it is left alone.
    """
    n_ended = 0
    for pid in children():
        with suppress(ProcessLookupError, ChildProcessError, PermissionError):
            if os.getpgid(pid) != os.getpgrp() and pid != guard().pid:
                os.kill(pid, signal.SIGKILL)
                n_ended += 1
                os.waitpid(pid, os.WNOHANG)
    return n_ended
