import dataclasses

import pytest
from django.db import IntegrityError, transaction

from arena.fitness import Fitness
from arena.formats import FORMATS
from arena.models import Tournament, TournamentMatch, TournamentRecord
from arena.services import play_queued_match, sweep, tournaments, void_match
from arena.services.tournaments import advancing
from bots.sandbox.launcher import BareLauncher
from matches import playing
from matches.models import Match
from matches.services import claim_match, finish_match
from tests.arena.tournaments.events import (
    best_seed,
    current,
    enter,
    entry_of_seed,
    finish,
    make_entries,
    make_event,
    make_tournament,
    placed,
    play_out,
    start,
    waiting,
)
from tests.make import expire, make_claim, make_record, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_plays_to_its_end_in_any_order_of_results(format: str, newest_first: bool) -> None:
    settings = {"groups": 2, "qualifiers": 1} if format == "groups-knockout" else {}
    event = play_out(make_event(format, 6, settings=settings), newest_first=newest_first)
    assert event.state == Tournament.State.FINISHED
    assert event.finished_at is not None
    assert placed(event)[0] == 1
    assert event.snapshot["is_finished"]
    assert not Match.objects.exclude(status=Match.Status.FINISHED).exists()
    asked = [(link.key, link.entries) for link in current(event)]
    assert len(set(asked)) == len(asked)


def test_exactly_the_matches_that_are_asked_for_are_made_with_the_deals_of_their_round() -> None:
    event = make_event(n=4, settings={"deals": 1, "final_deals": 3})
    assert sorted(link.key for link in current(event)) == ["M1-1", "M1-2"]
    assert {link.match.deals for link in current(event)} == {1}
    for link in waiting(event):
        finish(link)
    tournaments.advance(tournament_id=event.pk)
    final = waiting(event)
    assert [link.match.deals for link in final] == [3]
    assert final[0].entry_ids == tuple(sorted(entry_of_seed(event, seed).pk for seed in (1, 2)))


def test_advancing_again_makes_nothing_and_reckons_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event()
    monkeypatch.setattr(advancing.Book, "state", lambda *_: pytest.fail("it was reckoned again"))
    assert tournaments.advance(tournament_id=event.pk) == []
    assert len(current(event)) == 2


def test_a_match_is_asked_for_once_even_against_the_service() -> None:
    event = make_event()
    link = current(event)[0]
    other = make_event()
    with pytest.raises(IntegrityError), transaction.atomic():
        TournamentMatch.objects.create(
            tournament=event, match=current(other)[0].match, key=link.key, entries=link.entries
        )


def test_what_breaks_in_the_middle_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event(n=4)
    for link in waiting(event):
        finish(link)
    before = Tournament.objects.get(pk=event.pk).snapshot
    make = advancing.make

    def break_after(*args: object) -> TournamentMatch:
        make(*args)  # type: ignore[arg-type]
        raise RuntimeError("the worker was killed")

    with monkeypatch.context() as patch:
        patch.setattr(advancing, "make", break_after)
        with pytest.raises(RuntimeError):
            tournaments.advance(tournament_id=event.pk)
    assert len(current(event)) == 2
    assert Tournament.objects.get(pk=event.pk).snapshot == before
    assert [match.status for match in tournaments.advance(tournament_id=event.pk)] == ["queued"]


def test_a_large_event_makes_its_matches_in_portions_and_rings_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
    bells: list[tuple[object, ...]],
    django_capture_on_commit_callbacks: object,
) -> None:
    monkeypatch.setattr(advancing, "MAX_MADE", 4)
    event = make_tournament("round-robin")
    make_entries(event, 5)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        start(event)
    assert len(current(event)) == 4
    assert ("arena.tasks.advance_tournament", event.pk) in bells
    tournaments.advance(tournament_id=event.pk)
    tournaments.advance(tournament_id=event.pk)
    assert len(current(event)) == 10


def test_the_sweep_brings_on_an_event_whose_bell_was_lost() -> None:
    event = make_event(n=4)
    for link in waiting(event):
        finish(link)
    assert sweep()["tournament_matches"] == 1
    assert len(waiting(event)) == 1


