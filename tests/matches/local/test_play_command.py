"""`manage.py play`, as a person uses it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from bots.house import HOUSE
from matches.engine import PRESETS, parse_seed
from matches.management.commands.play import Command

MANAGE = Path(__file__).resolve().parents[3] / "manage.py"

CRASHER = """
import sys
from skyjo import Bot, run

class Crasher(Bot):
    def draw(self, view):
        print("about to fall\\x1b[31m", file=sys.stderr)
        raise RuntimeError("fell over")

run(Crasher)
"""


def test_it_prints_a_table_with_every_bot():
    command = [
        sys.executable,
        str(MANAGE),
        "play",
        "greedy",
        "random",
        "threshold",
        "--deals",
        "2",
        "--seed",
        "7",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "official, 6 of 6 games (2 deals from every seating), without a sandbox" in done.stdout
    assert f"seed {parse_seed('7').hex()}" in done.stdout
    _, _, rows = done.stdout.partition("bot")
    assert {line.split()[0] for line in rows.splitlines()[1:]} == {"greedy", "random", "threshold"}
    assert len({len(line) for line in rows.splitlines()[1:]}) == 1
    assert "6/6" in done.stderr or "0/6" in done.stderr
    assert "without a sandbox: play only what you trust" in done.stderr


def test_the_sandbox_changes_nothing_but_where_the_bots_run(capsys):
    results = []
    for where in ([], ["--sandbox"]):
        call_command(
            "play", "greedy", "random", "--deals=2", "--seed=42", "--preset=marquoir-50", "--json", *where
        )
        printed = capsys.readouterr()
        assert ("without a sandbox" in printed.err) == (not where)
        result = json.loads(printed.out)
        for bot in result["bots"]:
            del bot["decision_ms"], bot["decision_p95_ms"]
        assert result.pop("sandbox") == bool(where)
        results.append(result)
    assert results[0] == results[1]
    assert results[0]["preset"] == "marquoir-50"
    assert results[0]["complete"]
    assert [bot["games"] for bot in results[0]["bots"]] == [4, 4]


def test_without_a_seed_each_match_has_another_and_says_which(capsys):
    seeds = set()
    for _ in range(2):
        call_command("play", "random", "random", "--deals=1", "--json")
        seeds.add(json.loads(capsys.readouterr().out)["seed"])
    assert len(seeds) == 2
    assert all(re.fullmatch("[0-9a-f]{64}", seed) for seed in seeds)


def test_a_bot_that_faults_is_shown_with_its_reason_and_its_words(tmp_path, capsys):
    (tmp_path / "crasher.py").write_text(CRASHER)
    call_command("play", str(tmp_path / "crasher.py"), "greedy", "--deals=4", "--seed=7")
    printed = capsys.readouterr().out
    assert "8 of 8 games" in printed
    assert "crasher: first fault (crash) in deal 0, seating 0" in printed
    assert "exited with status 1" in printed
    assert "| RuntimeError: fell over" in printed
    assert "\x1b" not in printed
    row = next(line.split() for line in printed.splitlines() if line.startswith("crasher "))
    assert row[1:3] == ["8", "0"]


def test_limits_can_be_set(tmp_path, capsys):
    source = CRASHER.replace("raise", "while True: pass\n        raise")
    (tmp_path / "spinner.py").write_text(source)
    call_command("play", "greedy", str(tmp_path / "spinner.py"), "--deals=1", "--decision-ms=50")
    printed = capsys.readouterr().out
    assert "The decision took more than 50 ms of CPU time." in printed
    assert "about to fall\\x1b[31m" in printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["greedy"], ["A match has 2 to 8 bots, not 1."]),
        (["greedy"] * 9, ["A match has 2 to 8 bots, not 9."]),
        (["greedy", "nobody"], ["no bot “nobody”", *(bot.name for bot in HOUSE)]),
        (["greedy", "random", "--preset", "poker"], ['no preset "poker"', *PRESETS]),
        (["greedy", "random", "--seed", "abc"], ["A seed is 64 hex digits"]),
        (["greedy", "random", "--seed", "-1"], ["--seed"]),
        (["greedy", "random", "--deals", "0"], ["--deals", "from 1 to 100000"]),
        (["greedy", "random", "--deals", "many"], ["--deals", "“many”"]),
        (["greedy", "random", "--memory-mib", "-5"], ["--memory-mib"]),
        ([], ["BOT"]),
    ],
)
def test_bad_arguments_end_with_status_2_and_a_reason(arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv(["manage.py", "play", *arguments])
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    for word in words:
        assert word in printed.err


def test_a_failure_that_is_no_bots_is_said_to_be_so(capsys):
    with pytest.raises(CommandError, match="no bot is to blame") as caught:
        call_command("play", "greedy", "random", "--deals=1", "--start-ms=1")
    assert caught.value.returncode == 1
    assert "0 of 2 games" in capsys.readouterr().out


@pytest.fixture
def interruptible():
    """SIGINT interrupts, also where the tests run in the background and ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_prints_what_was_played_and_leaves_no_process(tmp_path, number):
    # The second game never ends: the bot opens the fifo and spins.
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    (tmp_path / "spinner.py").write_text(
        "from skyjo import Bot, run\n\n"
        "class Spinner(Bot):\n"
        "    def draw(self, view):\n"
        "        if self.game == 1:\n"
        f"            open({str(fifo)!r}, 'w').close()\n"
        "            while True:\n"
        "                pass\n"
        "        return view.draw()\n\n"
        "    def place(self, view, card):\n"
        "        return view.flip(view.hidden()[0])\n\n"
        "run(Spinner)\n"
    )
    command = [
        sys.executable,
        str(MANAGE),
        "play",
        "greedy",
        str(tmp_path / "spinner.py"),
        "--decision-ms=60000",
    ]
    started = subprocess.Popen(
        [*command, "--bank-ms=60000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    try:
        with fifo.open() as opened:
            opened.read()
        started.send_signal(number)
        out, err = started.communicate(timeout=100)
    finally:
        started.kill()
    assert started.returncode == 130
    assert "1 of 100 games" in out
    assert "spinner" in out
    assert "Stopped." in err
    assert "Traceback" not in err
    assert running_from(tmp_path) == []
    assert not list(tmp_path.glob("skyjo-bot-*"))


def running_from(folder):
    """The processes whose command line names the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes()
        except OSError:
            continue
        if os.fsencode(folder) in command:
            found.append(command)
    return found
