"""What opens, chooses and plays does so by keyboard alone; that Tab reaches all of it is seen on every page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Site
from tests.browser.scene import OWNER
from tests.browser.scene import Page as Address

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

OPENING = [
    "/games/{game}/",
    "/tournaments/{cup}/",
    "/tournaments/{swiss}/",
    "/bots/mine/statistics/",
]
# Which of what can be tabbed to in an open part has the focus, and null where there is nothing.
INSIDE = """(part) => {
    const stops = [...part.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
        .filter((each) => each !== part.firstElementChild && each.tabIndex >= 0 && each.checkVisibility());
    return stops.length ? stops.indexOf(document.activeElement) : null;
}"""


@pytest.fixture
def visit(site: Site) -> Iterator[Callable[[str], Page]]:
    opened = []

    def at(address: str) -> Page:
        opened.append(site.look(Address(address, OWNER), "desktop"))
        return opened[-1].page

    yield at
    for seen in opened:
        seen.page.close()
        assert not seen.complaints, "\n\n".join(seen.complaints)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def tab_to(page: Page, wanted: Locator) -> None:
    for _ in range(200):
        press(page, "Tab")
        if wanted.evaluate("(node) => node === document.activeElement"):
            return
    pytest.fail(f"Tab does not lead to {wanted}")


@pytest.mark.parametrize("address", OPENING)
def test_every_part_that_opens_does_so_by_enter_and_space_and_goes_on_inside(visit, address: str) -> None:
    page = visit(address)
    heads = page.locator("details:visible > summary")
    assert heads.count() > 0
    for head in heads.all():
        part = head.locator("..")
        was_open = part.evaluate("(part) => part.open")
        head.focus()
        press(page, "Enter")
        expect(part).to_have_js_property("open", not was_open)
        press(page, "Space")
        expect(part).to_have_js_property("open", was_open)
        if not was_open:
            press(page, "Space")
        if part.evaluate(INSIDE) is not None:
            press(page, "Tab")
            assert part.evaluate(INSIDE) == 0, head.inner_text()
            press(page, "Shift+Tab")
        expect(head).to_be_focused()
        press(page, *["Space"] * (not was_open))
        expect(part).to_have_js_property("open", was_open)


def test_the_viewer_is_played_by_its_buttons_and_its_scrubber(visit) -> None:
    page = visit("/games/{game}/")
    place, scrubber = page.locator("[data-part=place]"), page.get_by_label("Step", exact=True)
    tab_to(page, scrubber)
    press(page, "ArrowRight", "ArrowRight")
    expect(scrubber).to_have_value("2")
    press(page, "End")
    expect(place).to_contain_text("result")
    press(page, "Home")
    expect(scrubber).to_have_value("0")
    expect(place).to_contain_text(re.compile(r"Round 1 of \d+"))
    is_short = "Round 1 of 1 " in place.inner_text()
    tab_to(page, page.get_by_role("button", name="Play", exact=True))
    press(page, "Space")
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    for name, key in (("Step on", "Enter"), ("Next turn", "Space"), ("Next round", "Enter")):
        before = int(scrubber.input_value())
        tab_to(page, page.get_by_role("button", name=name))
        press(page, key)
        assert int(scrubber.input_value()) > before, name
    expect(place).to_contain_text("result" if is_short else "Round 2")
    view = page.locator("[data-part=view]")
    tab_to(page, view)
    press(page, "o")
    expect(view).to_have_value("open")
    expect(page).to_have_url(re.compile(r"view=open"))
    speed = page.locator("[data-part=speed]")
    tab_to(page, speed)
    press(page, "ArrowDown")
    expect(speed).to_have_value("2")


def test_escape_closes_the_viewers_keys_and_gives_the_focus_back(visit) -> None:
    page = visit("/games/{game}/")
    keys, on = page.locator("[data-part=help]"), page.get_by_role("button", name="Step on")
    for end in ("Escape", "?"):
        on.focus()
        press(page, "?")
        expect(keys.locator("summary")).to_be_focused()
        expect(keys).to_have_js_property("open", True)
        press(page, end)
        expect(keys).to_have_js_property("open", False)
        expect(on).to_be_focused()
    # Opened by itself it keeps the focus.
    keys.locator("summary").focus()
    press(page, "Enter", "Escape")
    expect(keys).to_have_js_property("open", False)
    expect(keys.locator("summary")).to_be_focused()


def test_escape_closes_the_links_to_share_from_anywhere_in_them(visit) -> None:
    page = visit("/games/{game}/")
    share = page.locator("details.share")
    share.locator("summary").focus()
    press(page, "Enter", "Tab")
    expect(page.get_by_label("Link to what is shown")).to_be_focused()
    press(page, "Escape")
    expect(share).to_have_js_property("open", False)
    expect(share.locator("summary")).to_be_focused()


def test_filters_are_chosen_and_asked_for(visit) -> None:
    page = visit("/matches/")
    tab_to(page, page.get_by_label("Bot", exact=True))
    page.keyboard.type("mine")
    tab_to(page, page.get_by_label("Rated"))
    press(page, "r")
    tab_to(page, page.get_by_role("button", name="Show"))
    press(page, "Enter")
    expect(page).to_have_url(re.compile(r"bot=mine&.*rated=yes"))
    page = visit("/ladders/duel/")
    tab_to(page, page.get_by_label("Name begins with"))
    page.keyboard.type("ev")
    press(page, "Enter")
    expect(page).to_have_url(re.compile(r"q=ev"))
    tab_to(page, page.get_by_role("link", name="Show all"))
    press(page, "Enter")
    expect(page).not_to_have_url(re.compile(r"q="))
    tab_to(page, page.locator("thead").get_by_role("link", name="Bot", exact=True))
    press(page, "Enter")
    expect(page).to_have_url(re.compile(r"sort=bot"))


def test_a_bot_is_found_from_any_page(visit) -> None:
    page = visit("/rules/")
    tab_to(page, page.get_by_label("Name of a bot"))
    page.keyboard.type("min")
    press(page, "Enter")
    expect(page).to_have_url(re.compile(r"/bots/\?q=min"))