def test_one_broken_event_keeps_no_other_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    broken, event = make_event(n=4), make_event(n=4)
    Tournament.objects.filter(pk=broken.pk).update(settings={"deals": -1}, digest="")
    for link in waiting(event):
        finish(link)
    done = tournaments.bring_on_all()
    assert (done.n, done.broken) == (1, [f"tournament {broken.pk}"])


def test_a_worker_that_dies_changes_nothing() -> None:
    event = make_event(n=2)
    link = waiting(event)[0]
    lost = make_claim(link.match)
    expire(link.match)
    sweep()
    assert [one.pk for one in waiting(event)] == [link.pk]
    finish(link)
    assert not finish_match(claim=lost, record=make_record(lost.match, lost.versions))
    tournaments.advance(tournament_id=event.pk)
    event.refresh_from_db()
    assert event.state == Tournament.State.FINISHED


def test_a_finished_match_rings_for_its_event(
    monkeypatch: pytest.MonkeyPatch,
    bells: list[tuple[object, ...]],
    django_capture_on_commit_callbacks: object,
) -> None:
    event = make_event(n=2)
    monkeypatch.setattr("arena.fitness.own", lambda: Fitness(match_mib=4096, n_processes=1))
    monkeypatch.setattr("arena.services.playing.play", lambda claim, launcher: True)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        assert play_queued_match(match_id=waiting(event)[0].match_id, worker="w")
    assert ("arena.tasks.advance_tournament", event.pk) in bells


def test_a_match_that_an_operator_voids_is_played_again_with_another_seed(
    bells: list[tuple[object, ...]], django_capture_on_commit_callbacks: object
) -> None:
    event = make_event(n=2)
    first = finish(waiting(event)[0])
    tournaments.advance(tournament_id=event.pk)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        void_match(match=first)
    assert ("arena.tasks.advance_tournament", event.pk) in bells
    (again,) = tournaments.advance(tournament_id=event.pk)
    event.refresh_from_db()
    assert event.state == Tournament.State.RUNNING
    assert bytes(again.seed) != bytes(first.seed)
    assert play_out(event, best_seed).state == Tournament.State.FINISHED
    assert list(event.records.values_list("action", flat=True)) == [
        "created", "started", "finished", "reopened", "finished",
    ]  # fmt: skip


def test_a_level_pairing_plays_extra_deals() -> None:
    event = make_event(n=2)
    link = waiting(event)[0]
    claim = make_claim(link.match)
    record = make_record(claim.match, claim.versions)
    level = [dataclasses.replace(game, placing=(1, 1)) for game in record.games]
    assert finish_match(claim=claim, record=dataclasses.replace(record, games=tuple(level)))
    (extra,) = tournaments.advance(tournament_id=event.pk)
    assert extra.tournament_match.key == f"{link.key}+1"
    assert play_out(event).snapshot["winner"] == entry_of_seed(event, 1).pk


def test_the_version_of_the_close_plays_whatever_comes_later() -> None:
    event = make_tournament()
    versions = [make_version() for _ in range(4)]
    for version in versions:
        enter(event, version)
    newest = make_version(bot=versions[0].bot)
    start(event)
    make_version(bot=versions[0].bot)
    play_out(event)
    played = set(Match.objects.values_list("participants__version", flat=True))
    assert played == {newest.pk, *(version.pk for version in versions[1:])}


def test_nothing_is_asked_of_an_event_that_has_not_begun_or_is_cancelled() -> None:
    event = make_tournament()
    make_entries(event, 3)
    assert tournaments.advance(tournament_id=event.pk) == []
    start(event)
    tournaments.cancel(tournament=event, by=event.organiser, reason="No time")
    assert not waiting(event)
    assert tournaments.advance(tournament_id=event.pk) == []
    assert event.records.get(action=TournamentRecord.Action.CANCELLED).detail == "No time"


def test_a_small_event_is_played_by_real_bots() -> None:
    event = make_event(n=4)
    n_played = 0
    while links := waiting(event):
        for link in links:
            claim = claim_match(match_id=link.match_id, worker="w")
            assert claim is not None
            assert playing.play(claim=claim, launcher=BareLauncher())
            n_played += 1
        tournaments.advance(tournament_id=event.pk)
    event.refresh_from_db()
    assert event.state == Tournament.State.FINISHED
    assert n_played >= 3
    assert event.snapshot["winner"] in event.entries.values_list("pk", flat=True)
