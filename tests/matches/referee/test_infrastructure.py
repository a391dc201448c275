"""What is not a bot's doing is never held against one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bots.sandbox.faults import LaggedError, SandboxError
from bots.sandbox.limits import Limits
from matches.referee import InfrastructureFault
from tests.ops.processes import wait_for

from .tabling import PLAIN, program

BROKEN = program(before="sys.exit(3)")


def test_a_start_fault_counts_only_if_a_house_bot_starts_right_after(table):
    with pytest.raises(InfrastructureFault) as caught:
        table.play(BROKEN, PLAIN, house_program=BROKEN)
    assert caught.value.cause == "start"
    assert "exited with status 3" in caught.value.detail
    record = table.play(BROKEN, PLAIN)
    assert [fault.kind for game in record.games for fault in game.faults] == ["start", "start"]


def test_a_start_limit_that_no_bot_can_keep_is_nobodys_fault(table):
    with pytest.raises(InfrastructureFault) as caught:
        table.play(PLAIN, PLAIN, limits=Limits(start_ms=1))
    assert caught.value.cause == "start"


def test_a_sandbox_that_cannot_be_made_is_an_infrastructure_fault(table):
    class Failing:
        python = table.launcher.python
        n_started = 0

        def start(self, started, limits):
            self.n_started += 1
            if self.n_started == 2:
                raise OSError(24, "Too many open files")
            return table.launcher.start(started, limits)

    with pytest.raises(InfrastructureFault) as caught:
        table.play(PLAIN, PLAIN, launcher=Failing())
    assert caught.value.cause == "sandbox"
    assert "Too many open files" in caught.value.detail
    assert len(table.processes) == 1


@pytest.mark.parametrize(("error", "cause"), [(LaggedError, "lag"), (SandboxError, "sandbox")])
def test_a_host_that_lags_or_fails_in_the_middle_of_a_game_is_an_infrastructure_fault(table, error, cause):
    class Lagging:
        python = table.launcher.python

        def start(self, started, limits):
            process = table.launcher.start(started, limits)
            ask = process.ask

            def asked(line, **limits):
                if b'"id":5,' in line:
                    raise error("The host slept.")
                return ask(line, **limits)

            process.ask = asked
            return process

    with pytest.raises(InfrastructureFault) as caught:
        table.play(PLAIN, PLAIN, launcher=Lagging())
    assert (caught.value.cause, caught.value.detail) == (cause, "The host slept.")
    assert not any(process.alive for process in table.processes)


def test_a_bot_that_somebody_else_kills_has_not_faulted(table):
    def kill_one(progress):
        assert progress.record is None
        victim = table.processes[0].pid
        assert victim, "it has answered"
        os.kill(victim, signal.SIGKILL)

    with pytest.raises(InfrastructureFault) as caught:
        table.play(PLAIN, PLAIN, rules={"target": 200}, on_progress=kill_one)
    assert caught.value.cause == "sandbox"


# Stops itself in its first wait for the sleeper, so that the moment does not depend on how busy the host is.
STOPPED = """
import os, signal, threading
from bots.sandbox import process
from bots.sandbox.launcher import SandboxLauncher
from matches.referee import InfrastructureFault
from tests.matches.referee.tabling import PLAIN, ShortWall, Table, program

process._LAG_NS = 1_000_000_000
sleeper = program("def act(self, m): log('asleep'); time.sleep(1000)")
table = Table(SandboxLauncher())
drain = process.BotProcess._drain_in_ask
stops = [threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGSTOP])]

def drained(bot, began):
    drain(bot, began)
    while stops:
        stops.pop().start()

process.BotProcess._drain_in_ask = drained
for attempt in range(2):
    try:
        record = table.play(sleeper, PLAIN, limits=ShortWall(decision_wall=3000))
        print(*(fault.kind for game in record.games for fault in game.faults), flush=True)
    except InfrastructureFault as fault:
        print(fault.cause, fault.detail, flush=True)
"""


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("T")


def test_a_timeout_that_falls_while_the_referee_itself_was_stopped_is_none_and_the_match_is_played_again():
    referee = subprocess.Popen(
        [sys.executable, "-c", STOPPED],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[3],
    )
    assert referee.stdout is not None
    try:
        wait_for(lambda: is_stopped(referee.pid), "the referee to stop itself", 60)
        stopped = time.monotonic()
        wait_for(lambda: time.monotonic() > stopped + 4.5, "longer than the bot's whole time")
        os.kill(referee.pid, signal.SIGCONT)
        said = [line.strip() for line in referee.stdout]
        assert said[0].startswith("lag The host kept a bot from running for ")
        assert said[1:] == ["timeout timeout"]
        assert referee.wait(60) == 0
    finally:
        referee.kill()
        referee.wait()
