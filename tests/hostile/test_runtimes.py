"""The same attacks by programs of the other runtimes: compiled C as `executable`, JavaScript as `node`."""

from __future__ import annotations

import pytest

from bots.sandbox.limits import Limits
from tests.hostile.duels import HASTY, ROOMY, SLEEPLESS, Duels
from tests.hostile.test_refusals import EACCES, EINVAL, ENOENT, ENOSYS, ENOTTY, EPERM, EROFS, all_of

BY_SIGSYS = "was ended by SIGSYS: it called the system in a way that the sandbox forbids"
NO_ROOM = "The bot ran out of memory: it may use 128 MiB of memory."
TIGHT = Limits(decision_ms=10_000, bank_ms=60_000, memory_mib=128)

REFUSALS = {
    "c/processes": {
        **all_of(
            [
                "fork", "vfork", "clone", "clone that shares memory", "clone of a new user", "clone with high flags",
                "thread of a new user", "posix_spawn", "execveat", "exec of memory",
            ],
            EPERM,
        ),
        "clone3": ENOSYS,
        "exec of what is not there": ENOENT,
    },
    "c/signals": {
        "kill itself": "done",
        "stop itself": "done",
        "kill all": "ESRCH",
        "kill the group": "done",
        **all_of(["continue by kill", "continue by tgkill", "continue by queue", "continue by timer"], EPERM),
    },
    "c/another_program": {"memory": 512 << 20, "threads": 16, "pid": 1, "fork": EPERM},
    "javascript/processes": all_of(
        [
            "spawnSync", "execSync", "execFileSync", "setuid", "setgroups", "spawn", "detached", "fork", "cluster",
        ],
        EPERM,
    ),
    "javascript/network": {
        **all_of(
            [
                "connect", "connect by IPv6", "connect to a path", "connect to an abstract name", "listen",
                "listen at a path", "datagrams", "request",
            ],
            EACCES,
        ),
        "names": "getaddrinfo",
    },
    "javascript/signals": {
        **all_of(["kill itself", "stop itself", "kill the one above"], "done"),
        "kill all": "ESRCH",
        "continue itself": EPERM,
    },
    "javascript/own_machine": {
        **all_of(["eval", "context", "WebAssembly"], 42),
        "native code": "ERR_DLOPEN_FAILED",
        "a larger heap": "done",
        "deep": "RangeError",
    },
}  # fmt: skip

FAULTS = {
    "c/memory_bomb": ("memory", NO_ROOM),
    "c/hidden_memory": ("memory", "MiB of memory; it may use 128 MiB."),
    "c/headless_memory": ("memory", "MiB of memory; it may use 128 MiB."),
    "c/old_calls": ("crash", BY_SIGSYS),
    "c/x32_calls": ("crash", BY_SIGSYS),
    "c/looks_killed": ("crash", BY_SIGSYS),
    "c/core_dump": ("crash", "signal 11 (SIGSEGV)"),
    "c/illegal_instruction": ("crash", "signal 4 (SIGILL)"),
    "c/half_a_line": ("crash", "exited with status 0."),
    "c/stdout_flood": ("protocol", "A line has more than 65536 bytes."),
    "c/stderr_flood": ("output", "more than 1048576 bytes to standard error in one game."),
    "javascript/memory_bomb": ("memory", NO_ROOM),
    "javascript/buffers": ("memory", NO_ROOM),
    "javascript/wasm_memory": ("memory", NO_ROOM),
    "javascript/looks_killed": ("crash", BY_SIGSYS),
    "javascript/throws": ("crash", "exited with status 1."),
    "javascript/stdout_flood": ("protocol", "A line has more than 65536 bytes."),
    "javascript/stderr_flood": ("output", "more than 1048576 bytes to standard error in one game."),
    "javascript/two_answers": ("protocol", "The bot wrote a line that nobody asked for."),
}


@pytest.fixture
def told(duels: Duels, undisturbed):
    """Plays a program whose attack does not disturb it: what it told in each game, all of which are plain ones."""

    def told(name):
        sides = duels.play(name)
        assert [side.fault for side in sides] == [None, None]
        for side in sides:
            assert side.game.core.decisions == undisturbed[side.game.deal, side.game.seating]
        return [side.told for side in sides]

    return told


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_refused_changes_nothing(told, name):
    assert told(name) == [REFUSALS[name]] * 2


def test_calls_behind_which_the_kernel_had_holes(told):
    for found in told("c/kernel_calls"):
        unknown = (
            "io_uring_setup", "io_uring_enter", "io_uring_register", "a call of no number", "a call of the future",
        )  # fmt: skip
        assert len(found) > 50
        assert found == all_of(found, EPERM) | all_of(unknown, ENOSYS)


