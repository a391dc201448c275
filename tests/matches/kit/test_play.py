"""`skyjo.pyz play`, as a person uses it."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from bots.house import HOUSE
from matches.engine import PRESETS, parse_seed
from matches.kit.terminal import Bar
from tests.ops.processes import wait_for

from .conftest import PYTHON, Kit
from .sources import BARE, CRASHER, LOOPER, STEADY


def test_it_prints_a_table_with_every_bot_and_the_differences_of_the_first(kit: Kit) -> None:
    status, out, err = kit.run("play", "greedy", "random", "threshold", "--deals", "2", "--seed", "7")
    assert status == 0, err
    assert err == "The bots run without the arena's sandbox: play only what you trust.\n"
    lines = out.splitlines()
    assert lines[0] == "official, 6 of 6 games (2 deals from every seating), without the sandbox"
    assert lines[1] == f"seed {parse_seed('7').hex()}"
    table = lines[lines.index("") + 1 :][:4]
    assert {line.split()[0] for line in table[1:]} == {"greedy", "random", "threshold"}
    assert len({len(line) for line in table}) == 1
    assert re.fullmatch(r"greedy − random: [+−]\d+ ± \d+ Elo \(95 %, 2 deals\): .+", lines[-2])
    assert lines[-1].startswith("greedy − threshold: ")


def test_neither_jobs_nor_the_sandbox_nor_another_time_change_a_result(kit: Kit) -> None:
    kit.write("steady.py", STEADY)
    words = (
        "play",
        "steady.py",
        "random",
        "--deals",
        "11",
        "--seed",
        "42",
        "--preset",
        "marquoir-50",
        "--json",
    )
    results = []
    for more in ([], ["--jobs", "2"], ["--sandbox"]):
        status, out, err = kit.run(*words, *more)
        assert status == 0, err
        assert ("without the arena's sandbox" in err) == (more != ["--sandbox"])
        result = json.loads(out)
        for bot in result["bots"]:
            del bot["decision_ms"], bot["decision_p95_ms"]
        assert result.pop("sandbox") == (more == ["--sandbox"])
        results.append(result)
    assert results[0] == results[1] == results[2]
    assert (results[0]["preset"], results[0]["complete"], results[0]["games"]) == ("marquoir-50", True, 22)
    (difference,) = results[0]["differences"]
    assert (difference["bot"], difference["against"], difference["deals"]) == ("steady", "random", 11)


def test_a_program_in_another_language_plays_by_its_command_line(kit: Kit) -> None:
    kit.write("bare", BARE).chmod(0o755)
    words = ("play", "greedy", "--cmd", "./bare", f"--cmd={PYTHON} bare", "--deals", "1", "--json")
    status, out, err = kit.run(*words)
    assert status == 0, err
    result = json.loads(out)
    assert [bot["name"] for bot in result["bots"]] == ["greedy", "./bare", f"{PYTHON} bare"]
    assert [bot["faults"] for bot in result["bots"]] == [{}] * 3


def test_without_a_seed_each_run_has_another_and_says_which(main) -> None:
    seeds = {json.loads(main("play", "random", "random", "--deals=1", "--json")[1])["seed"] for _ in range(2)}
    assert len(seeds) == 2
    assert all(re.fullmatch("[0-9a-f]{64}", seed) for seed in seeds)


def test_a_bot_that_faults_is_shown_with_its_reason_its_words_and_how_to_see_it_again(kit: Kit) -> None:
    kit.write("crasher.py", CRASHER)
    status, out, _ = kit.run("play", "crasher.py", "greedy", "--deals=4", "--seed=7")
    assert status == 0
    assert "8 of 8 games" in out
    first = "crasher: first fault (crash) in deal 0, seating 0"
    assert first in out
    assert "exited with status 1" in out
    assert "| RuntimeError: fell over" in out
    assert "\x1b" not in out
    row = next(line.split() for line in out.splitlines() if line.startswith("crasher "))
    assert row[1:3] == ["8", "0"]
    again = next(line for line in out.splitlines() if line.startswith("  again: "))
    words = again.removeprefix("  again: python3 skyjo.pyz ").split()
    assert first in kit.run(*words)[1]


def test_limits_can_be_set(kit: Kit) -> None:
    kit.write("looper.py", LOOPER)
    _, out, _ = kit.run("play", "greedy", "looper.py", "--deals=1", "--decision-ms=50")
    assert "The decision took more than 50 ms of CPU time." in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["greedy"], ["A match has 2 to 8 bots, not 1."]),
        (["greedy"] * 9, ["A match has 2 to 8 bots, not 9."]),
        (["greedy", "nobody"], ["no bot “nobody”", *(bot.name for bot in HOUSE)]),
        (["greedy", "nobody.py"], ["no file “nobody.py”"]),
        (["greedy", "random", "--preset", "poker"], ['no preset "poker"', *PRESETS]),
        (["greedy", "random", "--seed", "abc"], ["A seed is 64 hex digits"]),
        (["greedy", "random", "--seed=-1"], ["--seed"]),
        (["greedy", "random", "--deals", "0"], ["--deals", "from 1 to 100000"]),
        (["greedy", "random", "--deals", "many"], ["--deals", "“many”"]),
        (["greedy", "random", "--memory-mib", "-5"], ["--memory-mib"]),
        (["greedy", "--cmd", "./nobody"], ["there is no program “./nobody”"]),
        (["greedy", "--cmd", "'"], ["cannot be read"]),
        (["greedy", "--cmd"], ["--cmd wants the command line"]),
        (
            ["greedy", "--cmd", "true", "--sandbox"],
            ["A bot that is given by --cmd cannot run in the sandbox"],
        ),
        (["greedy", "random", "--cm", "./nobody"], ["Unrecognized arguments: --cm"]),
        ([], ["BOT"]),
    ],
)
def test_bad_arguments_end_with_status_2_and_one_sentence(arguments, words, main) -> None:
    status, out, err = main("play", *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


def test_a_fault_is_had_again_by_the_same_rules_and_limits(kit: Kit) -> None:
    kit.write("slow start.py", "import time\nwhile time.process_time() < 0.5:\n    pass\n" + STEADY)
    words = ("greedy", "slow start.py", "--deals=1", "--start-ms=400", "--preset=marquoir-50")
    out = kit.run("play", *words)[1]
    assert "\n  The program was not ready within 400 ms of CPU time.\n" in out
    again = next(line for line in out.splitlines() if line.startswith("  again: "))
    assert "greedy 'slow start.py' --preset marquoir-50 --start-ms 400 --deals 1 --seed " in again
    assert "marquoir-50, 2 of 2 games (1 deal from every seating)" in out


def test_how_it_stands_is_reckoned_only_to_be_shown(monkeypatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    asked = []
    bar = Bar(2, "games")
    bar.step(lambda: asked.append(1) or "")
    assert not asked


def test_how_it_stands_fits_one_line_of_any_terminal_and_is_taken_away(monkeypatch) -> None:
    written = io.StringIO()
    written.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", written)
    monkeypatch.setattr("matches.kit.terminal._BAR_EVERY_S", 0.0)
    monkeypatch.setenv("COLUMNS", "40")
    bar = Bar(2, "games")
    bar.step(lambda: "mybot 50 %  another_bot 50 %")
    bar.clear()
    shown, blank, end = written.getvalue().split("\r")[1:]
    assert shown.startswith("████████████············ 1/2 games")
    assert [len(shown), len(blank), len(end)] == [39, 39, 0]
    assert blank.isspace()
    assert "\x1b" not in written.getvalue()


def test_a_failure_that_is_no_bots_is_said_to_be_so(main) -> None:
    status, out, err = main("play", "greedy", "random", "--deals=1", "--start-ms=1")
    assert status == 3
    assert "0 of 2 games" in out
    assert "no bot is to blame" in err


def write_spinner(kit: Kit) -> None:
    """A bot with which every match hangs in its second game: it leaves a mark and spins."""
    kit.write(
        "spinner.py",
        "import os\nfrom skyjo import Bot, run\n\n"
        "class Spinner(Bot):\n"
        "    def draw(self, view):\n"
        "        if self.game == 1:\n"
        f"            open({str(kit.folder)!r} + f'/mark-{{os.getpid()}}', 'w').close()\n"
        "            while True:\n"
        "                pass\n"
        "        return view.draw()\n\n"
        "    def place(self, view, card):\n"
        "        return view.flip(view.hidden()[0])\n\n"
        "run(Spinner)\n",
    )


@pytest.mark.parametrize(
    ("number", "jobs", "is_at_terminal"),
    [
        (signal.SIGINT, "1", False),
        (signal.SIGTERM, "1", False),
        (signal.SIGTERM, "2", False),
        # Where Ctrl-C, or the terminal's end, reaches all of its processes.
        (signal.SIGINT, "2", True),
        (signal.SIGHUP, "2", True),
    ],
)
def test_an_interrupt_prints_what_was_played_and_leaves_no_process(
    kit: Kit, number: int, jobs: str, is_at_terminal: bool
) -> None:
    write_spinner(kit)
    words = ("play", "greedy", "spinner.py", "--decision-ms=60000", "--bank-ms=60000", "--jobs", jobs)
    started = subprocess.Popen(
        [PYTHON, "skyjo.pyz", *words],
        cwd=kit.folder,
        env={"TMPDIR": str(kit.folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # SIGINT interrupts, also where the tests run in the background and ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        process_group=0,
    )
    try:
        wait_for(lambda: len(list(kit.folder.glob("mark-*"))) == int(jobs), "the second games", 60)
        (os.killpg if is_at_terminal else os.kill)(started.pid, number)
        out, err = started.communicate(timeout=100)
    finally:
        started.kill()
    assert started.returncode == 130
    assert f"{jobs} of 100 games" in out
    assert "spinner" in out
    assert err.endswith("Stopped.\n")
    assert "Traceback" not in err
    assert running_from(kit.folder) == []
    assert not list(kit.folder.glob("skyjo-bot-*"))


def test_bots_end_with_a_kit_that_is_killed(kit: Kit) -> None:
    write_spinner(kit)
    words = ("play", "greedy", "spinner.py", "--decision-ms=60000", "--bank-ms=60000")
    with kit.start(*words, TMPDIR=str(kit.folder)) as started:
        wait_for(lambda: list(kit.folder.glob("mark-*")), "the second game", 60)
        started.kill()
    wait_for(lambda: running_from(kit.folder) == [], "the bots' end", 60)


def test_folders_that_a_killed_kit_left_are_thrown_away_a_day_later(kit: Kit) -> None:
    now = time.time()
    for name, age_h in (("skyjo-bot-old", 25), ("skyjo-bot-new", 1), ("skyjo-old", 25)):
        folder = kit.folder / name / "bot"
        folder.mkdir(parents=True)
        (folder / "main.py").write_text("")
        os.utime(folder.parent, (now - age_h * 3600,) * 2)
    kit.run("play", "greedy", "random", "--deals=1", TMPDIR=str(kit.folder))
    assert sorted(path.name for path in kit.folder.glob("skyjo-*")) == ["skyjo-bot-new", "skyjo-old"]


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
