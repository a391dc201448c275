"""Fixtures for all tests."""

import gc
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from tests import people


def pytest_configure() -> None:
    # Slow on purpose, and not what is tested.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # The manifest is made by collectstatic; that every file in it is there, `make check` sees.
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)


def pytest_collection_finish() -> None:
    # Thousands of tests and all of Django stay to the end: to look through them again and again took a seventh of the
    # time. What the tests leave is still collected, in larger portions.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture
def owner(db: None) -> User:
    return people.make_owner()


@pytest.fixture
def rival(db: None) -> User:
    return people.make_rival()


@pytest.fixture
def operator(db: None) -> User:
    return people.make_operator()


@pytest.fixture(autouse=True)
def bells(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The bells that were rung, as (task, argument…), instead of a broker. `arena.bells.ring` waits for the commit."""
    rung: list[tuple[str, ...]] = []
    monkeypatch.setattr("arena.bells.send", lambda task, *args, **options: rung.append((task, *args)))
    monkeypatch.setattr("arena.bells.n_waiting", lambda queue: 0)
    return rung
