"""The container's seccomp profile, loaded as an engine does it, lets the sandbox and a service work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import bots.sandbox

PACKAGE = Path(bots.sandbox.__file__).parent
PROFILE = PACKAGE / "container-seccomp.json"

DRIVER = """
import ctypes, errno, json, os, socket, sqlite3, subprocess, sys, threading

library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
library.seccomp_init.restype = ctypes.c_void_p
ALLOW, ERRNO = 0x7FFF0000, 0x00050000

class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]

profile = json.load(open("bots/sandbox/container-seccomp.json"))
context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(ERRNO | profile["defaultErrnoRet"])))
unknown = []
for rule in profile["syscalls"]:
    action = ALLOW if rule["action"] == "SCMP_ACT_ALLOW" else ERRNO | rule["errnoRet"]
    conditions = [Comparison(item["index"], 4, item["value"], 0) for item in rule.get("args", [])]
    assert all(item["op"] == "SCMP_CMP_EQ" for item in rule.get("args", []))
    for name in rule["names"]:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            unknown.append(name)  # younger than this libseccomp
            continue
        array = (Comparison * len(conditions))(*conditions)
        assert library.seccomp_rule_add_array(context, ctypes.c_uint32(action), number, len(conditions), array) == 0
assert library.seccomp_load(context) == 0, "the profile does not load"

def call(number, *arguments):
    result = library_c.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    return errno.errorcode[ctypes.get_errno()] if result < 0 else "no error"

library_c = ctypes.CDLL(None, use_errno=True)
denied = {
    "ptrace": call(101, 0, 0, 0, 0), "setns": call(308, 0, 0), "bpf": call(321, 0, 0, 0), "chroot": call(161, 0),
    "keyctl": call(250, 0, 0), "io_uring_setup": call(425, 1, 0), "clone3": call(435, 0, 0),
    "socket vsock": call(41, 40, 1, 0), "socket packet": call(41, 17, 3, 0),
    "perf_event_open": call(298, 0, 0, 0, 0, 0), "kexec_load": call(246, 0, 0, 0, 0),
    "init_module": call(175, 0, 0, 0), "settimeofday": call(164, 0, 0),
}

server = socket.create_server(("127.0.0.1", 0))
thread = threading.Thread(target=lambda: server.accept()[0].sendall(b"served"))
thread.start()
received = socket.create_connection(server.getsockname()).recv(100).decode()
thread.join()
base = sqlite3.connect(sys.argv[1] + "/base.sqlite3")
base.execute("pragma journal_mode=wal")
base.execute("create table t (x)")
base.commit()
ran = subprocess.run(["/bin/sh", "-c", "echo ran"], capture_output=True, text=True).stdout.strip()

from bots.sandbox.canary import run_canaries
from bots.sandbox.launcher import SandboxLauncher
report = run_canaries(SandboxLauncher(kit=b""))
problems = [*report.problems, *report.lacks.values()]
print(json.dumps({"denied": denied, "served": received, "ran": ran, "problems": problems, "unknown": unknown}))
"""


def test_under_the_container_profile_the_sandbox_stands_and_the_rest_is_denied():
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        checkout = folder / "bots"
        checkout.mkdir()
        (checkout / "__init__.py").touch()
        shutil.copytree(PACKAGE, checkout / "sandbox", ignore=shutil.ignore_patterns("__pycache__"))
        user = {}
        if os.getuid() == 0:  # as in the container, where the worker is no root either
            scratch = folder / "scratch"
            scratch.mkdir()
            os.chown(scratch, 64998, 64998)
            for path in checkout.rglob("*"):
                path.chmod(0o755)
            user = {"user": 64998, "group": 64998, "extra_groups": []}
        done = subprocess.run(
            ["/usr/bin/python3", "-B", "-c", DRIVER, str(folder / "scratch" if user else folder)],
            cwd=folder, env={}, capture_output=True, text=True, timeout=100, **user,  # type: ignore[call-overload]
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
    finally:
        shutil.rmtree(folder)
    assert found["problems"] == []
    assert (found["served"], found["ran"]) == ("served", "ran")
    assert found["denied"].pop("clone3") == "ENOSYS"
    assert set(found["denied"].values()) == {"EPERM"}
    assert set(found["unknown"]) <= {"fchmodat2", "futex_requeue", "futex_wait", "futex_wake"}


def test_the_profile_denies_what_it_does_not_name_and_names_nothing_twice():
    profile = json.loads(PROFILE.read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    names = [name for rule in profile["syscalls"] if "args" not in rule for name in rule["names"]]
    assert len(names) == len(set(names))
    assert not {"ptrace", "bpf", "setns", "keyctl", "mount_setattr", "open_tree", "io_uring_setup"} & set(
        names
    )
