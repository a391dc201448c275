"""The supervisor, with programs of all sorts, as a process of its own."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.serving.supervisor import descendants
from tests.ops.processes import alive, end, family, wait_for

CHECKOUT = Path(__file__).resolve().parents[2]

SUPERVISE = """
    import os, sys
    from pathlib import Path
    from arena.serving.supervisor import Program, Supervisor
    here = Path(sys.argv[1])
    programs = [
        Program(path.stem, (sys.executable, str(path)), dict(os.environ), here) for path in sorted(here.glob("*.py"))
    ]
    supervisor = Supervisor(programs, say=lambda text: print(text, flush=True), grace_s=0.5)
    supervisor.install_signal_handlers()
    supervisor.run()
    print("all ended", flush=True)
"""

POLITE = """
    import signal
    from pathlib import Path
    Path("polite.up").touch()
    signal.pause()
"""

# Ignores every request to end, and so does its child, which leaves session and group, and whose parent has gone.
STUBBORN = """
    import os, signal
    from pathlib import Path
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            Path("orphan.up").touch()
            while True:
                signal.pause()
        os._exit(0)
    while True:
        signal.pause()
"""

FALLING = """
    from pathlib import Path
    count = Path("falls")
    falls = len(count.read_text()) if count.exists() else 0
    count.write_text("x" * (falls + 1))
"""


class Supervised:
    def __init__(self, folder: Path, *, ignoring_sigint: bool, **programs: str) -> None:
        for name, source in programs.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(source))
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(SUPERVISE), str(folder)],
            cwd=CHECKOUT,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if ignoring_sigint else None,
        )
        self.seen = family(self.process.pid)

    def wait_for_files(self, *names: str) -> None:
        wait_for(lambda: all((self.folder / name).exists() for name in names), f"{names}")
        self.seen = family(self.process.pid)

    def output(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.read()


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Callable[..., Supervised]]:
    started = []

    def start(*, ignoring_sigint: bool = False, **programs: str) -> Supervised:
        started.append(Supervised(tmp_path, ignoring_sigint=ignoring_sigint, **programs))
        return started[-1]

    yield start
    for supervised in started:
        end(supervised.seen)
        supervised.process.wait()
        supervised.process.stdout.close()


def to_leader(process: subprocess.Popen, number: signal.Signals) -> None:
    process.send_signal(number)


def to_group_twice(process: subprocess.Popen, number: signal.Signals) -> None:
    os.killpg(process.pid, number)
    os.killpg(process.pid, number)


@pytest.mark.parametrize("send", [to_leader, to_group_twice])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("ignoring_sigint", [False, True])
def test_a_signal_ends_every_descendant_even_stubborn_orphans(supervise, send, number, ignoring_sigint):
    supervised = supervise(ignoring_sigint=ignoring_sigint, polite=POLITE, stubborn=STUBBORN)
    supervised.wait_for_files("polite.up", "orphan.up")
    assert len(supervised.seen) >= 4

    send(supervised.process, number)

    assert supervised.process.wait(60) == 0
    assert not alive(supervised.seen)
    assert supervised.output().endswith("all ended\n")


def test_a_fallen_program_is_started_again_and_the_fall_is_told(supervise):
    supervised = supervise(polite=POLITE, falling=FALLING)
    supervised.wait_for_files("polite.up", "falls")
    wait_for(lambda: (supervised.folder / "falls").read_text() == "xx", "a second start")

    supervised.process.terminate()

    assert supervised.process.wait(60) == 0
    assert "falling ended with exit status 0; starting it again in 1 s." in supervised.output()


def test_what_a_killed_program_leaves_in_its_group_is_ended_before_the_next_start(supervise):
    supervised = supervise(
        parent='import os, signal; from pathlib import Path; os.fork() or Path("child.up").touch(); signal.pause()'
    )
    supervised.wait_for_files("child.up")
    programs = {found for found in supervised.seen if found[0] != supervised.process.pid}
    assert len(programs) == 2

    os.kill(descendants(supervised.process.pid)[0], signal.SIGKILL)

    wait_for(lambda: not alive(programs), "the end of the killed program's family")


def test_programs_end_when_the_supervisor_is_killed(supervise):
    supervised = supervise(polite=POLITE)
    supervised.wait_for_files("polite.up")

    supervised.process.kill()

    wait_for(lambda: not alive(supervised.seen), "the end of the orphaned program")


def test_a_sigint_sent_to_make_alone_ends_what_make_runs(tmp_path):
    (tmp_path / "polite.py").write_text(textwrap.dedent(POLITE))
    (tmp_path / "supervise").write_text(textwrap.dedent(SUPERVISE))
    (tmp_path / "Makefile").write_text(f"run:\n\t@exec {sys.executable} supervise .\n")
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    make = subprocess.Popen(["make", "run"], cwd=tmp_path, env=environ, start_new_session=True)
    seen = family(make.pid)
    try:
        wait_for((tmp_path / "polite.up").exists, "the program")
        seen = family(make.pid)

        make.send_signal(signal.SIGINT)

        make.wait(60)
        assert not alive(seen)
    finally:
        end(seen)
        make.wait()


def test_a_supervisor_under_nohup_outlives_its_terminal(tmp_path):
    (tmp_path / "polite.py").write_text(textwrap.dedent(POLITE))
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SUPERVISE), str(tmp_path)],
        cwd=CHECKOUT,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    try:
        wait_for((tmp_path / "polite.up").exists, "the program")
        status = Path(f"/proc/{process.pid}/status").read_text()
        ignored = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigIgn:"))
        assert ignored & 1 << (signal.SIGHUP - 1)
    finally:
        process.terminate()
        assert process.wait(60) == 0


def test_what_a_killed_program_leaves_in_another_group_is_ended_too(supervise):
    supervised = supervise(
        parent="""
            import os, signal
            from pathlib import Path
            if os.fork() == 0:
                os.setsid()
                Path("child.up").touch()
            signal.pause()
        """
    )
    supervised.wait_for_files("child.up")
    programs = {found for found in supervised.seen if found[0] != supervised.process.pid}
    assert len(programs) == 2

    for pid in children_of(supervised.process.pid):
        os.kill(pid, signal.SIGKILL)

    wait_for(lambda: not alive(programs), "the end of the killed program's family")


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
