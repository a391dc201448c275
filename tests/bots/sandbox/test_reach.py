"""The bot's files and the kit reach it whoever starts it, and whatever the modes and umask of the checkout are."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import bots.sandbox

PACKAGE = Path(bots.sandbox.__file__).parent

DRIVER = """
import os
from bots.sandbox.canary import run_canary
from bots.sandbox.launcher import SandboxLauncher
from bots.sandbox.limits import Limits
from bots.sandbox.runtimes import Program
report = run_canary(SandboxLauncher())
assert report.ok, report.problems
bot = b"import skyjo, brain.think\\nprint(input(), skyjo.NAME, brain.think.NAME)\\ninput()"
program = Program("python", {"main.py": bot, "brain/think.py": b"NAME = 'module'"}, "main.py")
with SandboxLauncher().start(program, Limits()) as process:
    answer = process.ask(b"reached", cpu_ms=20_000, wall_ms=60_000)
print(answer.line.decode(), os.getuid(), report.denials["kernel uids"])
"""


@pytest.fixture
def checkout() -> Iterator[Path]:
    """A checkout of the sandbox and a kit, made under umask 077 in a folder of mode 0700."""
    folder = Path(tempfile.mkdtemp())
    mask = os.umask(0o077)
    try:
        target = folder / "checkout" / "bots"
        (target / "kit").mkdir(parents=True)
        (target / "__init__.py").touch()
        (target / "kit" / "__init__.py").touch()
        (target / "kit" / "skyjo.py").write_text("NAME = 'kit'\n")
        (target / "sandbox").mkdir()
        for path in PACKAGE.glob("*.py"):
            (target / "sandbox" / path.name).write_bytes(path.read_bytes())
        yield folder
    finally:
        os.umask(mask)
        shutil.rmtree(folder)


def drive(checkout: Path, **options: object) -> str:
    done = subprocess.run(
        ["/usr/bin/python3", "-B", "-c", DRIVER],
        cwd=checkout / "checkout", env={}, capture_output=True, text=True, timeout=100, **options,  # type: ignore[call-overload]
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_from_a_private_folder_under_a_tight_umask(checkout: Path):
    assert oct(checkout.stat().st_mode & 0o777) == "0o700"
    assert oct((checkout / "checkout/bots/kit/skyjo.py").stat().st_mode & 0o777) == "0o600"
    assert drive(checkout, umask=0o077).startswith(f"reached kit module {os.getuid()} ")


def test_without_being_root(checkout: Path):
    if os.getuid() != 0:
        answer = drive(checkout)
        user = os.getuid()
    else:
        user = 64999
        for path in [checkout, *checkout.rglob("*")]:
            os.chown(path, user, user)
        answer = drive(checkout, user=user, group=user, extra_groups=[])
    assert answer == f'reached kit module {user} ["{user}", "{user}", "{user}", "{user}"]\n'
