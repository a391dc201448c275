"""No page and no list of the API counts or scans a long table, however it is filtered, sorted or paged.

On PostgreSQL alone, whose plans they are. In a crowd small enough for a test, the quickest way to a few bots is often
to read all of them. So these tests ask whether there is a way by index at all, and how many rows it reads. What the
planner does of its own will with 100,000 matches, `make bench-web` looks at, by the same visits.
"""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.urls import resolve

from arena.models import Ladder, Rating
from arena.selectors.faults import LOOKED_AT
from tests.arena.access.addresses import route_of
from tests.arena.access.table import READING, lines
from tests.arena.crowd import visits
from tests.arena.crowd.conftest import Crowd
from tests.arena.crowd.plans import most_rows, watching

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="its plans are looked at"),
    pytest.mark.timeout(300),
]

MOST_QUERIES = 12


def check(client: Client, address: str) -> None:
    with watching(most_rows(address)) as seen:
        response = client.get(address)
        # Where it is streamed, it is read to its end.
        assert response.status_code == 200
        b"".join(response)
    assert not seen.problems, "\n\n".join([address, *seen.problems])
    assert seen.n <= MOST_QUERIES, "\n\n".join([address, *seen.statements])


@pytest.mark.parametrize(
    "template",
    [*visits.PAGES.split(), *visits.LISTS.split(), *visits.LONG_LISTS.split(), *visits.DETAILS.split()],
)
def test_a_stranger_reads_it_by_index_in_few_queries(template: str, crowd: Crowd) -> None:
    check(crowd.stranger, template.format(**crowd.places))


@pytest.mark.parametrize(
    "template", [*visits.ALSO_MEMBERS.split(), *visits.MEMBERS_PAGES.split(), *visits.MEMBERS_LISTS.split()]
)
def test_a_member_reads_it_by_index_in_few_queries(template: str, crowd: Crowd) -> None:
    check(crowd.member, template.format(**crowd.places))


@pytest.mark.parametrize("template", visits.LISTS.split())
def test_every_list_of_the_api_is_read_on_in_the_same_way(template: str, crowd: Crowd) -> None:
    """From page to page by the links, forwards and back."""
    address = template.format(**crowd.places)
    first = crowd.stranger.get(address).json()
    if not isinstance(first, dict) or first.get("next") is None:
        return
    check(crowd.stranger, first["next"])
    second = crowd.stranger.get(first["next"]).json()
    check(crowd.stranger, second["previous"])
    assert crowd.stranger.get(second["previous"]).json()["results"] == first["results"]


@pytest.mark.parametrize("template", visits.OF_A_SNAPSHOT.split())
def test_what_is_sought_in_a_snapshot_reads_no_other_one(template: str, crowd: Crowd) -> None:
    address = template.format(**crowd.places)
    with watching() as seen:
        assert crowd.stranger.get(address).status_code == 200
    n_rated = Ladder.objects.get(slug="duel").current_run.n_rated
    assert Rating.objects.count() > 3 * n_rated
    assert seen.read["arena_rating"] <= 2 * n_rated
    assert "matches_participant" not in seen.read
    # Of which kinds the faults of its rows were, and no more of them.
    for table in ("matches_gameseat", "matches_game", "matches_match"):
        assert seen.read[table] <= 2 * LOOKED_AT
    assert seen.n <= MOST_QUERIES


def test_every_page_and_list_is_visited() -> None:
    known = {line.split()[0] for line in visits.UNVISITED.strip().splitlines()}
    tables = (visits.PAGES, visits.MEMBERS_PAGES, visits.LISTS, visits.MEMBERS_LISTS, visits.DETAILS)
    seen = {
        resolve(visits.filled(line).partition("?")[0]).route for table in tables for line in table.split()
    }
    read = {
        route_of(line)
        for line in lines(READING)
        if "200" in line.answers and not line.address.startswith("/admin/")
    }
    assert read - seen - known == set(), "These need a line in tests/arena/crowd/visits.py."
    assert known - read == set(), sorted(known - read)
