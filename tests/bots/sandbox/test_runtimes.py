"""Programs of each runtime in the real sandbox and without one; canaries of all; a host that lacks one."""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path

import pytest

from bots.sandbox import canary, launcher, node, prober, seccomp
from bots.sandbox.canary import CANARY_LIMITS, run_canaries
from bots.sandbox.faults import SandboxError
from bots.sandbox.launcher import BareLauncher, SandboxLauncher
from bots.sandbox.runtimes import EXECUTABLE, NODE, Program

from .conftest import ask

DATA = Path(__file__).resolve().parents[2] / "data"
ECHO = b"process.stdin.pipe(process.stdout);"
PROBER = Program(EXECUTABLE, {"main": prober.prober([(39,), (83, b"/bot/x", 0o700)])}, "main")


def test_javascript_answers(table, bare_table):
    program = Program(NODE, {"main.js": ECHO}, "main.js")
    assert ask(table.start(program)).line == b"hello"
    assert ask(bare_table.start(program)).line == b"hello"


def test_a_program_of_the_processors_own_code_answers(table, bare_table):
    pid, made = prober.outcomes(ask(table.start(PROBER)).line)
    assert (pid, made) == (1, -30)
    bare = bare_table.start(PROBER)
    assert prober.outcomes(ask(bare).line)[0] == bare.pid


def test_the_prober_is_what_its_source_is_assembled_to(tmp_path):
    made, code = tmp_path / "prober.o", tmp_path / "prober.bin"
    subprocess.run(["as", "-o", made, DATA / "prober.s"], check=True)
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.text", made, code], check=True)
    assert code.read_bytes() == prober.CODE


def test_all_canaries_are_denied_everything():
    report = run_canaries(SandboxLauncher(kit=b""))
    assert (report.problems, report.lacks) == ([], {})
    assert report.denials["node: spawn"] == "EPERM"
    assert report.denials["executable: shared memory"] == "EPERM"
    assert report.denials["executable: memory"] == "ENOMEM"
    assert len(report.denials) == sum(len(each.expected) for each in canary.CANARIES.values())


@pytest.mark.parametrize("runtime", [NODE, EXECUTABLE])
def test_a_canary_notices_a_filter_that_lets_everything_through(monkeypatch, runtime):
    allow = struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)
    monkeypatch.setattr(launcher, "_filter_code", lambda has_reserve: allow)
    report = canary.run_canary(SandboxLauncher(kit=b""), canary.CANARIES[runtime])
    assert not report.ok
    assert any("The sandbox leaks" in problem for problem in report.problems)


def test_a_canary_notices_memory_without_a_limit(monkeypatch):
    limits = launcher.rlimit_options
    monkeypatch.setattr(
        launcher,
        "rlimit_options",
        lambda *given: [option for option in limits(*given) if not option.startswith("--data")],
    )
    for runtime in (NODE, EXECUTABLE):
        report = canary.run_canary(SandboxLauncher(kit=b""), canary.CANARIES[runtime])
        assert any("“limits” gave" in problem for problem in report.problems)


def test_what_one_canary_was_not_denied_stops_all(monkeypatch):
    leaky = canary.CANARIES[NODE]
    expected = {**leaky.expected, "spawn": "ENOENT"}
    monkeypatch.setitem(canary.CANARIES, NODE, canary.Canary(leaky.program, leaky.read, expected))
    report = run_canaries(SandboxLauncher(kit=b""))
    assert report.problems == ["The sandbox leaks: “spawn” gave EPERM, not ENOENT."]


@pytest.fixture
def no_node(monkeypatch):
    """A host without Node.js."""
    launcher._mounts.cache_clear()
    found = launcher.node
    monkeypatch.setattr(launcher, "node", lambda path: found("/nowhere/node"))
    yield
    launcher._mounts.cache_clear()


def test_a_host_without_node_lacks_it_and_is_fit_all_the_same(no_node):
    report = run_canaries(SandboxLauncher(kit=b""))
    assert report.ok
    assert report.lacks == {NODE: "/nowhere/node is missing: install the package nodejs."}
    assert not any(name.startswith("node: ") for name in report.denials)


@pytest.mark.parametrize("kind", [SandboxLauncher, BareLauncher])
def test_javascript_without_node_is_not_started(no_node, kind):
    with pytest.raises(SandboxError, match="/nowhere/node is missing"):
        kind(kit=b"").start(Program(NODE, {"main.js": ECHO}, "main.js"), CANARY_LIMITS)


def test_a_node_whose_canary_comes_to_no_end_is_lacked(monkeypatch):
    ends = Program(NODE, {"main.js": b"process.exit(3)"}, "main.js")
    monkeypatch.setitem(canary.CANARIES, NODE, canary.Canary(ends, canary.CANARIES[NODE].read, {}))
    report = run_canaries(SandboxLauncher(kit=b""))
    assert report.ok
    assert report.lacks == {NODE: "The canary did not finish: The bot's process exited with status 3."}


def test_an_old_node_refuses_in_words(tmp_path):
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho 16.20.0\n")
    old.chmod(0o755)
    with pytest.raises(SandboxError, match=re.escape("is Node.js 16.20.0; 18 or later is needed.")):
        node.node(str(old))


def test_a_node_that_does_not_run_refuses_in_words(tmp_path):
    broken = tmp_path / "node"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(SandboxError, match="does not run"):
        node.node(str(broken))


def test_only_runtimes_with_a_reserve_are_kept_from_uncounted_memory():
    assert seccomp.assemble() != seccomp.assemble(has_reserve=True)
