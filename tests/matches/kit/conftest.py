"""The kit as its users have it: the built file, the system's Python, an empty folder, and no environment."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from matches.kit.building import build

PYTHON = "/usr/bin/python3"


@dataclass(frozen=True)
class Kit:
    """`skyjo.pyz`, which lies in `folder` and is run there."""

    folder: Path

    def start(self, *words: str, **environ: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [PYTHON, "skyjo.pyz", *words],
            cwd=self.folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, **environ: str) -> tuple[int, str, str]:
        """Exit status, output and errors."""
        with self.start(*words, **environ) as process:
            out, err = process.communicate(timeout=100)
        assert "Traceback (most recent call last)" not in err, err
        return process.returncode, out, err

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


@pytest.fixture(scope="session")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kit") / "skyjo.pyz"
    path.write_bytes(build("https://arena.example.org"))
    return path


@pytest.fixture
def kit(pyz: Path, tmp_path: Path) -> Kit:
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "skyjo.pyz").symlink_to(pyz)
    return Kit(folder)


@pytest.fixture
def main(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The same commands in this process, for what needs no process of its own."""
    from matches.kit import main as command_line

    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        status = command_line(words)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run
