"""Several workers at one event, each with a connection of its own, on either database."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from arena.models import Tournament
from arena.services import tournaments
from arena.services.tournaments import TournamentError
from tests.arena.tournaments.events import (
    current,
    enter,
    entry_of_seed,
    finish,
    make_entries,
    make_event,
    make_tournament,
    play_out,
    waiting,
)
from tests.make import make_bot, make_user, make_version

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


def refusals(*actions: Callable[[], object]) -> list[str]:
    """The codes with which some of these are refused when all happen at once."""
    codes: list[str] = []

    def told(action: Callable[[], object]) -> Callable[[], object]:
        def act() -> None:
            try:
                action()
            except TournamentError as error:
                codes.append(error.code)

        return act

    at_once(*map(told, actions))
    return sorted(codes)


def test_a_bot_that_is_entered_twice_at_once_is_entered_once() -> None:
    event, version = make_tournament(), make_version()
    assert refusals(*[lambda: enter(event, version)] * THREADS) == ["entered"] * (THREADS - 1)
    assert event.entries.count() == 1


def test_entries_at_once_are_no_more_than_an_owner_or_the_event_may_have() -> None:
    event, owner = make_tournament(most_entries=2), make_user()
    mine = [make_version(make_bot(owner)) for _ in range(2)]
    others = [make_version() for _ in range(2)]
    codes = refusals(*[lambda version=version: enter(event, version) for version in (*mine, *others)])
    assert event.entries.count() == 2
    assert len(codes) == 2
    assert set(codes) <= {"full", "too_many_entries"}
    assert event.entries.filter(bot__owner=owner).count() <= 1


def test_events_at_once_are_no_more_than_the_quota(settings: Any) -> None:
    settings.QUOTA_TOURNAMENTS = 2
    owner = make_user()
    codes = refusals(*[lambda: make_tournament(organiser=owner)] * THREADS)
    assert codes == ["too_many_tournaments"] * (THREADS - 2)
    assert Tournament.objects.count() == 2


def test_an_event_that_is_started_twice_at_once_starts_once() -> None:
    event = make_tournament()
    make_entries(event, 4)
    codes = refusals(
        *[lambda: tournaments.start_tournament(tournament=event, by=event.organiser)] * 2,
        tournaments.bring_on_all,
    )
    assert codes == ["wrong_state"]
    assert len(current(event)) == 2
    assert event.records.filter(action="started").count() == 1


def test_an_entry_at_the_moment_of_the_start_is_in_or_refused() -> None:
    event, late = make_tournament(), make_version()
    make_entries(event, 3)
    codes = refusals(
        lambda: tournaments.start_tournament(tournament=event, by=event.organiser),
        lambda: enter(event, late),
    )
    seeds = sorted(event.entries.values_list("seed", flat=True))
    assert (codes, seeds) in [([], [1, 2, 3, 4]), (["closed"], [1, 2, 3])]
