"""Attack 23: crashes, to leave a core file and to reach the program that the host starts for one."""

import ctypes
import resource

from attacker import outcome, serve, tell


def act(message):
    outcome(resource.setrlimit, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    tell(core=resource.getrlimit(resource.RLIMIT_CORE))
    ctypes.string_at(0)


serve(act)
