"""Every page in a real browser: narrow and wide, light and dark, by keyboard alone."""

from __future__ import annotations

import hashlib
import re

import pytest
from django.urls import resolve

from tests.arena.access.addresses import route_of
from tests.arena.access.table import READING, lines
from tests.browser.conftest import Site
from tests.browser.looking import AXE, LOOKS
from tests.browser.scene import MISSING, Page, is_whole, pages

# Not on both databases: what differs between them, the pages' own tests see.
pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

# Parts of pages, files, and what machines read.
NO_PAGES = re.compile(r"api/|admin/|.*(/(live|stages|download|replay|json|csv)/|z|metrics|\.js|<str:name>)$")
OWNER = 2


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("page", list(pages()), ids=str)
def test_a_page_is_fit_to_be_shown(page: Page, look: str, site: Site) -> None:
    with site.looking(page, look) as seen:
        seen.fits()
        seen.is_accessible()
        if look == "desktop":
            seen.is_walked_by_keyboard()
        seen.is_allowed()
        assert not seen.complaints, "\n\n".join(seen.complaints)


def test_no_page_is_forgotten() -> None:
    found = [page.address for page in pages() if page.address not in MISSING]
    looked_at = {resolve(re.sub(r"{\w+}", "1", address).partition("?")[0]).route for address in found}
    public = {
        route_of(line) for line in lines(READING) if line.answers[OWNER] == "200" and is_whole(line.address)
    }
    forgotten = {route for route in public if not NO_PAGES.match(route)} - looked_at
    assert forgotten == set(), "give each a line in tests/browser/scene.py"


def test_axe_is_the_one_that_is_recorded() -> None:
    recorded = re.findall(r"`([0-9a-f]{64})`", AXE.with_name("VENDOR.md").read_text())
    assert recorded == [hashlib.sha256(AXE.read_bytes()).hexdigest()]
