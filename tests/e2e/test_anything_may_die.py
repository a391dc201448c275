"""Every kind of death once, on either database: `make soak` kills for longer."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.ops.processes import wait_for

CHECKOUT = Path(__file__).resolve().parents[2]
# Where others want the cores too; alone it takes a minute.
WITHIN_S = 560


@pytest.mark.timeout(600)
def test_whatever_dies_every_match_has_its_one_result_and_the_site_answers(tmp_path: Path) -> None:
    words = ("-m", "tests.soak.kills", "--matches", "20", "--seed", "1", "--pause", "1", "--once")
    runs: dict[Path, subprocess.Popen[bytes]] = {}
    for database in ("postgresql", "sqlite"):
        log = tmp_path / database
        with log.open("wb") as output:
            runs[log] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", sys.executable, *words, "--database", database],
                cwd=CHECKOUT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
    try:
        wait_for(lambda: all(run.poll() is not None for run in runs.values()), "both runs", WITHIN_S)
    finally:
        for run in runs.values():
            run.terminate()
    for log, run in runs.items():
        assert run.returncode == 0, log.read_text()
