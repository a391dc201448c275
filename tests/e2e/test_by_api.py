"""The main job once more, by curl."""

import json
import subprocess
from pathlib import Path

from matches.replay import verify
from tests.e2e import bots
from tests.e2e.conftest import Stack
from tests.ops.processes import wait_for


def curl(stack: Stack, path: str, *options: str) -> bytes:
    """The body of a successful answer."""
    words = ["curl", "--silent", "--show-error", "--fail-with-body", *options, f"{stack.url}api/v1/{path}"]
    done = subprocess.run(words, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_from_a_token_to_a_verified_replay(stack: Stack, tmp_path: Path) -> None:
    token = stack.manage("api_token", "bob").strip()
    authorized = ("-H", f"Authorization: Token {token}")
    source = tmp_path / "careful.py"
    source.write_text(bots.CAREFUL + "# Bob's\n")
    sent = curl(stack, "bots/", *authorized, "-F", "name=bobs-bot", "-F", f"file=@{source}")
    version = json.loads(sent)["id"]

    def status() -> str:
        return json.loads(curl(stack, f"versions/{version}/", *authorized))["status"]

    wait_for(lambda: status() in {"ready", "rejected"}, "the check", 180)
    assert status() == "ready"

    def ratings() -> dict[str, dict]:
        rows = json.loads(curl(stack, "ladders/duel/ratings/"))["results"]
        return {row["bot"]: row for row in rows}

    wait_for(lambda: "bobs-bot" in ratings(), "a rating", 240)
    row = ratings()["bobs-bot"]
    assert row["n_games"] >= 10
    assert row["standard_error"] > 0

    games = json.loads(curl(stack, "games/?bot=bobs-bot"))["results"]
    for query, options in (("", ()), ("?format=compact", ()), ("", ("--compressed",))):
        file = tmp_path / "replay.json"
        file.write_bytes(curl(stack, f"games/{games[0]['id']}/replay/{query}", *options))
        assert verify(file.read_bytes()).n_rounds


def test_what_cannot_be_is_refused_with_a_status_and_a_sentence(stack: Stack) -> None:
    def answer(path: str, *options: str) -> tuple[int, dict]:
        words = ["curl", "--silent", "--write-out", "\n%{http_code}", *options, f"{stack.url}api/v1/{path}"]
        body, _, code = subprocess.run(words, capture_output=True, timeout=60, check=True).stdout.rpartition(
            b"\n"
        )
        return int(code), json.loads(body)["error"]

    token = stack.manage("api_token", "carol").strip()
    authorized = ("-H", f"Authorization: Token {token}")
    assert answer("bots/", "-d", "{}", "-H", "Content-Type: application/json")[0] == 401
    assert answer("bots/", "-H", "Authorization: Token wrong")[0] == 401
    assert answer("games/123456789/replay/")[0] == 404
    code, error = answer(
        "bots/",
        *authorized,
        "-H",
        "Content-Type: application/json",
        "-d",
        '{"name": "x y", "source": "pass"}',
    )
    assert (code, list(error["fields"])) == (400, ["name"])
