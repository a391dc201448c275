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
        timeout=300,
        check=False,
    )


def works(checkout: Path) -> bool:
    return subprocess.run([checkout / ".venv/bin/python", "-c", "import pip"], check=False).returncode == 0


# Where others want the cores too, pip takes minutes.
@pytest.mark.timeout(900)
def test_an_environment_is_made_left_alone_while_it_is_whole_and_made_anew_when_it_is_in_pieces(checkout):
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

    (checkout / "requirements.txt").write_text("six==1.17.0\n")
    refused = prepare(checkout, PIP_NO_INDEX="1")
    assert refused.returncode == 1, "a lock without hashes was taken"
    assert "could not be installed" in refused.stderr
    assert not (checkout / ".venv/made-from.json").exists()


@pytest.fixture
def whole(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with an environment that counts as whole; what stands for pip in it does nothing."""
    venv = checkout / ".venv"
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", venv], check=True)
    (library,) = venv.glob("lib/python3*/site-packages")
    (library / "pip.py").touch()
    monkeypatch.setattr(environment, "CHECKOUT", checkout)
    monkeypatch.setattr(environment, "VENV", venv)
    monkeypatch.setattr(environment, "STAMP", venv / "made-from.json")
    python = environment.choose_python()
    assert python is not None
    environment.write_stamp(
        {
            "python": str(Path(python).resolve()),
            "version": ".".join(map(str, environment.python_version(python) or ())),
            "checkout": str(checkout),
            "requirements.txt": environment.sha256_of("requirements.txt"),
        }
    )
    return checkout


def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would be run for the environment: all of it succeeds and does nothing."""
    ran: list[str] = []

    def run(command, environ=None):
        ran.append(" ".join(command))
        environment.VENV.mkdir(exist_ok=True)
        return 0

    monkeypatch.setattr(environment, "run", run)
    environment.make_venv(["requirements.txt"])
    return ran


def lose_the_interpreter(checkout: Path) -> None:
    python = checkout / ".venv/bin/python3"
    python.unlink()
    python.symlink_to("/nowhere/python3")


def lose_pip(checkout: Path) -> None:
    (library,) = checkout.glob(".venv/lib/python3*/site-packages")
    (library / "pip.py").unlink()


def change_the_lock(checkout: Path) -> None:
    (checkout / "requirements.txt").write_text("# nothing, but otherwise\n")


def lose_the_stamp(checkout: Path) -> None:
    (checkout / ".venv/made-from.json").unlink()


def test_a_whole_environment_runs_nothing(whole, monkeypatch):
    assert commands(monkeypatch) == []


@pytest.mark.parametrize("spoil", [lose_the_interpreter, lose_pip, change_the_lock, lose_the_stamp])
def test_a_broken_or_outdated_environment_is_made_anew(whole, monkeypatch, spoil):
    spoil(whole)
    made, installed = commands(monkeypatch)
    assert made.endswith(f"-m venv --clear {whole / '.venv'}")
    assert "--require-hashes -r requirements.txt" in installed


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
