"""`make test` itself: what makes it fail, what it prints last, and that it leaves nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from scripts import servers
from tests.ops.processes import alive, end, family, wait_for

CHECKOUT = Path(__file__).resolve().parents[2]


def start(test_file: Path, source: str) -> subprocess.Popen[str]:
    test_file.write_text(source)
    alone = ("-p", "no:cacheprovider", "-p", "no:django", "-c", "/dev/null", f"--rootdir={test_file.parent}")
    return subprocess.Popen(
        [sys.executable, "-m", "scripts.test", *alone, str(test_file)],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    ("body", "status", "closing"),
    [
        ("assert os.environ['DATABASE_URL'] and os.environ['REDIS_URL']", 0, "1 passed in "),
        ("assert 0", 1, "1 failed in "),
        ("pytest.skip('no browser')", 1, "1 skipped in "),
    ],
)
def test_it_fails_with_a_failed_or_skipped_test_and_ends_with_pytests_closing_line(
    tmp_path, body, status, closing
):
    runner = start(tmp_path / "test_it.py", f"import os, pytest\ndef test_it():\n    {body}\n")
    output, _ = runner.communicate(timeout=100)
    assert runner.returncode == status
    assert closing in output.rstrip().splitlines()[-1], output


PARTS = """
import sys
from scripts import test
alone = ("-p", "no:cacheprovider", "-p", "no:django", "-c", "/dev/null", "--rootdir={folder}")
test.PARTS = (
    test.Part("beside", (*alone, "{folder}/test_beside.py"), on_servers=True, beside=True),
    test.Part("after another", (*alone, "{folder}/test_it.py"), on_servers=False),
)
sys.exit(test.main([]))
"""
BESIDE = """
import pathlib, time
def test_beside():
    until = time.monotonic() + 60
    while not pathlib.Path({here!r}).exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    assert {is_well}
"""


@pytest.mark.parametrize(
    ("is_well", "status", "closing"), [(True, 0, "1 passed in "), (False, 1, "1 failed in ")]
)
def test_what_runs_beside_the_other_parts_is_shown_whole_after_them_and_counts(
    tmp_path, is_well, status, closing
):
    here = str(tmp_path / "here")
    (tmp_path / "test_it.py").write_text(
        f"import pathlib\ndef test_it():\n    pathlib.Path({here!r}).touch()\n"
    )
    (tmp_path / "test_beside.py").write_text(BESIDE.format(here=here, is_well=is_well))
    done = subprocess.run(
        [sys.executable, "-c", PARTS.format(folder=tmp_path)],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == status, done.stderr
    shown = done.stdout.index("--- after another: "), done.stdout.index("--- beside: ")
    assert shown == tuple(sorted(shown))
    assert closing in done.stdout[shown[1] :]
    assert closing in done.stdout.rstrip().splitlines()[-1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_its_servers_when_it_is_told_to_stop(tmp_path, number):
    here = tmp_path / "here"
    runner = start(
        tmp_path / "test_it.py",
        f"import pathlib, signal\ndef test_it():\n    pathlib.Path({str(here)!r}).touch()\n    signal.pause()\n",
    )
    seen = family(runner.pid)
    try:
        wait_for(lambda: here.exists() or runner.poll() is not None, "the test", 60)
        seen = family(runner.pid)
        assert len(seen) > 5
        runner.send_signal(number)
        runner.communicate(timeout=30)
        assert runner.returncode == 128 + number
        assert not alive(seen)
    finally:
        end(seen)


def test_servers_live_with_their_block_and_belong_to_nobody_special():
    with servers.throwaway_servers() as given:
        with psycopg.connect(given.database_url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        with redis.Redis.from_url(given.redis_url) as client:
            assert client.ping()
        if os.geteuid() == 0:
            assert given.postgres.log.parent.owner() == "nobody"
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(given.database_url, connect_timeout=5)
    with pytest.raises(redis.ConnectionError):
        redis.Redis.from_url(given.redis_url).ping()
    assert not given.postgres.log.parent.exists()


def test_a_server_that_is_stopped_starts_again_where_it_was_with_what_it_kept():
    with servers.throwaway_servers() as given:
        with psycopg.connect(given.database_url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept (number int)")
        given.postgres.stop(signal.SIGINT)
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(given.database_url, connect_timeout=5)
        given.postgres.start_again()
        with psycopg.connect(given.database_url) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
        given.redis.stop(signal.SIGKILL)
        given.redis.start_again()
        with redis.Redis.from_url(given.redis_url) as client:
            assert client.ping()


def test_a_server_that_cannot_be_had_is_named(monkeypatch):
    monkeypatch.setattr(servers.shutil, "which", lambda name: None)
    with pytest.raises(servers.ServerProblem, match="Redis is not installed"), servers.throwaway_servers():
        pass
    monkeypatch.setattr(servers, "postgres_bin", lambda: None)
    with (
        pytest.raises(servers.ServerProblem, match="PostgreSQL is not installed"),
        servers.throwaway_servers(),
    ):
        pass
