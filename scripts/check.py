"""Checks everything that needs no test run, as `make check` does; prints what is wrong and fails if anything is."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
SCHEMA = CHECKOUT / "docs" / "openapi.yaml"
STATIC_TAG = re.compile(r"""\{%\s*static\s+["']([^"']+)["']""")


def program(*words: str, **environ: str) -> Callable[[], str]:
    """A check that runs a program; what it printed is what is wrong."""

    def check() -> str:
        done = subprocess.run(
            words,
            cwd=CHECKOUT,
            env={**os.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return (done.stdout.strip() or f"exit status {done.returncode}") if done.returncode else ""

    return check


def python(*words: str, **environ: str) -> Callable[[], str]:
    return program(sys.executable, *words, **environ)


def tool(name: str, *words: str) -> Callable[[], str]:
    return program(str(Path(sys.executable).with_name(name)), *words)


def schema_is_current(data_dir: str) -> str:
    """The committed OpenAPI schema is what the code gives, without a warning."""
    made = Path(data_dir, "openapi.yaml")
    options = ("--validate", "--fail-on-warn", "--file", str(made))
    problem = python("manage.py", "spectacular", *options, DATA_DIR=data_dir)()
    if problem:
        return problem
    if not SCHEMA.exists() or SCHEMA.read_text() != made.read_text():
        return "docs/openapi.yaml is out of date: python manage.py spectacular --file docs/openapi.yaml"
    return ""


def static_files_are_whole(data_dir: str) -> str:
    """Every static file can be collected, and every template's references are among them."""
    problem = python("manage.py", "collectstatic", "--no-input", "--verbosity", "0", DATA_DIR=data_dir)()
    if problem:
        return problem
    collected = json.loads(Path(data_dir, "static", "staticfiles.json").read_text())["paths"]
    missing = [
        f"{template.relative_to(CHECKOUT)}: {name}"
        for template in sorted(CHECKOUT.glob("*/templates/**/*.html"))
        for name in STATIC_TAG.findall(template.read_text())
        if name not in collected
    ]
    return "\n".join(["These static files do not exist:", *missing]) if missing else ""


def checks(data_dir: str) -> dict[str, Callable[[], str]]:
    deployed = {
        "SECRET_KEY": secrets.token_urlsafe(64),
        "HTTPS": "1",
        "ALLOWED_HOSTS": "arena.example.org",
        "DATA_DIR": data_dir,
    }
    return {
        "lint": tool("ruff", "check", "."),
        "format": tool("ruff", "format", "--check", "."),
        "types": tool("mypy", "."),
        "floors": tool("lint-imports"),
        "migrations": python("manage.py", "makemigrations", "--check", "--dry-run", DATA_DIR=data_dir),
        "deployment": python("manage.py", "check", "--deploy", "--fail-level", "WARNING", **deployed),
        "OpenAPI": lambda: schema_is_current(data_dir),
        "addresses": python("-m", "tests.arena.access.addresses", DATA_DIR=data_dir),
        "static files": lambda: static_files_are_whole(data_dir),
    }


def main() -> int:
    failed = []
    with tempfile.TemporaryDirectory(prefix="skyjo-check-") as data_dir:
        for name, check in checks(data_dir).items():
            started = time.monotonic()
            problem = check()
            took = f"{time.monotonic() - started:.1f} s"
            print(f"{name:<14}{'FAILED' if problem else 'ok':<8}{took:>7}", flush=True)
            if problem:
                print(f"{problem}\n", flush=True)
                failed.append(name)
    if failed:
        print(f"make check failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
