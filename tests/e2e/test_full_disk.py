"""A full disk is named and harms nothing, and the arena goes on when there is room; who cannot write says why."""

import errno
import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from arena.serving.address import Address, probe
from scripts.servers import free_port
from tests.make import STEADY
from tests.ops.processes import alive, end, family, wait_for
from tests.ops.test_serve import ELSEWHERE

CHECKOUT = Path(__file__).resolve().parents[2]
# Static files take a quarter of it.
SIZE = "72m"
# A file system of its own, in a name space of its own, in which whoever is not root may make it too.
MOUNTED = """
    mount -t tmpfs -o size={size} none "$DATA_DIR" && {then} || exit 99
    exec {python} manage.py serve
"""
QUERY = """
import json, sqlite3, sys
with sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=30) as connection:
    print(json.dumps(connection.execute(sys.argv[2]).fetchall()))
"""
SERVED = "SELECT count(*) FROM matches_match WHERE status = 'finished'"


class Small:
    """`manage.py serve` whose DATA_DIR is a small disk."""

    def __init__(self, folder: Path, then: str = "true") -> None:
        self.address = Address("127.0.0.1", free_port())
        self.mount_point = folder / "data"
        self.mount_point.mkdir()
        self.log = folder / "log"
        script = MOUNTED.format(size=SIZE, then=then, python=sys.executable)
        as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        self.environ = {name: value for name, value in os.environ.items() if name not in ELSEWHERE} | {
            "DATA_DIR": str(self.mount_point),
            "PORT": str(self.address.port),
            "MATCH_WORKERS": "1",
            "LEASE_S": "10",
        }
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                ["unshare", *as_root, "--mount", "sh", "-c", script],
                cwd=CHECKOUT,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def data_dir(self) -> Path:
        """As it is seen from outside its name space."""
        return Path(f"/proc/{self.process.pid}/root") / str(self.mount_point).lstrip("/")

    def run(self, *words: str) -> str:
        """What Python prints that runs in the name space."""
        as_user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        done = subprocess.run(
            [
                *(
                    "nsenter",
                    "--target",
                    str(self.process.pid),
                    "--mount",
                    *as_user,
                    f"--wd={CHECKOUT}",
                    "--",
                ),
                *(sys.executable, *words),
            ],
            cwd=CHECKOUT,
            env=self.environ,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=60,
        )
        return done.stdout

    def query(self, sql: str) -> list[list[object]]:
        rows: list[list[object]] = json.loads(
            self.run("-c", QUERY, str(self.mount_point / "arena.sqlite3"), sql)
        )
        return rows

    def n_finished(self) -> int:
        return int(str(self.query(SERVED)[0][0]))

    def fill(self) -> None:
        """Leave no byte: what is freed meanwhile, such as a log of the database, is taken too."""
        with (self.data_dir / "ballast").open("ab", buffering=0) as ballast:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        ballast.write(b"\0" * size)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def empty(self) -> None:
        (self.data_dir / "ballast").unlink()

    def reasons(self) -> str:
        return " ".join(probe(self.address, "localhost").reasons)

    def submit(self, token: str) -> tuple[int, str]:
        """The status and the code of the answer to an upload."""
        headers = {"Host": "localhost", "Content-Type": "application/json", "Authorization": f"Token {token}"}
        body = json.dumps({"name": "newcomer", "source": STEADY.decode()})
        connection = http.client.HTTPConnection(self.address.host, self.address.port, timeout=60)
        connection.request("POST", "/api/v1/bots/", body, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        connection.close()
        return response.status, answer.get("error", {}).get("code", "")

    def status_of(self, path: str) -> int:
        connection = http.client.HTTPConnection(self.address.host, self.address.port, timeout=60)
        connection.request("GET", path, headers={"Host": "localhost"})
        status = connection.getresponse().status
        connection.close()
        return status


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Small]:
    served = Small(tmp_path)
    yield served
    end(family(served.process.pid))
    served.process.wait()


def test_a_full_disk_is_named_harms_nothing_and_the_arena_goes_on_when_there_is_room(small: Small) -> None:
    wait_for(lambda: probe(small.address, "localhost").is_well, "the site", 180)
    wait_for(lambda: small.n_finished() >= 2, "matches", 180)

    token = small.run("manage.py", "api_token", "olivia").strip()

    def is_full() -> bool:
        small.fill()
        return "disk" in small.reasons()

    wait_for(is_full, "the site to say that its disk is full", 180)
    assert small.submit(token) == (503, "disk_full")
    assert small.status_of("/ladders/duel/") == 200
    n_before = small.n_finished()

    small.empty()
    wait_for(lambda: small.n_finished() > n_before + 1, "more matches", 180)
    wait_for(lambda: probe(small.address, "localhost").is_well, "the site to be well", 180)
    assert small.submit(token) == (201, "")

    assert small.query("PRAGMA integrity_check") == [["ok"]]
    assert small.query("PRAGMA foreign_key_check") == []
    games = "SELECT count(*) FROM matches_game WHERE match_id = m.id"
    assert (
        small.query(
            f"SELECT id FROM matches_match m WHERE status = 'finished' AND ({games}) <> seats * deals"
        )
        == []
    )
    seen = family(small.process.pid)
    small.process.send_signal(signal.SIGTERM)
    assert small.process.wait(60) == 0, small.log.read_text()
    assert not alive(seen)


@pytest.mark.parametrize(
    "there", ["true", 'mkdir -p "$DATA_DIR/broker/bells" && echo x > "$DATA_DIR/secret-key"']
)
def test_a_data_directory_that_cannot_be_written_is_refused_in_words(tmp_path: Path, there: str) -> None:
    served = Small(tmp_path, then=f'{there} && mount -o remount,ro "$DATA_DIR"')
    try:
        assert served.process.wait(120) == 1
    finally:
        with suppress(ProcessLookupError):
            os.killpg(served.process.pid, signal.SIGKILL)
    said = served.log.read_text()
    assert f"DATA_DIR {served.mount_point} cannot be written: Read-only file system." in said
    assert "Traceback" not in said
