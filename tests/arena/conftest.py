"""Fixtures for tests of the arena."""

import importlib

import pytest

# Not the function of this name, which hides the module.
estimating = importlib.import_module("arena.formats.estimate")


@pytest.fixture(scope="session", autouse=True)
def every_page_is_loaded() -> None:
    """Pages are imported with the first request. Were that one in a test that has replaced a function, those which
    import it by name would keep the other for good."""
    importlib.import_module("arena.urls")


@pytest.fixture(autouse=True)
def estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every event that is created is estimated, and here few rehearsals do. How good the figures of all of them are,
    `test_estimate` sees."""
    monkeypatch.setattr(estimating, "DRAWS", 10_000)


@pytest.fixture(autouse=True)
def rested(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that plays remembers how many attempts have failed, and then rests: not those of another test."""
    monkeypatch.setattr("arena.services.playing._n_failed", 0)
