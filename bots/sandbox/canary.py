"""Bots of our own, one a runtime, that try what a hostile one would, in the real sandbox, before any match is played.

A worker runs them at its start. They must be denied everything on their lists. A single thing that one was not
denied, or that could not be tried, and no bot runs on that worker.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import select
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bots.sandbox import canary_node, canary_program
from bots.sandbox.faults import BotFault, SandboxError
from bots.sandbox.host import host_problems, namespace_hint
from bots.sandbox.launcher import Launcher, runtime_problem
from bots.sandbox.limits import MIB, Limits
from bots.sandbox.process import BotProcess
from bots.sandbox.runtimes import EXECUTABLE, KIT_DIR, NODE, PYTHON, RUNTIMES, THREADS, Program

CANARY_LIMITS: Final = Limits(start_ms=10_000, memory_mib=256)

_STOP_S = 60.0
_RUNS = 2


@dataclass(frozen=True, slots=True)
class CanaryReport:
    """What canaries found. `denials`: each thing tried and how it was denied; `problems`: one sentence each; `lacks`:
    by runtime that cannot be had here, why, which is no problem for others."""

    denials: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    lacks: dict[str, str] = field(default_factory=dict)
    is_conclusive: bool = True

    @property
    def ok(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class Canary:
    """A program of a runtime that tries things, how its answer is read, and what must come of each thing."""

    program: Program
    read: Callable[[bytes], dict[str, Any]]
    expected: Mapping[str, Any]


class _Inconclusive(Exception):
    """The canary was not heard to the end, so nothing is known of what it was denied."""

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems


def run_canaries(launcher: Launcher) -> CanaryReport:
    """Starts the canary of each runtime and judges what they saw. Never raises for a sandbox that does not work.

    Python must be there. Another runtime that is not there, or whose canary comes to no end, is one that this host
    lacks; but whatever any canary was not denied is a problem for all.
    """
    report = run_canary(launcher)
    if not report.ok:
        return report
    for runtime in (EXECUTABLE, NODE):
        if why := runtime_problem(runtime):
            report.lacks[runtime] = why
            continue
        other = run_canary(launcher, CANARIES[runtime])
        report.denials.update({f"{runtime}: {name}": value for name, value in other.denials.items()})
        if other.is_conclusive:
            report.problems.extend(other.problems)
        elif other.problems:
            report.lacks[runtime] = " ".join(other.problems)
    return report


def run_canary(launcher: Launcher, canary: Canary | None = None) -> CanaryReport:
    """Starts one canary, Python's by default, and judges what it saw.

    A run that comes to no end says nothing, as when a busy host kills the canary: it is repeated, once. Whatever
    a canary was not denied counts at once.
    """
    if problems := host_problems():
        return CanaryReport(problems=problems)
    canary = canary or CANARIES[PYTHON]
    for runs_left in reversed(range(_RUNS)):
        try:
            return _judge(_seen_by(canary, launcher), canary)
        except _Inconclusive as inconclusive:
            if not runs_left:
                return CanaryReport(problems=list(inconclusive.problems), is_conclusive=False)
    raise AssertionError("the last run returns")


def _seen_by(canary: Canary, launcher: Launcher) -> dict[str, Any]:
    try:
        with contextlib.ExitStack() as stack:
            process = stack.enter_context(launcher.start(canary.program, CANARY_LIMITS))
            answer = process.ask(
                b"", cpu_ms=CANARY_LIMITS.start_ms, wall_ms=CANARY_LIMITS.start_wall_ms, keep_running=True
            )
            seen = canary.read(answer.line)
            descriptor = os.pidfd_open(process.pid)
            stack.callback(os.close, descriptor)
            seen |= _seen_from_outside(process)
            process.kill()
            # The sandbox's own word for it, and the kernel's about the very process.
            seen["gone"] = not process.alive and bool(select.select([descriptor], [], [], 0)[0])
    except SandboxError as error:
        raise _Inconclusive(f"The sandbox does not start: {error}", namespace_hint()) from error
    except BotFault as fault:
        raise _Inconclusive(f"The canary did not finish: {fault.sentence}") from fault
    except ProcessLookupError as error:
        raise _Inconclusive("The canary ended while it was looked at.") from error
    except ValueError as error:
        raise _Inconclusive("The canary's answer makes no sense.") from error
    return seen


def _judge(seen: dict[str, Any], canary: Canary) -> CanaryReport:
    report = CanaryReport()
    for name, expected in canary.expected.items():
        if name not in seen:
            continue
        value = seen[name]
        if expected(value) if callable(expected) else value == expected:
            report.denials[name] = _in_words(value)
        else:
            wanted = "" if callable(expected) else f", not {_in_words(expected)}"
            report.problems.append(f"The sandbox leaks: “{name}” gave {_in_words(value)}{wanted}.")
    if untried := [name for name in canary.expected if name not in seen]:
        report.problems.append(f"The canary could not try everything: {', '.join(untried)}.")
    return report


def _in_words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _seen_from_outside(process: BotProcess) -> dict[str, Any]:
    """What the kernel says about the canary's process, which the canary cannot see itself.

    Raises ProcessLookupError if it has ended.
    """
    status = _status(process.pid)
    process.pause()
    deadline = time.monotonic() + _STOP_S
    # All its threads have to be scheduled once more before it is seen to have stopped.
    while (state := _status(process.pid)["State"][:1]) != "T" and time.monotonic() < deadline:
        time.sleep(0.001)
    process.resume()
    return {
        "kernel uids": status["Uid"].split(),
        "capabilities": [status.get(name) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")],
        "no new privileges": status.get("NoNewPrivs"),
        "system-call filter": status.get("Seccomp"),
        "CPU clock": process.cpu_ns(),
        "stop": state,
        "limits": _limits(process.pid),
    }


def _limits(pid: int) -> list[str]:
    """The limits of address space, private writable memory and threads, as the kernel has them for the process."""
    try:
        with open(f"/proc/{pid}/limits") as file:
            found = dict(re.findall(r"^Max (.+?) {2,}(\w+)", file.read(), re.MULTILINE))
    except FileNotFoundError:
        raise ProcessLookupError(pid) from None
    return [found["address space"], found["data size"], found["processes"]]


def _status(pid: int) -> dict[str, str]:
    try:
        with open(f"/proc/{pid}/status") as file:
            status = dict(re.findall(r"^(\w+):\s*(.*)$", file.read(), re.MULTILINE))
    except FileNotFoundError:
        raise ProcessLookupError(pid) from None
    if status["State"].startswith(("Z", "X")):
        raise ProcessLookupError(pid)
    return status


def _denied(number: int) -> str:
    return errno.errorcode[number]


_EPERM, _EACCES, _ENOENT, _EROFS, _ENOSYS = map(
    _denied, (errno.EPERM, errno.EACCES, errno.ENOENT, errno.EROFS, errno.ENOSYS)
)
_MEMORY_MIB = CANARY_LIMITS.memory_mib


def _from_outside(runtime: str) -> dict[str, Any]:
    """What the kernel must say about any canary's process."""
    reserve_mib = RUNTIMES[runtime].reserve_mib
    return {
        "kernel uids": lambda value: len(value) == 4 and "0" not in value,
        "capabilities": ["0000000000000000"] * 4,
        "no new privileges": "1",
        "system-call filter": "2",
        "CPU clock": lambda value: isinstance(value, int) and value > 0,
        "stop": "T",
        "limits": [
            str((_MEMORY_MIB + reserve_mib) * MIB),
            str(_MEMORY_MIB * MIB) if reserve_mib else "unlimited",
            str(THREADS),
        ],
        "gone": lambda value: value is True,
    }


