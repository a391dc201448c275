"""One browser and one seeded arena for all tests of a module, rolled back at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from django.db import connection, transaction
from playwright.sync_api import Browser, BrowserContext
from pytest_django import DjangoDbBlocker

from tests.browser.looking import Look, chromium, window
from tests.browser.scene import Page, Scene, make_scene
from tests.browser.serving import served
from tests.door import Door

# A page of the site would be asked for its icon too, and by then nobody may answer.
QUIET = "about:blank"


@dataclass
class Site:
    """The arena that is served; each reader has one window of each size, and in it a tab. Who changes it meanwhile,
    takes the door's lock."""

    scene: Scene
    url: str
    browser: Browser
    door: Door
    windows: dict[tuple[str, str], BrowserContext] = field(default_factory=dict)
    tabs: dict[tuple[str, str], Look] = field(default_factory=dict)

    def look(self, page: Page, look: str) -> Look:
        """The page, open in a new tab of the reader's window of that size."""
        seen = self._new_tab(page.reader, look)
        seen.open(self.scene.at(page))
        return seen

    @contextmanager
    def looking(self, page: Page, look: str) -> Iterator[Look]:
        """The page, open in the reader's tab of that size, which is kept unless the block fails: a new one for each
        page costs as much as what is looked at."""
        seen = self.tabs.pop((page.reader, look), None) or self._new_tab(page.reader, look)
        try:
            seen.open(self.scene.at(page))
            yield seen
            # Between tests nothing may ask for anything, as pages do that renew themselves.
            seen.page.goto(QUIET)
        except BaseException:
            seen.page.close()
            raise
        self.tabs[page.reader, look] = seen

    def _new_tab(self, reader: str, look: str) -> Look:
        key = reader, look
        if key not in self.windows:
            self.windows[key] = window(self.browser, self.url, look, self.scene.cookies.get(reader, ""))
        return Look(self.windows[key].new_page())


@pytest.fixture(scope="module")
def site(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Site]:
    # With the browser's loop in this thread, Django has other connections here than without: it comes first, goes last.
    with chromium() as browser, pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        try:
            with transaction.atomic():
                scene = make_scene()
                with served() as (url, door):
                    door.close()
                    yield Site(scene, url, browser, door)
                transaction.set_rollback(True)
        finally:
            connection.close()


@pytest.fixture(autouse=True)
def only_within_tests(request: pytest.FixtureRequest, db: None) -> Iterator[None]:
    """The site answers while a test runs: when one has ended, what it did to the database is taken back."""
    if "site" not in request.fixturenames:
        yield
        return
    door = request.getfixturevalue("site").door
    door.open()
    yield
    door.close()
