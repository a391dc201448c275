"""The scene, and no noise about what is refused there."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.arena.access.scene import Scene, make_scene


@pytest.fixture
def quiet() -> Iterator[None]:
    """A thousand refusals are not logged: their tracebacks take longer than the requests."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def scene(settings: Settings, quiet: None) -> Scene:
    settings.QUOTA_TOURNAMENTS = settings.QUOTA_TRIALS = 5
    scene = make_scene()
    settings.METRICS_TOKEN = scene.word("token of the metrics")
    return scene