_EXPECTED: Final[dict[str, Any]] = {
    "fork": _EPERM,
    "posix_spawn": _EPERM,
    "socket inet": _EACCES,
    "socket unix": _EACCES,
    "socket netlink": _EACCES,
    "read /etc/passwd": _ENOENT,
    "read /proc/self/status": _ENOENT,
    "read /proc/1/environ": _ENOENT,
    "read /sys/kernel": _ENOENT,
    "read /root": _ENOENT,
    "read /home": _ENOENT,
    "write /bot": _EROFS,
    "write /kit": _EROFS,
    "write /tmp": _EROFS,
    "write /dev": _EROFS,
    "write /": _EROFS,
    "write /usr/lib": _EROFS,
    "root folder": ["bot", "dev", "kit", "lib", "lib64", "tmp", "usr"],
    "devices": ["null"],
    "uid": [65534, 65534, 65534],
    "gid": [65534, 65534, 65534],
    "pid": 1,
    "descriptors": [0, 1, 2],
    "environment": {**RUNTIMES[PYTHON].environment_with(KIT_DIR), "PWD": "/bot"},
    "packages of the host": [],
    "kit": "importable",
    "threads": lambda value: isinstance(value, int) and 4 <= value < THREADS,
    "memory": lambda value: isinstance(value, int) and _MEMORY_MIB // 4 <= value < _MEMORY_MIB,
    "raise a limit": _EPERM,
    "set the CPU limit": _EPERM,
    **dict.fromkeys(
        [
            "ptrace", "process_vm_readv", "unshare", "setns", "mount", "pivot_root", "chroot", "bpf", "keyctl",
            "userfaultfd", "perf_event_open", "memfd_create", "shmget", "inotify_init1", "personality", "seccomp",
            "clone with namespaces", "pidfd_getfd", "sched_setaffinity", "setuid", "chown", "flock", "splice",
            "shared futex", "fadvise64", "readahead", "preadv2", "sysinfo", "sendmsg", "continue itself",
            "timer_create", "setsockopt",
        ],
        _EPERM,
    ),
    "io_uring_setup": _ENOSYS,
    "clone3": _ENOSYS,
    **_from_outside(PYTHON),
}  # fmt: skip

