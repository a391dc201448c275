"""One browser and one seeded arena for all tests of a module, rolled back at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import pytest
from django.db import connection, transaction
from playwright.sync_api import Browser, BrowserContext
from pytest_django import DjangoDbBlocker

from tests.browser.looking import Look, chromium, window
from tests.browser.scene import Page, Scene, make_scene
from tests.browser.serving import served


@dataclass
class Site:
    """The arena that is served; each reader has one window of each size. Who changes it meanwhile, takes the lock."""

    scene: Scene
    url: str
    browser: Browser
    lock: AbstractContextManager[bool]
    windows: dict[tuple[str, str], BrowserContext] = field(default_factory=dict)

    def look(self, page: Page, look: str) -> Look:
        """The page, open in the reader's window of that size."""
        key = page.reader, look
        if key not in self.windows:
            self.windows[key] = window(self.browser, self.url, look, self.scene.cookies.get(page.reader, ""))
        seen = Look(self.windows[key].new_page())
        seen.open(self.scene.at(page))
        return seen


@pytest.fixture(scope="module")
def site(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    # With the browser's loop in this thread, Django has other connections here than without: it comes first, goes last.
    with chromium() as browser, pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        try:
            with transaction.atomic():
                scene = make_scene()
                with served() as (url, door):
                    yield Site(scene, url, browser, door.lock)
                transaction.set_rollback(True)
        finally:
            connection.close()
