"""The score pad can be opened again at a table without a connection, and nothing else of the site is kept."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.db import connection, transaction
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect
from pytest_django import DjangoDbBlocker

from arena.pages import rules
from tests.browser.looking import chromium, window
from tests.browser.serving import served

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

PAD = "/rules/score-pad/"
READY = "async () => (await navigator.serviceWorker.ready).scope"
KEPT = """async () => {
    const found = [];
    for (const name of await caches.keys())
        for (const {url} of await (await caches.open(name)).keys()) found.push(new URL(url).pathname);
    return found.sort();
}"""
NAMED = """() => [...document.querySelectorAll("link[href], script[src]")]
    .map((each) => new URL(each.href || each.src).pathname).concat(location.pathname).sort()"""
STORED_PAGE = f"async () => (await (await caches.match('{PAD}')).text())"


@pytest.fixture(scope="module")
def browser(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Browser]:
    # As for the fixture `site`, of which this needs but the browser: its server must come and go.
    with chromium() as browser, pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        try:
            with transaction.atomic():
                yield browser
                transaction.set_rollback(True)
        finally:
            connection.close()


def begin_game(pad: Page, first: str) -> None:
    pad.get_by_label("Name of player 1").fill(first)
    pad.get_by_role("button", name="Start").click()


def with_pad(browser: Browser, url: str) -> tuple[BrowserContext, Page]:
    """A phone that has opened the pad once, and kept it."""
    context = window(browser, url, "phone")
    pad = context.new_page()
    pad.goto(PAD)
    assert urlsplit(pad.evaluate(READY)).path == PAD
    return context, pad


def test_the_pad_opens_again_without_a_connection_and_goes_on(browser: Browser) -> None:
    with served() as (url, _):
        context, pad = with_pad(browser, url)
        begin_game(pad, "Ada")
    pad.reload()
    expect(pad.get_by_role("heading", name="Round 1")).to_be_visible()
    for name, points in (("Ada", "4"), ("Player 2", "9"), ("Player 3", "11")):
        pad.get_by_label(f"Points of {name}").fill(points)
    pad.get_by_label("Ada closed the round").check()
    pad.get_by_role("button", name="Write down").click()
    again = context.new_page()
    again.goto(PAD)
    expect(again.locator("tfoot tr").first).to_have_text("Total4911")
    assert (
        again.evaluate("getComputedStyle(document.querySelector('.pad-table')).borderCollapse") == "collapse"
    )
    assert pad.evaluate("seen.reports") == []
    with pytest.raises(Error, match="ERR_CONNECTION_REFUSED"):
        again.goto("/rules/")
    context.close()


def test_only_the_pad_and_its_files_are_kept_and_no_other_page_is_touched(browser: Browser) -> None:
    with served() as (url, _):
        context, pad = with_pad(browser, url)
        assert pad.evaluate(KEPT) == pad.evaluate(NAMED)
        for address in ("/rules/", "/rules/cheat-sheet/", "/"):
            pad.goto(address)
            assert pad.evaluate("navigator.serviceWorker.controller") is None
        context.close()


def test_a_pad_that_has_changed_is_kept_as_soon_as_the_server_is_back(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served() as (url, _):
        context, pad = with_pad(browser, url)
    pad.reload()
    monkeypatch.setattr(rules, "MAX_SEATS", 7)
    with served(urlsplit(url).port or 0):
        pad.reload()
        expect(pad.locator("[data-max-players='7']")).to_have_count(1)
        pad.wait_for_function(f"async () => (await ({STORED_PAGE})()).includes('data-max-players=\"7\"')")
    pad.reload()
    expect(pad.locator("[data-max-players='7']")).to_have_count(1)
    context.close()


def test_the_pad_of_a_server_that_fails_is_the_one_that_is_kept(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served() as (url, _):
        context, pad = with_pad(browser, url)
        monkeypatch.delattr(rules, "MAX_EXTRA_ROUNDS")
        pad.reload()
        expect(pad.get_by_role("button", name="Start")).to_be_visible()
        context.close()
