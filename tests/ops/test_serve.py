"""`manage.py serve` as a person runs it: SQLite, the folder of bells, all processes real."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.serving.address import Address, probe
from scripts.servers import free_port
from tests.ops.processes import Identity, alive, command_line, end, family, wait_for

CHECKOUT = Path(__file__).resolve().parents[2]
ELSEWHERE = (
    "DATABASE_URL",
    "REDIS_URL",
    "HOST",
    "PORT",
    "DATA_DIR",
    "ALLOWED_HOSTS",
    "HTTPS",
    "MATCH_WORKERS",
)
STOP_WITHIN_S = 60.0

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


class Served:
    """One `manage.py serve`, in a process group of its own."""

    def __init__(self, data_dir: Path, port: int, *, ignoring_sigint: bool = False, **environ: str) -> None:
        self.address = Address("127.0.0.1", port)
        self.data_dir = data_dir
        self.log = data_dir.with_name(f"{data_dir.name}-{port}-{os.urandom(4).hex()}.log")
        inherited = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"],
                cwd=CHECKOUT,
                env={**inherited, **environ, "DATA_DIR": str(data_dir), "PORT": str(port)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
                if ignoring_sigint
                else None,
            )

    def family(self) -> set[Identity]:
        return family(self.process.pid)

    def pids(self, *words: str) -> list[int]:
        return [pid for pid, _ in self.family() if all(word in command_line(pid) for word in words)]

    def wait_until_well(self) -> None:
        wait_for(
            lambda: "is running at" in self.log.read_text() or self.process.poll() is not None,
            "the site",
            180,
        )
        assert self.process.poll() is None, self.log.read_text()
        assert probe(self.address, "localhost").is_well

    def refusal(self) -> str:
        """What it says when it does not start."""
        assert self.process.wait(120) == 1
        text = self.log.read_text()
        assert "Traceback" not in text
        return text

    def lines(self) -> list[dict[str, object]]:
        """What was logged as JSON."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def ends_leaving_nothing(self, seen: set[Identity]) -> bool:
        assert self.process.wait(STOP_WITHIN_S) == 0, self.log.read_text()
        return not alive(seen)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    started = []

    def start(port: int, name: str = "data", *, ignoring_sigint: bool = False, **environ: str) -> Served:
        served = Served(tmp_path / name, port, ignoring_sigint=ignoring_sigint, **environ)
        started.append(served)
        return served

    yield start
    for served in started:
        end(served.family())
        served.process.wait()


def n_finished(data_dir: Path) -> int:
    with sqlite3.connect(f"file:{data_dir / 'arena.sqlite3'}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT count(*) FROM matches_match WHERE status = 'finished'").fetchone()[
            0
        ]


def test_it_serves_refuses_a_second_one_ends_whole_and_goes_on_with_the_data(serve):
    port = free_port()
    first = serve(port, ignoring_sigint=True, LOG_FORMAT="json", LOG_LEVEL="INFO")
    first.wait_until_well()

    said = serve(free_port()).refusal()
    assert f"is running already (process {first.process.pid}, http://127.0.0.1:{port}/)" in said
    said = serve(port, "other data").refusal()
    assert f"Port {port} on 127.0.0.1 is taken by" in said
    assert f"(process {first.process.pid})" in said
    assert "PORT=" in said

    wait_for(lambda: first.pids("bwrap"), "a match in play", 120)
    seen = first.family()
    os.killpg(first.process.pid, signal.SIGINT)
    os.killpg(first.process.pid, signal.SIGINT)
    assert first.ends_leaving_nothing(seen)
    n_before = n_finished(first.data_dir)
    assert n_before
    loggers = {str(line["logger"]) for line in first.lines()}
    assert {"gunicorn.error", "arena.services.playing"} <= loggers
    for line in first.lines():
        if line["logger"] == "arena.services.playing":
            assert {"task", "match", "versions"} <= set(line), line

    second = serve(port)
    second.wait_until_well()
    wait_for(lambda: n_finished(second.data_dir) > n_before, "more matches than before", 180)
    seen = second.family()
    second.process.send_signal(signal.SIGTERM)
    assert second.ends_leaving_nothing(seen)
    assert second.log.read_text().endswith("Stopped.\n")


def test_a_killed_worker_is_started_again_and_the_killed_arena_leaves_nothing(serve):
    served = serve(free_port())
    served.wait_until_well()
    workers = ("celery", "worker", "matches@")
    before = set(served.pids(*workers))
    main = min(before)

    os.kill(main, signal.SIGKILL)
    wait_for(lambda: before.isdisjoint(now := set(served.pids(*workers))) and now, "another worker", 120)
    assert "the matches worker ended by SIGKILL; starting it again" in served.log.read_text()

    seen = served.family()
    served.process.kill()
    wait_for(lambda: not alive(seen), "the end of the orphaned processes", 120)