_CANARY: Final = b'''
import ctypes, errno, importlib.util, json, os, resource, socket, sys, threading

seen = {}
if os.path.exists("/proc") or os.getuid() != 65534:
    # Not in a sandbox at all: try nothing that could succeed.
    print(json.dumps({"uid": os.getresuid()}), flush=True)
    sys.stdin.read()
    sys.exit()

def attempt(name, action):
    """Notes the error's name, or that there was none."""
    try:
        action()
        seen[name] = "no error"
    except OSError as error:
        seen[name] = errno.errorcode.get(error.errno, str(error.errno))
    except Exception as error:
        seen[name] = type(error).__name__

def fork():
    if os.fork() == 0:
        os._exit(0)

attempt("fork", fork)
attempt("posix_spawn", lambda: os.posix_spawn(sys.executable, [sys.executable], {}))
attempt("socket inet", lambda: socket.socket(socket.AF_INET))
attempt("socket unix", lambda: socket.socket(socket.AF_UNIX))
attempt("socket netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
for path in ("/etc/passwd", "/proc/self/status", "/proc/1/environ", "/sys/kernel", "/root", "/home"):
    attempt(f"read {path}", lambda: os.open(path, os.O_RDONLY))
for folder in ("/bot", "/kit", "/tmp", "/dev", "/", "/usr/lib"):
    attempt(f"write {folder}", lambda: os.mkdir(f"{folder}/canary"))

seen["root folder"] = sorted(os.listdir("/"))
seen["devices"] = sorted(os.listdir("/dev"))
seen["uid"] = os.getresuid()
seen["gid"] = os.getresgid()
seen["pid"] = os.getpid()
seen["environment"] = dict(os.environ)
folders = [path for path in sys.path if "packages" in path] + ["/usr/lib/python3/dist-packages"]
seen["packages of the host"] = [path for path in folders if os.path.isdir(path) and os.listdir(path)]
seen["kit"] = "importable" if importlib.util.find_spec("skyjo") else "missing"

descriptors = []
for number in range(64):
    try:
        os.fstat(number)
        descriptors.append(number)
    except OSError:
        pass
seen["descriptors"] = descriptors

call = ctypes.CDLL(None, use_errno=True).syscall
def system(name, number, *arguments):
    ctypes.set_errno(0)
    result = call(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    if number == 56 and result == 0:
        os._exit(0)
    seen[name] = errno.errorcode.get(ctypes.get_errno(), "?") if result == -1 else "no error"

# Where nothing denies it, this asks for a process that is not there; tracing itself would stop the canary.
system("ptrace", 101, 16, 999999, 0, 0)
system("process_vm_readv", 310, 1, 0, 0, 0, 0, 0)
system("unshare", 272, 0x10000000)
system("setns", 308, 0, 0)
system("mount", 165, 0, 0, 0, 0, 0)
system("pivot_root", 155, 0, 0)
system("chroot", 161, 0)
system("bpf", 321, 0, 0, 0)
system("keyctl", 250, 0, 0, 0, 0, 0)
system("userfaultfd", 323, 0)
system("perf_event_open", 298, 0, 0, -1, -1, 0)
system("memfd_create", 319, 0, 0)
system("shmget", 29, 0, 4096, 0o1600)
system("inotify_init1", 294, 0)
system("personality", 135, 0xffffffff)
system("seccomp", 317, 0, 0, 0)
system("clone with namespaces", 56, 0x10000000 | 17, 0, 0, 0, 0)
system("pidfd_getfd", 438, 0, 0, 0)
system("sched_setaffinity", 203, 0, 0, 0)
system("setuid", 105, 0)
system("chown", 92, 0, 0, 0)
system("flock", 73, 0, 1)
system("splice", 275, 0, 0, 0, 0, 0, 0)
word = ctypes.c_int()
system("shared futex", 202, ctypes.addressof(word), 1, 1, 0, 0, 0)
system("fadvise64", 221, -1, 0, 0, 4)
system("readahead", 187, -1, 0, 0)
system("preadv2", 327, -1, 0, 0, 0, 0, 8)
system("sysinfo", 99, 0)
system("sendmsg", 46, -1, 0, 0)
system("continue itself", 62, 1, 18)
system("timer_create", 222, 1, 0, 0)
system("setsockopt", 54, -1, 1, 7, 0, 0)
system("io_uring_setup", 425, 1, 0)
system("clone3", 435, 0, 0)

def set_limit(which, soft, hard):
    try:
        resource.setrlimit(which, (soft, hard))
    except ValueError:  # the resource module's word for EPERM
        raise PermissionError(errno.EPERM, "not allowed")
attempt("raise a limit", lambda: set_limit(resource.RLIMIT_NPROC, 1000, 1000))
attempt("set the CPU limit", lambda: set_limit(resource.RLIMIT_CPU, 1, 1))

gate, count = threading.Event(), 0
try:
    while count < 64:
        threading.Thread(target=gate.wait, daemon=True).start()
        count += 1
except RuntimeError:
    pass
gate.set()
seen["threads"] = count

blocks = []
try:
    while len(blocks) < 512:  # twice the limit
        blocks.append(bytearray(1 << 20))
    seen["memory"] = "no limit"
except MemoryError:
    count = len(blocks)
    del blocks
    seen["memory"] = count

print(json.dumps(seen), flush=True)
sys.stdin.read()
'''

CANARIES: Final[Mapping[str, Canary]] = {
    PYTHON: Canary(Program(PYTHON, {"main.py": _CANARY}, "main.py"), json.loads, _EXPECTED),
    NODE: Canary(
        Program(NODE, {"main.js": canary_node.SOURCE}, "main.js"),
        json.loads,
        {**canary_node.EXPECTED, **_from_outside(NODE)},
    ),
    EXECUTABLE: Canary(
        canary_program.program(CANARY_LIMITS),
        lambda line: canary_program.seen(line, CANARY_LIMITS),
        {name: result for name, (_, result) in canary_program.expected(CANARY_LIMITS).items()}
        | _from_outside(EXECUTABLE),
    ),
}
