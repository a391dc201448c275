"""Talking to real sandboxed bots: answers, deadlines, floods, ends, and whose fault each is."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from bots.sandbox import process as process_module
from bots.sandbox import slices
from bots.sandbox.faults import BotFault, LaggedError, SandboxError, quote_line
from bots.sandbox.limits import Limits
from bots.sandbox.process import LINE_BYTES, BotProcess, finish
from bots.sandbox.stderr import STDERR_KEPT_BYTES, StderrLog

from .conftest import ECHO, Table, ask, wait_until

# Reads its line and then does what the test wants.
READY = "import os, sys, time, threading\nsys.stdin.readline()\n"

SPINNING_THREAD = """
import sys, threading, time
def spin():
    while True:
        pass
for line in sys.stdin:
    sys.stdout.write(line)
    sys.stdout.flush()
    if line == "spin\\n":
        threading.Thread(target=spin, daemon=True).start()
"""


def fault_of(table: Table, source: str, **options: object) -> BotFault:
    process = table.start(source)
    with pytest.raises(BotFault) as caught:
        ask(process, **options)
    assert not process.alive
    return caught.value


# Answers


def test_an_answer_is_a_line_without_its_end(table: Table):
    process = table.start(ECHO)
    first = ask(process, b'{"type":"hello"}')
    assert first.line == b'{"type":"hello"}'
    assert first.cpu_ns > 0
    assert first.wall_ns > 0
    assert ask(process, b"with CR\r").line == b"with CR"
    assert ask(process, b"").line == b""


def test_a_bot_that_forgets_to_flush_plays_all_the_same(table: Table):
    assert table.ask("print(input())\ninput()").line == b"hello"


def test_posted_messages_go_out_before_the_question(table: Table):
    process = table.start("while True:\n    print(input() + input(), flush=True)")
    process.post(b"one ")
    assert ask(process, b"two").line == b"one two"
    process.post(b"three ")
    process.flush()
    assert ask(process, b"four").line == b"three four"


def test_a_line_of_the_greatest_length_is_taken_and_one_byte_more_is_not(table: Table):
    process = table.start("for _ in 0, 1:\n    print('x' * int(input()))\n")
    assert len(ask(process, str(LINE_BYTES).encode()).line) == LINE_BYTES
    with pytest.raises(BotFault) as caught:
        ask(process, str(LINE_BYTES + 1).encode())
    assert caught.value.kind == "protocol"
    assert str(LINE_BYTES) in caught.value.sentence


def test_a_question_larger_than_the_pipe_arrives(table: Table):
    process = table.start("print(len(input()))\ninput()")
    assert ask(process, b"x" * 1_000_000).line == b"1000000"


def test_several_bots_start_side_by_side(table: Table):
    source = (
        READY.replace("sys.stdin", "print('ready', file=sys.stderr) or sys.stdin")
        + "print('done')\nsys.stdin.read()"
    )
    bots = [table.start(source) for _ in range(4)]
    # Each interpreter runs before any of them was asked.
    wait_until(lambda: all(b"ready" in bot.stderr() for bot in bots))
    assert [ask(bot).line for bot in bots] == [b"done"] * 4


# Time


def test_a_bot_that_computes_too_long_is_ended_by_its_cpu_time(table: Table):
    fault = fault_of(table, READY + "while True: pass", cpu_ms=300)
    assert (fault.kind, fault.limit) == ("timeout", "cpu")
    assert fault.cpu_ms >= 300
    assert "300 ms" in fault.sentence


def test_a_late_answer_is_none(table: Table):
    source = READY + "while time.process_time() < 0.5: pass\nprint('late')\ninput()"
    fault = fault_of(table, source, cpu_ms=300)
    assert (fault.kind, fault.limit) == ("timeout", "cpu")


def test_a_sleeper_is_ended_by_the_wall_cap(table: Table):
    fault = fault_of(table, READY + "time.sleep(1000)", wall_ms=400)
    assert (fault.kind, fault.limit) == ("timeout", "wall")
    assert fault.wall_ms >= 400
    assert fault.cpu_ms < 20_000


def test_no_time_left_is_a_timeout_at_once(table: Table):
    fault = fault_of(table, ECHO, cpu_ms=-0.5)
    assert (fault.kind, fault.limit) == ("timeout", "cpu")
    fault = fault_of(table, ECHO, wall_ms=0)
    assert (fault.kind, fault.limit) == ("timeout", "wall")


def test_a_bot_that_never_reads_does_not_block_us(table: Table):
    process = table.start("import time\ntime.sleep(1000)")
    for _ in range(100):
        process.post(b"x" * 10_000)
    process.flush()
    with pytest.raises(BotFault) as caught:
        ask(process, wall_ms=400)
    assert (caught.value.kind, caught.value.limit) == ("timeout", "wall")


def test_a_bot_that_closes_its_standard_input_is_ended(table: Table):
    source = """
    import os, sys, time
    print(input())
    os.close(0)
    print("shut", file=sys.stderr)
    time.sleep(1000)
    """
    process = table.start(textwrap.dedent(source))
    ask(process)
    process.resume()
    wait_until(lambda: b"shut" in process.stderr())
    with pytest.raises(BotFault) as caught:
        ask(process, wall_ms=400)
    assert caught.value.kind == "timeout"


def is_stopped(process: BotProcess) -> bool:
    """Whether all of its threads are: the last one stops some time after the first."""
    stats = [path.read_text() for path in Path(f"/proc/{process.pid}/task").glob("*/stat")]
    return all(stat.rpartition(")")[2].split()[0] == "T" for stat in stats)


def test_a_bot_is_stopped_after_its_answer_and_uses_no_time(table: Table):
    process = table.start(SPINNING_THREAD)
    ask(process, b"spin")
    wait_until(lambda: is_stopped(process))
    before = process.cpu_ns()
    ask(table.start(ECHO))  # an opponent's whole start
    assert process.cpu_ns() == before
    assert ask(process, b"again").line == b"again"
    assert process.cpu_ns() > before


def test_thinking_on_the_opponents_time_is_charged(table: Table):
    process = table.start(SPINNING_THREAD)
    ask(process, b"spin", keep_running=True)
    before = process.cpu_ns()
    wait_until(lambda: process.cpu_ns() > before + 200_000_000)
    assert not is_stopped(process)
    with pytest.raises(BotFault) as caught:
        ask(process, cpu_ms=200)
    assert (caught.value.kind, caught.value.limit) == ("timeout", "cpu")


def test_resting_bots_are_stopped_when_another_takes_its_time(table: Table):
    thinker = table.start(SPINNING_THREAD)
    ask(thinker, b"spin", keep_running=True)
    slow = table.start("import sys, time\nfor line in sys.stdin:\n    time.sleep(0.3)\n    print('slow')")
    ask(slow, keep_running=True, resting=[thinker])
    wait_until(lambda: is_stopped(thinker))
    assert not is_stopped(slow)
    assert ask(thinker, b"again").line == b"again"


def test_on_wait_is_called_while_waiting_and_may_end_it(table: Table, monkeypatch):
    monkeypatch.setattr(process_module, "ON_WAIT_S", 0.05)
    process = table.start(READY + "time.sleep(1000)")
    calls = []

    class LeaseLost(Exception):
        pass

    def lose_the_lease() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise LeaseLost

    with pytest.raises(LeaseLost):
        ask(process, on_wait=lose_the_lease)
    assert process.alive


def test_a_bot_runs_in_slices_as_short_as_the_kernel_grants_and_with_no_other_priority(table: Table):
    process = table.start(ECHO)
    ask(process)
    ours, theirs = slices._attributes(0), slices._attributes(process.pid)
    assert ours is not None
    assert theirs is not None
    assert (theirs.runtime, theirs.nice, theirs.policy) == (ours.runtime, ours.nice, ours.policy)
    assert theirs.nice == os.getpriority(os.PRIO_PROCESS, 0)
    assert ours.runtime in {0, slices.SLICE_NS}  # kernels before 6.12 know of none


# Lines that nobody asked for


@pytest.mark.parametrize("answer", ["a\\nb\\n", "a\\nb"])
def test_two_answers_at_once_are_a_fault(table: Table, answer: str):
    fault = fault_of(table, READY + f"os.write(1, b'{answer}')\nsys.stdin.read()")
    assert (fault.kind, fault.line) == ("protocol", answer[3:])
    assert "nobody asked for" in fault.sentence


def test_an_answer_to_a_message_that_wants_none_is_a_fault(table: Table):
    process = table.start(
        "import sys\nfor line in sys.stdin:\n    print(line, end='')\n    print('!', file=sys.stderr)"
    )
    ask(process, keep_running=True)
    process.post(b"no question")
    process.flush()
    wait_until(lambda: process.stderr().count(b"!") == 2)
    with pytest.raises(BotFault) as caught:
        ask(process)
    assert caught.value.kind == "protocol"
    assert caught.value.line == "no question\\n"


def test_an_answer_to_a_question_that_was_not_read_is_a_fault(table: Table):
    process = table.start("import sys, time\nsys.stdin.read(1)\nprint('guess', flush=True)\ntime.sleep(1000)")
    with pytest.raises(BotFault) as caught:
        ask(process, b"x" * 1_000_000)
    assert caught.value.kind == "protocol"


# Floods


def test_a_flood_of_standard_error_is_ended(table: Table):
    process = table.start(READY + "while True: os.write(2, b'x' * 65536)")
    with pytest.raises(BotFault) as caught:
        ask(process)
    assert caught.value.kind == "output"
    assert len(process.stderr()) <= STDERR_KEPT_BYTES + 100


def test_standard_error_is_kept_a_game_head_and_tail(table: Table):
    source = """
    import os, sys
    for line in sys.stdin:
        os.write(2, b"head " + line.encode())
        for _ in range(9):
            os.write(2, b"." * 65536)
        os.write(2, b" tail")
        print("ok", flush=True)
    """
    process = table.start(textwrap.dedent(source))
    for game in (b"one", b"two", b"three"):  # together more than a game may have
        ask(process, game)
        text = process.stderr()
        assert text.startswith(b"head " + game)
        assert text.endswith(b" tail")
        assert b"bytes left out" in text
        assert len(text) <= STDERR_KEPT_BYTES + 100
        process.new_game()
    assert process.stderr() == b""


def test_a_bot_that_closes_standard_error_plays_on(table: Table):
    process = table.start("import os, sys\nos.close(2)\nfor line in sys.stdin:\n    print(line, end='')")
    assert ask(process, b"one").line == b"one"
    assert ask(process, b"two").line == b"two"


def test_the_log_counts_what_it_leaves_out():
    log = StderrLog()
    log.add(b"a" * 10)
    assert log.text() == b"a" * 10
    log.add(b"b" * STDERR_KEPT_BYTES)
    log.add(b"c" * 10)
    half = STDERR_KEPT_BYTES // 2
    head, tail = b"a" * 10 + b"b" * (half - 10), b"b" * (half - 10) + b"c" * 10
    assert log.text() == head + b"\n[20 bytes left out]\n" + tail


# Ends


@pytest.mark.parametrize("status", [0, 1, 3, 136, 255])
def test_an_exit_names_its_status(table: Table, status: int):
    fault = fault_of(table, READY + f"os._exit({status})")
    assert fault.kind == "crash"
    if status == 136:  # as a shell would, bubblewrap reports signal 8 so
        assert fault.signal == "SIGFPE"
    else:
        assert fault.exit_status == status
        assert f"status {status}" in fault.sentence


def test_an_uncaught_exception_is_a_crash_with_its_traceback_kept(table: Table):
    process = table.start(READY + "1 / 0")
    with pytest.raises(BotFault) as caught:
        ask(process)
    assert (caught.value.kind, caught.value.exit_status) == ("crash", 1)
    assert process.stderr().endswith(b"ZeroDivisionError: division by zero\n")


def test_an_exit_between_answers_is_found_at_the_next_question(table: Table):
    process = table.start("print(input())")
    ask(process, keep_running=True)
    wait_until(lambda: not process.alive)
    with pytest.raises(BotFault) as caught:
        ask(process)
    assert (caught.value.kind, caught.value.exit_status) == ("crash", 0)


def test_an_answer_given_while_exiting_counts(table: Table):
    for _ in range(5):
        assert table.ask(READY + "os.write(1, b'last\\n')\nos._exit(0)").line == b"last"


def test_running_out_of_memory_is_its_own_fault(table: Table):
    limits = Limits(start_ms=20_000, memory_mib=128)
    process = table.start(READY + "keep = []\nwhile True: keep.append(b'x' * (1 << 20))", limits)
    with pytest.raises(BotFault) as caught:
        ask(process)
    assert (caught.value.kind, caught.value.exit_status) == ("memory", 1)
    assert "128 MiB" in caught.value.sentence
    assert caught.value.memory_mib == 128


def test_a_bot_that_survives_its_memory_limit_plays_on(table: Table):
    source = (
        READY + "try:\n    b'x' * (1 << 40)\nexcept MemoryError:\n    print('survived')\nsys.stdin.read()"
    )
    assert table.ask(source).line == b"survived"


def test_a_kill_from_outside_is_not_the_bots_fault(table: Table):
    process = table.start(READY + "print('here')\ntime.sleep(1000)")
    ask(process)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(SandboxError, match="killed from outside"):
        ask(process)
    assert not process.alive


def test_a_killed_process_cannot_be_asked(table: Table):
    process = table.start(ECHO)
    process.kill()
    process.kill()
    with pytest.raises(RuntimeError):
        ask(process)


# A host that lags


def test_time_in_which_the_host_starved_the_bot_does_not_count(table: Table, monkeypatch):
    process = table.start("import sys, time\nfor line in sys.stdin:\n    time.sleep(0.5)\n    print('done')")
    ask(process)
    monkeypatch.setattr(process_module, "_LAG_NS", 10**12)
    monkeypatch.setattr(BotProcess, "_starved_ns", lambda *_: 60 * 10**9)
    assert ask(process, wall_ms=200).line == b"done"


def test_a_bot_beside_another_on_one_core_is_seen_to_starve(table: Table):
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        spinner = table.start(SPINNING_THREAD)
        ask(spinner, b"spin", keep_running=True)
        worker = table.start(
            "import sys, time\nfor line in sys.stdin:\n    until = time.process_time() + 0.3\n"
            "    while time.process_time() < until: pass\n    print('done')"
        )
        ask(worker)
        began = time.monotonic_ns()
        answer = ask(worker)
        whole = time.monotonic_ns() - began
    finally:
        os.sched_setaffinity(0, cores)
    assert answer.wall_ns < whole - 50_000_000


def test_a_host_that_starves_a_bot_for_its_whole_time_is_at_fault(table: Table, monkeypatch):
    monkeypatch.setattr(process_module, "_LAG_NS", 0)
    monkeypatch.setattr(BotProcess, "_starved_ns", lambda *_: 10**12)
    process = table.start(READY + "time.sleep(1000)")
    with pytest.raises(LaggedError):
        ask(process, wall_ms=300)
    assert not process.alive


def test_an_answer_that_we_were_late_to_read_counts_as_given_at_once(table: Table):
    process = table.start(ECHO)
    ask(process)
    poll = process._poll

    def late(timeout_ms: float) -> list[tuple[int, int]]:
        events = poll(60_000 if timeout_ms == process_module.GRACE_MS else timeout_ms)
        select.select([], [], [], 0.05)
        return events

    process._poll = late
    assert ask(process).wall_ns <= process_module.GRACE_MS * 1_000_000


DRIVER = """
import sys
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
source = b"import sys, time\\nprint(input())\\ninput()\\ntime.sleep(0.5)\\nprint('in time')\\nsys.stdin.read()"
with SandboxLauncher(kit=b"").start(Program("python", {"main.py": source}, "main.py"), Limits()) as process:
    process.ask(b"hello", cpu_ms=20_000, wall_ms=60_000)
    print(process.pid, flush=True)
    print(process.ask(b"question", cpu_ms=20_000, wall_ms=1_000).line.decode(), flush=True)
