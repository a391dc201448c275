"""Tries docker-compose.yml on a real Docker engine, as `make compose-test` does.

Builds the image, brings the stack up, submits a bot and waits for its rating, kills a worker's container and crashes
another, backs up, destroys and restores the database, stops everything in the middle of matches, and takes it down. All
that it makes has a project name of its own. The image stays, so that the next trial builds fast.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.test import on_signal
from tests.compose.engine import (
    BUILD_WITHIN_S,
    OURS,
    NoEngine,
    Trial,
    compose_command,
    need_images,
    output_of,
)
from tests.e2e import bots

BOT = "careful"
WORKERS = ["worker-matches", "worker-checks", "worker-housekeeping", "worker-ratings"]
# Between two looks at a condition; each is a command to the engine, or a request.
POLL_S = 0.5


def wait_for(condition: Callable[[], Any], what: str, within_s: float) -> Any:
    """What the condition comes to once it holds; fails, saying what was waited for."""
    deadline = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited {within_s:.0f} s for {what}"
        time.sleep(POLL_S)
    return found


@contextmanager
def step(what: str) -> Iterator[None]:
    print(f"{what} …", flush=True)
    started = time.monotonic()
    yield
    print(f"  ok, {time.monotonic() - started:.0f} s", flush=True)


def ask(trial: Trial, path: str, token: str = "", body: Any = None, **headers: str) -> tuple[int, str]:
    """Status and body of an answer; 0 if there was none."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{trial.url}{path}", data, headers)
    if token:
        request.add_header("Authorization", token)
    if data is not None:
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")
    except OSError:
        return 0, ""


def read(trial: Trial, path: str) -> Any:
    """The object that an address of the API answers with."""
    status, body = ask(trial, f"/api/v1/{path}")
    assert status == 200, f"{path}: {status} {body[:500]}"
    return json.loads(body)


