"""Attacks that come to nothing: the program is refused what it tries, plays on, and the record shows a plain game."""

from __future__ import annotations

import pytest

from bots.sandbox.runtimes import KIT_DIR, RUNTIMES
from tests.hostile.duels import ROOMY, Duels

EPERM, EACCES, EROFS, ENOENT, EINVAL, EBADF, ENOSYS, ENOTTY, ESRCH = (
    "EPERM", "EACCES", "EROFS", "ENOENT", "EINVAL", "EBADF", "ENOSYS", "ENOTTY", "ESRCH",
)  # fmt: skip
NAMESPACES = ("time", "mount", "cgroup", "uts", "ipc", "user", "pid", "net")
FAMILIES = ("unix", "inet", "inet6", "netlink", "packet", "bluetooth", "alg", "vsock", "xdp")


def all_of(names, error):
    return dict.fromkeys(names, error)


REFUSALS = {
    "fork_bomb": {
        "forks that went through": 0,
        **all_of(
            [
                "fork", "daemon", "vfork", "clone", "clone as vfork", "clone as a brother", "posix_spawn", "subprocess",
                "multiprocessing",
            ],
            EPERM,
        ),
        "clone3": ENOSYS,
    },
    "files": {
        "written": {
            **all_of(["/", "/bot", "/kit", "/tmp", "/dev", "/usr", "/usr/bin", "/usr/lib"], EROFS),
            **all_of(["/dev/shm", "/etc", "/run", "/var/tmp"], ENOENT),
        },
        "empty files": 0,
        **all_of(["own source", "interpreter", "sparse file", "truncate by name"], EACCES),
        **all_of(["unlink", "rename", "mkdir", "chmod"], EROFS),
        **all_of(["symlink", "hard link"], EPERM),
        "fallocate": "ENODEV",
        "truncate /dev/null": EINVAL,
    },
    "environment": {
        "environment": {**RUNTIMES["python"].environment_with(KIT_DIR), "PWD": "/bot"},
        "arguments": RUNTIMES["python"].argv("main.py", "/bot", ROOMY),
        "descriptors": [0, 1, 2],
        "ids": [65534],
    },
    "network": {
        "families": {name: [EACCES] for name in FAMILIES},
        "pairs": all_of(FAMILIES[1:], EACCES),
        **all_of(["loopback", "abstract", "path"], EACCES),
        "name": "gaierror",
        "packet filter": EPERM,
    },
    "spy": {
        **all_of(
            [
                "trace me", "attach", "seize", "read memory", "write memory", "pidfd_open", "pidfd_getfd", "kcmp",
                "process_madvise",
            ],
            EPERM,
        ),
        "limits of another": ESRCH,
        "another's clock": EINVAL,
        "parent": 0,
        "others": [],
    },
    "namespaces": {
        "unshare": all_of(NAMESPACES, EPERM),
        "clone": all_of(NAMESPACES, EPERM),
        "as a thread": all_of(NAMESPACES[1:], EPERM),
        **all_of(["high bits", "setns"], EPERM),
        "clone3": ENOSYS,
    },
    "signals": {
        **all_of(["everything", "the parent", "stop the parent", "the parent's group"], ESRCH),
        "still": "alive",
    },
    "locks": {
        "flock": EPERM,
        **all_of(
            [
                "lockf", "is locked", "open file lock", "lease", "who has a lease", "watch", "signal", "owner", "seal",
                "hint",
            ],
            EINVAL,
        ),
    },
    "own_input": {
        **all_of(["write to input", "read output", "read errors"], EBADF),
        **all_of(["reopen input", "reopen output"], ENOENT),
        **all_of(["splice into output", "tee"], EPERM),
        "input has room": 0,
        "seek": "ESPIPE",
        **all_of(["enlarge output", "steal output's signals"], EINVAL),
    },
    "another_program": {"fork": EPERM, "memory": 512 << 20, "threads": 16, "pid": 1},
}  # fmt: skip


@pytest.fixture
def told(duels: Duels, undisturbed):
    """Plays a program whose attack does not disturb it: what it told in each game, all of which are plain ones."""

    def told(name):
        sides = duels.play(name)
        assert [side.fault for side in sides] == [None, None]
        assert {
            (side.game.deal, side.game.seating): side.game.core.decisions for side in sides
        }.items() <= undisturbed.items()
        return [side.told for side in sides]

    return told


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_refused_changes_nothing(told, name):
    assert told(name) == [REFUSALS[name]] * 2


@pytest.mark.parametrize(
    ("name", "exceptions"),
    [
        ("privileges", {"set-user-id": EROFS}),
        ("clocks", {}),
    ],
)
def test_rights_that_a_bot_has_not(told, name, exceptions):
    for found in told(name):
        assert found == all_of(found, EPERM) | exceptions


def test_calls_behind_which_the_kernel_had_holes(told):
    for found in told("kernel_calls"):
        calls = found["calls"]
        assert calls.pop("socket") == EACCES
        unknown = ("io_uring_setup", "io_uring_enter", "io_uring_register", "cachestat", "unknown")
        assert calls == all_of(calls, EPERM) | all_of(unknown, ENOSYS)


def test_terminals_and_devices(told):
    for found in told("terminals"):
        assert set(found["requests"].values()) == {ENOTTY}
        assert set(found["devices"].values()) == {ENOENT}
        assert found["there"] == ["null"]


def test_files_of_the_host(told):
    for found in told("host_files"):
        assert set(found["read"].values()) == {ENOENT}
        assert found["core_pattern"] == ENOENT
        assert found["root"] == found["up"] == ["bot", "dev", "kit", "lib", "lib64", "tmp", "usr"]
        assert found["programs"] == ["prlimit", "python3"]
        assert found["bot"] == ["attacker.py", "main.py"]


def test_limits_that_are_raised(told):
    for found in told("raised_limits"):
        assert set(found["raised"].values()) == {0}


def test_threads_without_end(told):
    for found in told("thread_bomb"):
        assert 4 <= found["threads"] < 16


def test_memory_without_end_that_is_kept(told):
    for found in told("memory_hoard"):
        mapped = found.pop("shared") + found.pop("private")
        assert 300 < mapped < 512
        assert found.pop("huge pages") in {"ENOMEM", EPERM, EINVAL}
        assert found == all_of(["memfd", "memfd_secret", "shmget", "mlock"], EPERM)


def test_the_kernels_memory_by_way_of_pipes_and_sockets(told):
    for found in told("pipes"):
        assert found["enlarged pipe"] == EINVAL
        assert found["enlarged socket"] == found["forced"] == EPERM
        assert 0 < found["pairs"] < 16
        assert found["MiB"] < 16


def test_descriptors_and_signals_without_end(told):
    for found in told("exhausted_descriptors"):
        assert 0 < found["pipes"] < 16
        assert found["files"] + found["watches"] <= 2
        assert found["a high number"] == EBADF
        assert found["signals"] == found["timers"] == 0


@pytest.mark.parametrize("name", ["packets", "headless", "thinks_at_exit"])
def test_oddities_that_change_nothing(duels: Duels, undisturbed, name):
    for side in duels.play(name):
        assert side.fault is None
        assert side.game.core.decisions == undisturbed[side.game.deal, side.game.seating]
