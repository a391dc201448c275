"""The filter read as the kernel reads it: a small interpreter of its instructions, and every number put to it."""

from __future__ import annotations

import errno
import struct

import pytest

from bots.sandbox import seccomp

X86_64 = 0xC000003E
KILL = "kill"
ALLOW = "allow"
CODE = seccomp.assemble()
PROGRAM = [struct.unpack_from("=HBBI", CODE, at) for at in range(0, len(CODE), 8)]


def verdict(number: int, *arguments: int, arch: int = X86_64) -> str:
    data = struct.pack("=IIQ6Q", number, arch, 0, *arguments, *[0] * (6 - len(arguments)))
    accumulator = at = 0
    while True:
        code, if_true, if_false, operand = PROGRAM[at]
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("=I", data, operand)[0]
        elif code == 0x54:
            accumulator &= operand
        elif code in {0x15, 0x35, 0x45}:
            true = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[code]
            at += if_true if true else if_false
        else:
            assert code == 0x06
            if operand == 0x80000000:
                return KILL
            return ALLOW if operand == 0x7FFF0000 else errno.errorcode[operand & 0xFFFF]


def test_every_number_has_its_verdict():
    special = {
        16: "ENOTTY", 28: ALLOW, 53: "EACCES", 55: "EPERM", 56: "EPERM", 60: ALLOW, 62: ALLOW, 72: ALLOW, 157: "EPERM",
        231: ALLOW, 302: ALLOW,
        200: ALLOW, 202: ALLOW, 234: ALLOW, 41: "EACCES", 425: "ENOSYS", 426: "ENOSYS", 427: "ENOSYS", 435: "ENOSYS",
    }  # fmt: skip
    allowed = set(seccomp.ALLOWED.values())
    for number in range(600):
        if number in special:
            expected = special[number]
        elif number in allowed:
            expected = ALLOW
        else:
            expected = "ENOSYS" if 335 <= number < 424 or number > 450 else "EPERM"
        assert verdict(number) == expected, number


@pytest.mark.parametrize("number", [0, 1, 59, 101])
def test_other_architectures_and_x32_are_killed(number: int):
    assert verdict(number, arch=0x40000003) == KILL
    assert verdict(number | 0x40000000) == KILL
    assert verdict(number | 0x80000000) == KILL


def test_clone_makes_threads_and_nothing_else():
    thread = 0x3D0F00
    assert verdict(56, thread) == ALLOW
    assert verdict(56, 0x11) == "EPERM"
    for namespace in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(56, thread | namespace) == "EPERM"
    assert verdict(56, thread | 1 << 40) == "EPERM"


def test_requests_outside_the_lists_answer_an_error():
    assert [verdict(16, 0, request) for request in seccomp.IOCTLS.values()] == [ALLOW] * len(seccomp.IOCTLS)
    assert verdict(16, 0, 0x5412) == "ENOTTY"
    assert [verdict(72, 0, request) for request in seccomp.FCNTLS.values()] == [ALLOW] * len(seccomp.FCNTLS)
    assert verdict(72, 0, 1031) == "EINVAL"
    assert [verdict(157, request) for request in seccomp.PRCTLS.values()] == [ALLOW] * len(seccomp.PRCTLS)
    assert verdict(157, 1) == "EPERM"


def test_memory_is_neither_merged_with_others_nor_pushed_out():
    merge, cold, page_out, poison = 12, 20, 21, 100
    for advice in (merge, cold, page_out, poison):
        assert verdict(28, 0, 4096, advice) == "EINVAL"
    assert {verdict(28, 0, 4096, advice) for advice in seccomp.ADVICE.values()} == {ALLOW}


def test_only_socket_pairs_of_the_unix_family():
    assert verdict(53, 1) == ALLOW
    assert verdict(53, 30) == "EACCES"


def test_only_a_process_s_own_futexes_wake_anybody():
    private, realtime = 128, 256
    for command in range(14):
        assert verdict(202, 0, command | private) == ALLOW
        assert verdict(202, 0, command | private | realtime) == ALLOW
        shared = ALLOW if command in {0, 9} else "EPERM"
        assert verdict(202, 0, command) == shared
        assert verdict(202, 0, command | realtime) == shared


def test_nothing_a_bot_does_looks_like_a_kill_from_outside():
    for exit_call in (60, 231):
        assert verdict(exit_call, 137) == KILL
        assert verdict(exit_call, 137 + 256) == KILL
        assert verdict(exit_call, 136) == ALLOW
    cpu, nofile = 0, 7
    assert verdict(302, 0, cpu, 0x7FFE_0000_1000) == "EPERM"
    assert verdict(302, 0, cpu, 1 << 40) == "EPERM"
    assert verdict(302, 0, cpu, 0) == ALLOW
    assert verdict(302, 0, nofile, 0x7FFE_0000_1000) == ALLOW


def test_no_bot_continues_what_has_been_stopped():
    sigcont = 18
    for call, before in ((62, (1,)), (200, (1,)), (234, (1, 1))):
        assert verdict(call, *before, sigcont) == "EPERM"
        assert verdict(call, *before, sigcont | 1 << 40) == "EPERM"
        assert verdict(call, *before, 15) == ALLOW
    assert verdict(222, 1, 0, 0) == "EPERM"


def test_of_a_pair_of_sockets_little_may_be_asked_and_nothing_set():
    options = seccomp.SOCKET_OPTIONS.values()
    assert [verdict(55, 3, 1, option) for option in options] == [ALLOW] * len(options)
    cookie, send_buffer = 57, 7
    assert verdict(55, 3, 1, cookie) == "EPERM"
    assert verdict(54, 3, 1, send_buffer) == "EPERM"
