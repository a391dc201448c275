"""Some seconds of fuzzing. FUZZ_SEED is another seed, FUZZ_TIMES makes it longer; `make soak PART=fuzz` sets both."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

SEED = os.environ.get("FUZZ_SEED") or "1"
TIMES = float(os.environ.get("FUZZ_TIMES") or 1)
# CPU time: a busy host takes longer.
SECONDS = {"zips": 6, "apart": 3, "sources": 2, "syntax": 3}
MUST_HAPPEN = {
    "zips": {
        "taken",
        "broken_zip",
        "broken_entry",
        "hidden_bytes",
        "disagree",
        "overlap",
        "duplicate",
        "ratio",
    },
    "apart": {"taken", "broken_zip"},
    "sources": {"taken", "not_utf8", "binary", "coding"},
    "syntax": {"taken", "syntax"},
}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", SECONDS)
def test_no_upload_has_another_end_than_a_package_or_a_refusal(part: str) -> None:
    argv = [sys.executable, "-m", "tests.bots.packages.fuzzing", part, SEED, str(SECONDS[part] * TIMES)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)  # noqa: T201 - shown where it fails
    assert done.returncode == 0, f"FUZZ_SEED={SEED}"
    ends = set(re.findall(r"^ +\d+ (.+)$", done.stdout, re.MULTILINE))
    assert ends >= MUST_HAPPEN[part]
