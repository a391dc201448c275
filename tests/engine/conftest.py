from __future__ import annotations

import random

import pytest


@pytest.fixture
def rng() -> random.Random:
    """The same luck in every run."""
    return random.Random(7)
