"""Short turns on the processor, so that a bot that has used up its time is seen to have done so.

On a busy host, what runs keeps its core for a slice of about 3 ms, whatever its limits say, and whoever waits for it to
be over waits as long. Since Linux 6.12 a process may ask for shorter slices. It gets no more of the processor for
that, only more often; its children get the same.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Final

SLICE_NS: Final = 100_000
"""The least that the kernel grants."""

_SCHED_OTHER = 0
_SCHED_SETATTR, _SCHED_GETATTR = 314, 315  # on x86-64


class _Attributes(ctypes.Structure):  # struct sched_attr
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def take_short_slices() -> None:
    """For this thread and what it starts from now on. Where the kernel does not know or allow it, nothing changes."""
    attributes = _attributes(0)
    if attributes is not None and attributes.policy == _SCHED_OTHER and attributes.runtime != SLICE_NS:
        attributes.runtime = SLICE_NS
        _library().syscall(_SCHED_SETATTR, 0, ctypes.byref(attributes), 0)


def _attributes(pid: int) -> _Attributes | None:
    """How the process is scheduled (0: this thread); None where the kernel does not tell."""
    attributes = _Attributes()
    got = _library().syscall(_SCHED_GETATTR, pid, ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    return attributes if got == 0 else None


@functools.cache
def _library() -> ctypes.CDLL:
    # Only where it is called: Windows, which imports this with the kit, has no such library.
    return ctypes.CDLL(None)
