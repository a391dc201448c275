"""What a killed process leaves behind is adopted and ended, and nothing else."""

import subprocess
import sys
import textwrap
from pathlib import Path

from tests.ops.processes import wait_for

CHECKOUT = Path(__file__).resolve().parents[2]

# A child of the worker's own group, which starts a process in a group of its own and is killed.
WORKER = """
    import os, signal, sys, time
    from arena.orphans import adopt_orphans, end_orphans
    from arena.serving.supervisor import children
    from bots.sandbox.guard import guard

    adopt_orphans()
    with guard().holding(os.pipe()[0]):
        pass
    mate = os.fork()
    if mate == 0:
        signal.pause()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            os.setpgid(0, 0)
            os.write(write, str(os.getpid()).encode())
            signal.pause()
        signal.pause()
    orphan = int(os.read(read, 100))
    assert end_orphans() == 0
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while orphan not in children():
        pass
    while orphan in children():
        end_orphans()
    assert sorted(children()) == sorted([mate, guard().pid])
    os.kill(mate, signal.SIGKILL)
    os.waitpid(mate, 0)
    print(orphan)
"""


def test_a_sandbox_whose_watcher_was_killed_is_ended_and_the_workers_own_processes_and_guard_are_not() -> (
    None
):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(WORKER)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    wait_for(lambda: not Path(f"/proc/{int(done.stdout)}").exists(), "the end of the orphan")