def test_calls_that_no_filter_sees_end_their_caller_or_nothing(duels: Duels, undisturbed):
    """The first of them is not there before Linux 6.13."""
    for side in duels.play("c/uprobe_calls"):
        if side.fault is not None:
            assert (side.fault.kind, side.fault.signal) == ("crash", "SIGILL")
        assert side.game.core.decisions == undisturbed[0, side.game.seating]


def test_files_and_sockets_of_the_host_for_a_program(told):
    for found in told("c/host"):
        assert (found.pop("open"), found.pop("uid"), found.pop("pid")) == (3, 65534, 1)
        assert found.pop("set") == 4
        assert found.pop("open itself to write") == EACCES
        assert (found.pop("a larger pipe"), found.pop("typing")) == (EINVAL, ENOTTY)
        for name, outcome in found.items():
            assert outcome == {"read": ENOENT, "write": EROFS, "socket": EACCES}[name.split()[0]], name


def test_files_of_the_host_for_javascript(told):
    for found in told("javascript/host"):
        assert set(found["read"].values()) == {ENOENT}
        assert set(found["written"].values()) == {EROFS}
        others = found["others"]
        assert (others.pop("owner"), others.pop("watch")) == (EPERM, EPERM)
        assert others.pop("heap snapshot") in {EROFS, "ERR_SYSTEM_ERROR"}
        assert others == {
            "temporary folder": EROFS,
            "own source": EACCES,
            **all_of(["link", "another name"], EPERM),
        }
        assert found["root"] == ["bot", "dev", "lib", "lib64", "tmp", "usr"]
        assert found["programs"] == ["node", "prlimit"]
        assert found["set"] == ["HOME", "LANG", "MALLOC_ARENA_MAX", "PATH", "PWD"]
        assert (found["pid"], found["uid"]) == (1, 65534)


def test_limits_of_a_program(told):
    for found in told("c/limits"):
        assert 400 < found.pop("private") < 512
        assert 4 <= found.pop("threads") < 16
        assert (found.pop("huge pages"), found.pop("memory that merges")) == ("ENOMEM", EINVAL)
        assert found.pop("locked memory") in {EPERM, "EAGAIN"}
        assert found == all_of(found, EPERM)


@pytest.mark.parametrize("name", FAULTS)
def test_the_record_says_what_was_done(duels: Duels, undisturbed, name):
    kind, words = FAULTS[name]
    for side in duels.play(name, limits=TIGHT if kind == "memory" else ROOMY):
        fault = side.fault
        assert (fault.kind, fault.phase, fault.decision) == (kind, "reveal", side.seat)
        assert words in fault.sentence
        assert side.game.core.decisions == undisturbed[0, side.game.seating]
        assert 0 < fault.memory_mib < 512


@pytest.mark.parametrize(
    "name", ["c/busy_loop", "javascript/busy_loop", "javascript/busy_wasm", "javascript/busy_promises"]
)
def test_computing_for_ever_is_a_timeout_by_cpu_time(duels: Duels, undisturbed, name):
    for side in duels.play(name, limits=HASTY):
        assert (side.fault.kind, side.fault.sentence) == (
            "timeout",
            "The decision took more than 100 ms of CPU time.",
        )
        assert side.game.core.decisions == undisturbed[0, side.game.seating]


@pytest.mark.parametrize("name", ["c/sleeper", "javascript/sleeper"])
def test_waiting_for_ever_is_a_timeout_by_the_wall_clock(duels: Duels, undisturbed, name):
    for side in duels.play(name, limits=SLEEPLESS):
        assert side.fault.kind == "timeout"
        assert side.fault.sentence.startswith("No answer came within 0.5 s by the wall clock (")
        assert side.game.core.decisions == undisturbed[0, side.game.seating]


def test_workers_without_end_cost_the_bot_alone(duels: Duels, undisturbed):
    """They compute, and are charged; a version of Node that has no room for one more ends."""
    for side in duels.play("javascript/workers"):
        assert side.fault.kind in {"timeout", "memory"}
        assert side.game.core.decisions == undisturbed[0, side.game.seating]


def test_thinking_on_the_opponents_turn_is_charged(duels: Duels):
    for side in duels.play("javascript/thinker"):
        assert side.fault is None
        assert 0 < side.told["thought_ms"] <= sum(side.game.times_ns[side.seat]) / 1e6


def test_a_program_that_is_too_large_to_start_has_a_start_fault(duels: Duels):
    for side in duels.play("c/huge_program", limits=Limits(memory_mib=128)):
        assert (side.fault.kind, side.fault.phase) == ("start", "start")
        assert "SIGSEGV" in side.fault.sentence
