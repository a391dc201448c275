"""What a host must have before bots may run on it. Everything that is missing is said in words."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

from bots.sandbox.launcher import BWRAP, LIBRARIES, PRLIMIT, runtime_problem
from bots.sandbox.limits import MIB
from bots.sandbox.runtimes import PYTHON

# Each would make bubblewrap fail with a message that does not name the cause.
_NAMESPACE_SETTINGS = (
    ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces is 0: raise it with sysctl."),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "kernel.unprivileged_userns_clone is 0: set it to 1.",
    ),
)
_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def host_problems() -> list[str]:
    """Why no sandbox can start here, one sentence each; empty if nothing is known to be in the way."""
    problems = []
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        problems.append(
            f"The sandbox needs Linux on x86-64; this is {platform.system()} on {platform.machine()}. No bot runs here."
        )
        return problems
    for path, package in ((BWRAP, "bubblewrap"), (PRLIMIT, "util-linux")):
        if not os.access(path, os.X_OK):
            problems.append(f"{path} is missing: install the package {package}.")
    if not os.path.isdir(LIBRARIES):
        problems.append(
            f"{LIBRARIES} is missing: the sandbox knows the folders of Debian and its relatives only."
        )
    if problem := runtime_problem(PYTHON):
        problems.append(problem)
    for name, bad, sentence in _NAMESPACE_SETTINGS:
        if _read(Path(name)) == bad:
            problems.append(sentence)
    return problems


def namespace_hint() -> str:
    """What an operator should look at when bubblewrap may not make namespaces."""
    if _read(_APPARMOR) == "1":
        return (
            "This host's AppArmor keeps programs from making user namespaces "
            "(kernel.apparmor_restrict_unprivileged_userns): give bwrap a profile that allows it."
        )
    return "In a container, the seccomp profile must allow what bubblewrap needs: see docs/sandbox.md."


def total_memory_mib() -> int:
    """The memory of the host, or of the container if that is less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in _CGROUP_LIMITS:
        text = _read(path)
        if re.fullmatch(r"\d+", text):
            total = min(total, int(text))
    return total // MIB


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
