"""The arena that the browser tests look at, and its pages: who reads what.

A page that `tests/arena/pages/test_every_page.py` lists is looked at by itself. One that needs more than the arena
there gets a line in MORE. `test_no_page_is_forgotten` compares both with the table of all addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.test import Client
from django.utils import timezone

from matches.models import Match
from tests import people
from tests.arena.access.table import filled
from tests.arena.pages import staging
from tests.arena.pages.test_every_page import FOR_MEMBERS, FOR_STRANGERS, PUBLIC
from tests.arena.tournaments.events import (
    enter,
    finish,
    make_entries,
    make_tournament,
    play_out,
    start,
    waiting,
)

ANYBODY, OWNER = "anybody", "owner"

MORE = [
    "/bots/mine/versions/1/source/",
    "/bots/mine/versions/3/",
    "/bots/",
    "/matches/{running}/",
    "/games/{game}/embed/",
    "/tournaments/{cup}/",
    "/tournaments/{cup}/entries/",
    "/tournaments/{cup}/entries/{entry}/",
    "/tournaments/{swiss}/",
    "/tournaments/{swiss}/cancel/",
    "/tournaments/{swiss}/rewind/?round={round}",
    "/tournaments/{swiss}/rerun/?key={key}",
    "/tournaments/{swiss}/forfeit/?key={key}",
    "/tournaments/{swiss}/entries/{player}/withdraw/",
    "/tournaments/{swiss}/entries/{player}/disqualify/",
    "/tournaments/{open}/",
    "/tournaments/{open}/edit/",
    "/tournaments/{open}/seeds/",
]
FOR_STRANGERS_TOO = [
    "/",
    "/bots/mine/",
    "/submit/",
    "/tournaments/new/",
    "/accounts/inactive/",
    "/accounts/confirm-email/",
    "/accounts/password/reset/done/",
    "/accounts/password/reset/key/done/",
    "/accounts/password/reset/key/1-nonsense/",
    "/accounts/confirm-email/nonsense/",
]
FOR_MEMBERS_TOO = ["/accounts/reauthenticate/"]
# Answers with an error page, which are pages too.
MISSING = ["/nowhere/", "/bots/nobody/"]


@dataclass(frozen=True)
class Page:
    address: str
    reader: str

    def __str__(self) -> str:
        return f"{self.reader} {self.address}"


@dataclass
class Scene:
    """`places` are the parameters of addresses, `cookies` the sessions of readers who have logged in."""

    places: dict[str, Any]
    cookies: dict[str, str]

    def at(self, page: Page) -> str:
        return filled(page.address, self.places)


def is_whole(address: str) -> bool:
    """Whether it is a page, and not the part of one that is fetched again and again."""
    return not address.endswith(("/live/", "/stages/"))


def pages() -> Iterator[Page]:
    seen = set()
    for reader, addresses in (
        (OWNER, (*PUBLIC, *FOR_MEMBERS, *FOR_MEMBERS_TOO, *MORE)),
        (ANYBODY, (*FOR_STRANGERS, *FOR_STRANGERS_TOO, *MISSING)),
    ):
        for address in addresses:
            page = Page(address, reader)
            if page not in seen and is_whole(address):
                seen.add(page)
                yield page


def make_scene() -> Scene:
    """Olivia's bot on two ladders, a match that runs, a version in its checks, and an event in each of its states."""
    owner = people.make_owner()
    site = staging.stage(owner)
    running = staging.make_match(site.duel, [site.house[2], site.version], status=Match.Status.RUNNING)
    Match.objects.filter(pk=running.pk).update(started_at=timezone.now())
    staging.make_version(site.mine, status="checking")
    cup = make_tournament(organiser=owner, name="Autumn cup")
    mine = enter(cup, site.version)
    make_entries(cup, 6)
    play_out(start(cup))
    swiss = make_tournament("swiss", organiser=owner, name="Winter swiss")
    player = enter(swiss, site.version)
    make_entries(swiss, 5)
    start(swiss)
    finish(waiting(swiss)[0])
    unplayed = waiting(swiss)[0]
    announced = make_tournament("round-robin", organiser=owner, name="Spring round robin")
    make_entries(announced, 3)
    client = Client()
    client.force_login(owner)
    return Scene(
        places={
            "match": site.match.pk,
            "running": running.pk,
            "game": site.games[0].pk,
            "trial": site.trial.pk,
            "cup": cup.pk,
            "entry": mine.pk,
            "swiss": swiss.pk,
            "player": player.pk,
            "open": announced.pk,
            "key": unplayed.key,
            "round": unplayed.key.partition("-")[0],
        },
        cookies={OWNER: client.cookies["sessionid"].value},
    )
