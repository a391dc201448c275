"""What `make` does to the machine and to `.venv/` before anything else."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts import environment

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that needs no Python package, so that nothing is downloaded."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(CHECKOUT / "scripts" / "environment.py", tmp_path / "scripts")
    (tmp_path / "requirements.txt").write_text("# nothing\n")
    return tmp_path


def prepare(checkout: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["python3", "scripts/environment.py", "run"],
        cwd=checkout,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def works(checkout: Path) -> bool:
    return subprocess.run([checkout / ".venv/bin/python", "-c", "import pip"], check=False).returncode == 0


def test_a_broken_or_outdated_environment_is_made_anew_and_a_whole_one_is_left_alone(checkout):
    mark = checkout / ".venv/mark"
    assert prepare(checkout).returncode == 0
    assert works(checkout)

    mark.touch()
    assert prepare(checkout).returncode == 0
    assert mark.exists()

    # As an interrupted installation leaves it: no stamp, and pip in pieces.
    (checkout / ".venv/made-from.json").unlink()
    for package in checkout.glob(".venv/lib/python3*/site-packages/pip"):
        shutil.rmtree(package)
    assert prepare(checkout).returncode == 0
    assert works(checkout)
    assert not mark.exists()

    python = checkout / ".venv/bin/python3"
    python.unlink()
    python.symlink_to("/nowhere/python3")
    assert prepare(checkout).returncode == 0
    assert works(checkout)

    mark.touch()
    (checkout / "requirements.txt").write_text("# nothing, but otherwise\n")
    assert prepare(checkout).returncode == 0
    assert not mark.exists()


def test_a_lock_without_hashes_is_refused(checkout):
    (checkout / "requirements.txt").write_text("six==1.17.0\n")
    refused = prepare(checkout, PIP_NO_INDEX="1")
    assert refused.returncode == 1
    assert "could not be installed" in refused.stderr
    assert not (checkout / ".venv/made-from.json").exists()


def test_an_unwritable_data_directory_is_named(checkout):
    refused = prepare(checkout, DATA_DIR="/proc/nowhere")
    assert refused.returncode == 1
    assert "The data directory /proc/nowhere cannot be written" in refused.stderr
    assert "DATA_DIR=/some/where make run" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_without_root_it_says_what_to_install_and_stops(monkeypatch):
    monkeypatch.setattr(environment.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(
        environment.shutil, "which", lambda name, **_: None if name == "sudo" else f"/usr/bin/{name}"
    )
    missing = [environment.Need("bubblewrap", lambda: False), environment.Need("make", lambda: True)]
    with pytest.raises(environment.Problem) as problem:
        environment.install_packages(missing)
    assert "apt-get update && apt-get install --no-install-recommends bubblewrap\n" in str(problem.value)


def test_the_system_python_is_preferred():
    assert environment.choose_python() == "/usr/bin/python3"
