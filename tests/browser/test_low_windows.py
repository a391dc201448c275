"""A window that is low, as a phone's on its side is, or one that is zoomed."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Site
from tests.browser.scene import ANYBODY, Page

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

# Which cards of the table, scrolled to the top of the window, have something else above them.
COVERED = """() => {
    document.querySelector("[data-part=table]").scrollIntoView({block: "start"});
    return [...document.querySelectorAll(".viewer-grid .viewer-card")].filter((card) => {
        const {left, top, width, height} = card.getBoundingClientRect();
        const there = document.elementFromPoint(left + width / 2, top + height / 2);
        return there && there.closest(".viewer-dock");
    }).length;
}"""


@pytest.mark.parametrize("size", [(640, 400), (844, 390)], ids=["zoomed", "on its side"])
def test_what_plays_the_game_covers_no_card(site: Site, size: tuple[int, int]) -> None:
    seen = site.look(Page("/games/{game}/", ANYBODY), "desktop")
    seen.page.set_viewport_size({"width": size[0], "height": size[1]})
    assert seen.page.locator(".viewer-grid .viewer-card").count() == 24
    assert seen.page.evaluate(COVERED) == 0
    seen.page.close()