class Visitor(threading.Thread):
    """Opens a page twice a second, and remembers what was no page."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(daemon=True)
        self.trial = trial
        self.n_pages = 0
        self.refusals: list[int] = []
        self.has_left = threading.Event()

    def run(self) -> None:
        while not self.has_left.wait(POLL_S):
            status, _ = ask(self.trial, "/")
            self.n_pages += 1
            if status != 200:
                self.refusals.append(status)


def come_up(trial: Trial) -> None:
    with step("Building the image"):
        trial.run("build", within_s=BUILD_WITHIN_S)
    with step("Starting everything, with two workers for matches"):
        trial.run("up", "--detach", "--scale", "worker-matches=2", within_s=600)
        wait_for(lambda: ask(trial, "/readyz")[0] == 200, "/readyz", 120)
        wait_for(lambda: ask(trial, "/healthz")[0] == 200, "/healthz", 180)
        assert len(trial.containers("worker-matches")) == 2
    with step("Waiting until every container says that it is healthy"):
        lasting = [
            one
            for name in [*OURS, "postgres", "redis"]
            if name != "prepare"
            for one in trial.containers(name)
        ]
        wait_for(lambda: all(map(trial.is_healthy, lasting)), "healthy containers", 600)
    with step("Reading the metrics"):
        assert ask(trial, "/metrics")[0] == 404
        status, body = ask(trial, "/metrics", f"Bearer {trial.metrics_token}")
        assert status == 200
        assert "skyjo_healthy 1.0" in body
        assert 'skyjo_processes{queue="matches"} 2.0' in body
        assert body.count("skyjo_sandbox_ok{") == 3, body


def play(trial: Trial) -> None:
    with step("Submitting a bot, which is checked and rated"):
        token = trial.manage("api_token", "somebody").split()[-1]
        status, body = ask(trial, "/api/v1/bots/", f"Token {token}", {"name": BOT, "source": bots.CAREFUL})
        assert status == 201, f"{status} {body}"
        version = json.loads(body)["id"]
        wait_for(
            lambda: read(trial, f"versions/{version}/")["status"] in {"ready", "rejected"}, "the check", 180
        )
        assert read(trial, f"versions/{version}/")["status"] == "ready"
        wait_for(lambda: BOT in ratings(trial), "a rating", 600)


def ratings(trial: Trial) -> dict[str, Any]:
    return {row["bot"]: row for row in read(trial, "ladders/duel/ratings/")["results"]}


def running_by(trial: Trial, container: str) -> list[list[str]]:
    sql = "SELECT a.id, a.match_id FROM matches_attempt a WHERE a.outcome = '{}' AND a.worker = 'matches@{}'"
    return trial.query(sql.format("running", container[:12]))


def lose_a_worker(trial: Trial) -> None:
    with step("Killing a worker's container in the middle of a match, which the other worker plays again"):
        victim = trial.containers("worker-matches")[0]
        for _ in range(8):
            wait_for(lambda: running_by(trial, victim), "a match in play", 120)
            output_of("docker", "kill", victim)
            lost = running_by(trial, victim)
            if lost:
                break
            # Its match ended between the look and the kill.
            output_of("docker", "start", victim)
        assert lost, "the worker was never caught in a match"
        (attempt, match), *_ = lost
        sql = f"SELECT count(*) FROM matches_result WHERE match_id = {match}"
        wait_for(lambda: trial.query(sql) == [["1"]], f"the result of match {match}", 120)
        assert trial.query(f"SELECT outcome, cause FROM matches_attempt WHERE id = {attempt}") == [
            ["lost", "lease"]
        ]
        print(f"  match {match} was lost with attempt {attempt} and has its one result", flush=True)
        output_of("docker", "start", victim)
    with step("Crashing a worker inside its container, which Docker starts again"):
        crashing = trial.containers("worker-matches")[1]
        subprocess.run(
            ["docker", "exec", crashing, "sh", "-c", "kill -9 -1"], check=False, capture_output=True
        )
        wait_for(lambda: trial.state(crashing)["RestartCount"] > 0, "the restart", 60)
    with step("Waiting until both play again"):
        for container in trial.containers("worker-matches"):
            wait_for(lambda one=container: running_by(trial, one), "a match in play", 180)
        wait_for(lambda: ask(trial, "/healthz")[0] == 200, "/healthz", 120)


def lose_the_database(trial: Trial) -> None:
    with step("Backing up, destroying the database's volume, and restoring"):
        trial.run("stop", *WORKERS, "beat")
        before = read(trial, "ladders/duel/ratings/"), read(trial, "ladders/table/ratings/")
        n_results = trial.query("SELECT count(*) FROM matches_result")
        dump = trial.postgres("pg_dump --format=custom -U arena arena")
        trial.run("stop", "web")
        trial.run("rm", "--stop", "--force", "postgres")
        volume = f"{trial.project}_postgres-data"
        output_of("docker", "volume", "rm", volume)
        trial.run("up", "--detach", "postgres")
        (postgres,) = trial.containers("postgres")
        wait_for(lambda: trial.is_healthy(postgres), "PostgreSQL", 120)
        trial.postgres("dropdb --if-exists --force -U arena arena")
        trial.postgres("createdb -U arena arena")
        trial.postgres("pg_restore --no-owner --exit-on-error -U arena --dbname=arena", stdin=dump)
        trial.run("up", "--detach", "--scale", "worker-matches=2", "web")
        wait_for(lambda: ask(trial, "/readyz")[0] == 200, "/readyz", 120)
        after = read(trial, "ladders/duel/ratings/"), read(trial, "ladders/table/ratings/")
        assert after == before
        assert trial.query("SELECT count(*) FROM matches_result") == n_results
        print(
            f"  {n_results[0][0]} results in {len(dump) / 2**20:.1f} MiB; the ratings are the same",
            flush=True,
        )
    with step("Going on with the restored data"):
        trial.run("up", "--detach", "--scale", "worker-matches=2")
        wait_for(
            lambda: trial.query("SELECT count(*) FROM matches_result") > n_results, "another result", 180
        )


def stop(trial: Trial) -> None:
    with step("Stopping everything while matches are played"):
        wait_for(lambda: running_by(trial, trial.containers("worker-matches")[0]), "a match in play", 120)
        trial.run("stop")
        statuses = {
            (name, trial.state(one)["ExitCode"])
            for name in [*OURS, "postgres", "redis"]
            for one in trial.containers(name)
        }
        assert all(code == 0 for _, code in statuses), f"exit statuses: {sorted(statuses)}"
        wrong = [line for line in trial.logs(*WORKERS, "beat", "web").splitlines() if '"exception"' in line]
        assert not wrong, "\n".join(wrong[-5:])
        trial.run("start", "postgres")
        (postgres,) = trial.containers("postgres")
        wait_for(lambda: trial.is_healthy(postgres), "PostgreSQL", 60)
        left = trial.query("SELECT id FROM matches_match WHERE status = 'running'")
        assert not left, f"matches left running: {left}"
        left = trial.query("SELECT name, seen_at FROM arena_pulse WHERE kind = 'worker'")
        assert not left, f"signs of life left behind: {left}"


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    try:
        compose = compose_command()
        need_images()
    except NoEngine as problem:
        print(f"make compose-test: {problem}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="skyjo-compose-") as folder:
        trial = Trial(compose, Path(folder))
        print(f"The project is {trial.project}, at {trial.url}", flush=True)
        try:
            come_up(trial)
            visitor = Visitor(trial)
            visitor.start()
            play(trial)
            lose_a_worker(trial)
            visitor.has_left.set()
            visitor.join()
            assert not visitor.refusals, f"of {visitor.n_pages} pages: {visitor.refusals}"
            print(f"All {visitor.n_pages} pages that were opened meanwhile were there", flush=True)
            lose_the_database(trial)
            stop(trial)
        except AssertionError as error:
            print(f"\nmake compose-test failed: {error}\n\n{trial.last_words()}", file=sys.stderr)
            return 1
        finally:
            with step("Taking everything down"):
                trial.down()
    print("The stack does what docs/operate.md says.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
