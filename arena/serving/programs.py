"""The programs that make up the arena on one machine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from arena.serving.supervisor import Program


def arena_programs(
    *, base_dir: Path, data_dir: Path, environ: Mapping[str, str], listener: int, match_workers: int
) -> list[Program]:
    """Web server, one worker for each queue, and beat; `listener` is the web server's open socket."""
    common = {
        "LOG_LEVEL": "WARNING",
        **environ,
        "DATA_DIR": str(data_dir),
        "EMBEDDED": "1",
        "MATCH_WORKERS": str(match_workers),
        "SOFT_SHUTDOWN_S": "2",
        "PYTHONUNBUFFERED": "1",
        # Celery warns of root because of pickled messages, which we refuse; bots never run as root.
        "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
    }

    def program(name: str, *words: str, fds: tuple[int, ...] = (), plays: bool = False) -> Program:
        # PostgreSQL shows by this name whose a connection is.
        own = {**common, "PGAPPNAME": name}
        argv = (sys.executable, "-m", *words)
        if plays:
            # SIGTERM asks for an end within the soft shutdown's time, instead of after the task in hand. (The pool
            # `solo` could not do that, but its tasks are short, or lose nothing when they are killed.)
            own["REMAP_SIGTERM"] = "SIGQUIT"
            # Bots keep every core busy for hours; pages must stay quick meanwhile.
            argv = ("nice", "-n", "5", *argv)
        return Program(name, argv, own, base_dir, fds)

    def worker(queue: str, *words: str, plays: bool) -> Program:
        options = ("-Q", queue, "-n", f"{queue}@%h", "--without-gossip", "--without-mingle", *words)
        command = ("celery", "-q", "-A", "arena", "worker", *options)
        return program(f"the {queue} worker", *command, plays=plays)

    web = f"""--bind fd://{listener} --workers 2 --worker-class gthread --threads 4 --timeout 60
        --graceful-timeout 2 --max-requests 5000 --max-requests-jitter 500 --no-control-socket
        --logger-class arena.serving.gunicorn_logs.Logger"""
    return [
        program("the web server", "gunicorn", "arena.wsgi", *web.split(), fds=(listener,)),
        worker("matches", "--concurrency", str(match_workers), plays=True),
        worker("checks", "--concurrency", "1", plays=True),
        worker("housekeeping", "--pool", "solo", plays=False),
        worker("ratings", "--pool", "solo", plays=False),
        program(
            "beat",
            *("celery", "-q", "-A", "arena", "beat", "--pidfile", ""),
        ),
    ]
