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
        # A SIGTERM asks the worker to end within the soft shutdown's time instead of after its last task.
        "REMAP_SIGTERM": "SIGQUIT",
        "SOFT_SHUTDOWN_S": "3",
        "PYTHONUNBUFFERED": "1",
    }
    level = common["LOG_LEVEL"]

    def program(name: str, *words: str, fds: tuple[int, ...] = ()) -> Program:
        # PostgreSQL shows by this name whose a connection is.
        environ = {**common, "PGAPPNAME": name}
        return Program(name, (sys.executable, "-m", *words), environ, base_dir, fds)

    def worker(queue: str, *words: str) -> Program:
        options = ("-Q", queue, "-n", f"{queue}@%h", "--without-gossip", "--without-mingle", *words)
        return program(f"the {queue} worker", "celery", "-A", "arena", "worker", "-l", level, *options)

    web = f"""--bind fd://{listener} --workers 2 --worker-class gthread --threads 4 --timeout 60
        --graceful-timeout 2 --max-requests 5000 --max-requests-jitter 500 --no-control-socket"""
    return [
        program(
            "the web server",
            *("gunicorn", "arena.wsgi", *web.split(), "--log-level", level.lower()),
            fds=(listener,),
        ),
        worker("matches", "--concurrency", str(match_workers)),
        worker("checks", "--concurrency", "1"),
        worker("housekeeping", "--pool", "solo"),
        program(
            "beat",
            *("celery", "-A", "arena", "beat", "-l", level, "--pidfile", ""),
            *("--schedule", str(data_dir / "beat-schedule")),
        ),
    ]