"""


def test_a_bot_is_not_blamed_while_we_were_stopped_ourselves():
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[3],
    )
    assert driver.stdout is not None
    try:
        int(driver.stdout.readline())
        os.kill(driver.pid, signal.SIGSTOP)
        stopped = time.monotonic()
        wait_until(lambda: time.monotonic() > stopped + 1.5)  # longer than the bot's whole time
        os.kill(driver.pid, signal.SIGCONT)
        assert driver.stdout.readline() == "in time\n"
        assert driver.wait(60) == 0
    finally:
        driver.kill()
        driver.wait()


# The end of a match


def test_parting_delivers_the_last_words_and_leaves_nothing(table: Table):
    source = "import sys\nprint(input())\nfor line in sys.stdin:\n    print('got', line, file=sys.stderr)"
    bots = [table.start(source) for _ in range(2)]
    for bot in bots:
        ask(bot)
        bot.post(b"bye")
    finish(bots, grace_ms=60_000)
    for bot in bots:
        assert not bot.alive
        assert b"got bye" in bot.stderr()


def test_parting_from_a_bot_that_does_not_leave_takes_the_grace_and_no_longer(table: Table):
    bot = table.start("import time\nprint(input())\ntime.sleep(1000)")
    ask(bot)
    finish([bot], grace_ms=50)
    assert not bot.alive


def test_what_a_bot_wrote_is_quoted_and_cut():
    assert quote_line(b"plain") == "plain"
    assert quote_line("ä\u202e\x1b[31m".encode()) == "ä\\u202e\\x1b[31m"
    assert quote_line(b"\xff\x00") == "\\xff\\x00"
    assert quote_line(b"x" * 501) == "x" * 500 + "… (501 bytes)"
    assert len(quote_line(b"\x00" * 10_000_000)) < 2100


# Without a sandbox


def test_a_bare_bot_is_played_under_the_same_rules(bare_table: Table):
    process = bare_table.start("import skyjo\nprint(input(), skyjo.NAME)\nwhile True: pass")
    assert ask(process, b"hello").line == b"hello the kit"
    with pytest.raises(BotFault) as caught:
        ask(process, cpu_ms=200)
    assert (caught.value.kind, caught.value.limit) == ("timeout", "cpu")


def test_a_bare_bot_has_the_standard_library_and_nothing_more_too(bare_table: Table):
    source = "import sys, json\ninput()\nprint([path for path in sys.path if 'packages' in path])\ninput()"
    assert bare_table.ask(source).line == b"[]"


@pytest.mark.parametrize("status", [3, 137, 139])
def test_a_bare_bots_exit_names_its_status(bare_table: Table, status: int):
    process = bare_table.start(READY + f"sys.exit({status})")
    with pytest.raises(BotFault) as caught:
        ask(process)
    assert (caught.value.kind, caught.value.exit_status) == ("crash", status)


def test_a_bare_bot_has_its_memory_limit(bare_table: Table):
    process = bare_table.start(READY + "b'x' * (1 << 40)")
    with pytest.raises(BotFault) as caught:
        ask(process)
    assert caught.value.kind == "memory"
