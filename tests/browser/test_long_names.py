"""Names of 32 letters, which have no place to break, and eight of them at a table."""

from __future__ import annotations

import pytest

from arena.models import Ladder, LadderEntry
from tests.arena.pages import staging
from tests.browser.conftest import Site
from tests.browser.looking import LOOKS
from tests.browser.scene import OWNER, Page
from tests.people import make_rival

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

# Each of a letter that is wide.
NAMES = [letter * 32 for letter in "WMQOGDHN"]


def seat_them(site: Site) -> list[str]:
    """Addresses of pages on which they are named: they have played, and are rated."""
    with site.door.lock:
        ladder = Ladder.objects.create(slug="eight", name="Eight", seats=8, deals=1, position=2)
        rival = make_rival()
        versions = [staging.make_version(staging.make_bot(rival, name)) for name in NAMES]
        for version in versions:
            LadderEntry.objects.create(ladder=ladder, bot=version.bot)
        match = staging.make_match(ladder, versions)
        games = staging.finish_match(match, faulted=versions[0])
        staging.make_ratings(ladder, [(version, 1500 + 9 * i, 20) for i, version in enumerate(versions)])
    game, bot = games[0].pk, NAMES[0]
    return [
        "/",
        "/ladders/eight/",
        f"/ladders/eight/compare/?bot={bot}&against={NAMES[1]}",
        "/bots/",
        f"/bots/{bot}/",
        f"/bots/{bot}/statistics/",
        f"/bots/{bot}/faults/",
        f"/bots/{bot}/versions/1/",
        "/matches/",
        f"/matches/{match.pk}/",
        f"/games/{game}/",
        f"/games/{game}/embed/",
        "/status/",
    ]


def test_no_page_grows_wider_than_its_window_for_eight_names_of_32_letters(site: Site) -> None:
    complaints = []
    for address in seat_them(site):
        for look in LOOKS:
            with site.looking(Page(address, OWNER), look) as seen:
                seen.fits()
                complaints += [f"{look} {address}: {each}" for each in seen.complaints]
    assert not complaints, "\n\n".join(complaints)
