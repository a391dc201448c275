"""The main job once more, in a terminal: from the kit's download to a rated bot and a game played again."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e import bots
from tests.e2e.conftest import Stack
from tests.e2e.test_by_api import curl
from tests.ops.processes import wait_for


class Kit:
    """`skyjo.pyz` as the stack serves it, in an empty folder."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self.stack = stack
        self.folder = folder
        subprocess.run(["curl", "--silent", "--fail", "-O", f"{stack.url}skyjo.pyz"], cwd=folder, check=True)

    def run(self, *words: str, token: str = "") -> tuple[int, str, str]:
        done = subprocess.run(
            ["/usr/bin/python3", "skyjo.pyz", *words],
            cwd=self.folder,
            env={"SKYJO_TOKEN": token} if token else {},
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def kit(stack: Stack, tmp_path: Path) -> Kit:
    return Kit(stack, tmp_path)


def test_from_the_download_to_a_ready_bot_and_its_games_played_again(stack: Stack, kit: Kit) -> None:
    said = json.loads(curl(stack, "kit/"))
    assert hashlib.sha256((kit.folder / "skyjo.pyz").read_bytes()).hexdigest() == said["sha256"]
    token = stack.manage("api_token", "kim").strip()
    assert kit.run("new", "kims-bot.py")[0] == 0
    assert kit.run("check", "kims-bot.py")[0] == 0
    # The arena that it came from, without being told.
    status, out, err = kit.run("submit", "kims-bot.py", token=token)
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == f"kims-bot v1 is at {stack.url}bots/kims-bot/versions/1/"
    assert out.splitlines()[-1] == "Ready: it plays from now on."

    def games() -> list[dict]:
        return json.loads(curl(stack, "games/?bot=kims-bot"))["results"]

    wait_for(games, "a game", 240)
    game = games()[0]
    seat = next(each["seat"] for each in game["seats"] if each["bot"] == "kims-bot")
    page = f"{stack.url}games/{game['id']}/"
    assert kit.run("verify", page, game["replay_url"])[::2] == (0, "")
    status, out, _ = kit.run("reproduce", page, "--seat", str(seat), "kims-bot.py")
    assert status == 0, out
    assert f"kims-bot v1 sat in seat {seat}; your file is that very version." in out
    source = (kit.folder / "kims-bot.py").read_text()
    (kit.folder / "other.py").write_text(source.replace("card <= 4", "card <= 9"))
    status, out, _ = kit.run("reproduce", page, "--seat", str(seat), "other.py")
    assert status == 1
    assert "recorded: " in out
    assert kit.run("watch", page, "--speed", "0")[0] == 0


def test_what_the_arena_refuses_is_said_in_its_words(stack: Stack, kit: Kit) -> None:
    token = stack.manage("api_token", "lou").strip()
    (kit.folder / "crasher.py").write_text(bots.CRASHES + "# Lou's\n")
    (kit.folder / "binary.py").write_bytes(b"\x7fELF\0")
    place = stack.url.removeprefix("http://").rstrip("/")
    status, out, err = kit.run("submit", "crasher.py", "--bot", "lous-bot", token=token)
    assert (status, err) == (1, "")
    # What the program said itself stands below.
    (sentence,) = (
        line.removeprefix("Rejected. ") for line in out.splitlines() if line.startswith("Rejected. ")
    )
    assert "exited with status 1" in sentence
    # The check at home says the same.
    assert sentence in kit.run("check", "crasher.py")[1]
    for words, said in (
        (("crasher.py", "--bot", "ev"), "refuses (400): Another bot is already called “ev”."),
        (("binary.py",), "refuses (400): The file is not source but binary data: upload the source."),
        (("crasher.py", "--token", "wrong"), "does not know this token (401): "),
    ):
        status, out, err = kit.run("submit", *words, token=token)
        assert status in {1, 2}
        assert out == ""
        assert err.startswith(f"{place} {said}")
    assert kit.run("verify", f"{stack.url}games/123456789/")[::2] == (
        2,
        f"{stack.url}api/v1/games/123456789/replay/ is not there (404): There is nothing at this address.\n",
    )
