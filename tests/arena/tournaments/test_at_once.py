"""Several workers at one event, each with a connection of its own, on either database."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections

from arena.models import Tournament
from arena.services import tournaments
from tests.arena.tournaments.events import current, entry_of_seed, finish, make_event, play_out, waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

THREADS = 4


def at_once(*actions: Callable[[], object]) -> None:
    """Let all of these happen, begun at the same moment."""
    start = threading.Barrier(len(actions))

    def run(action: Callable[[], object]) -> None:
        try:
            start.wait(30)
            action()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actions)) as pool:
        list(pool.map(run, actions))


def test_workers_that_bring_an_event_on_at_once_make_each_match_once() -> None:
    event = make_event(n=8)
    links = waiting(event)

    def play(number: int) -> Callable[[], object]:
        def end_and_tell() -> None:
            finish(links[number])
            tournaments.advance(tournament_id=event.pk)

        return end_and_tell

    at_once(*[play(number) for number in range(THREADS)])
    assert sorted(link.key for link in waiting(event)) == ["M2-1", "M2-2"]
    assert len(current(event)) == 6


def test_results_and_departures_at_once_come_to_one_state() -> None:
    event = make_event("round-robin", 4)
    links = waiting(event)
    gone = entry_of_seed(event, 4)

    def go() -> None:
        tournaments.leave(entry=gone, by=gone.bot.owner)

    untouched = [link for link in links if gone.pk not in link.entry_ids]
    at_once(
        go, *[lambda link=link: finish(link) for link in untouched[:2]], lambda: tournaments.bring_on_all()
    )
    event = play_out(event)
    assert event.state == Tournament.State.FINISHED
    assert not any(gone.pk in link.entry_ids for link in current(event))
    assert len(current(event)) == 3
