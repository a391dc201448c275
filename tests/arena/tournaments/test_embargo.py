from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone

from arena.accounts.export import games
from arena.models import Tournament
from arena.selectors.matches import described_games, described_matches
from arena.services import tournaments
from arena.services.tournaments import TournamentError
from arena.tournaments.exports import export_csv, export_json
from arena.tournaments.reading import matches_for, records_for, state_for
from matches.models import Game, Match
from tests.arena.tournaments.events import (
    current,
    enter,
    entry_of_seed,
    make_event,
    make_tournament,
    play_out,
    start,
)
from tests.make import make_bot, make_version
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def event() -> Tournament:
    return play_out(make_event(n=4, embargo_until=timezone.now() + timedelta(days=1)))


def sees(user: User | AnonymousUser, event: Tournament) -> set[bool]:
    return {
        state_for(event, user) is not None,
        bool(matches_for(event, user)),
        export_json(event, user)["result"] is not None,
        len(export_csv(event, user).splitlines()) > 1,
        Match.objects.visible_to(user).exists(),
        Game.objects.visible_to(user).exists(),
        described_matches(user).exists(),
        described_games(user).exists(),
    }


def test_results_are_shown_to_organiser_and_operators_alone(event: Tournament, operator: User) -> None:
    participant = entry_of_seed(event, 1).bot.owner
    assert sees(ANYBODY, event) == {False}
    assert sees(participant, event) == {False}
    assert not list(games(participant))
    assert sees(event.organiser, event) == {True}
    assert sees(operator, event) == {True}


def test_the_record_of_decisions_says_nothing_under_an_embargo(event: Tournament) -> None:
    tournaments.rerun(link=current(event)[0], by=event.organiser, reason="A broken host")
    assert all(record.detail == "" for record in records_for(event, ANYBODY))
    assert "A broken host" in [one.detail for one in records_for(event, event.organiser)][-2]


def test_results_are_everybodys_when_the_time_has_come(event: Tournament) -> None:
    over = timezone.now() - timedelta(seconds=1)
    Tournament.objects.filter(pk=event.pk).update(embargo_until=over)
    Match.objects.update(embargo_until=over)
    event.refresh_from_db()
    assert sees(ANYBODY, event) == {True}
    assert list(games(entry_of_seed(event, 1).bot.owner))


def test_an_embargo_can_be_ended_early_and_it_is_recorded(event: Tournament) -> None:
    tournaments.change_embargo(tournament=event, until=None, by=event.organiser)
    event.refresh_from_db()
    assert sees(ANYBODY, event) == {True}
    assert event.records.filter(action="embargo", by=event.organiser).exists()
    with pytest.raises(TournamentError):
        tournaments.change_embargo(
            tournament=event, until=timezone.now() - timedelta(days=1), by=event.organiser
        )


def test_a_file_of_standings_holds_no_formula() -> None:
    event = make_tournament()
    for name in ("-2", "fine"):
        enter(event, make_version(make_bot(name=name)))
    rows = export_csv(play_out(start(event)), ANYBODY).splitlines()
    assert rows[0] == "place,place_to,bot,seed,status,Reached,Wins"
    assert sorted(row.split(",")[2] for row in rows[1:]) == ["'-2", "fine"]


def test_the_whole_event_as_json_names_versions_and_matches() -> None:
    event = play_out(make_event(n=4))
    found = export_json(event, ANYBODY)
    assert [entry["seed"] for entry in found["entries"]] == [1, 2, 3, 4]
    assert all(len(entry["sha256"]) == 64 for entry in found["entries"])
    assert {match["status"] for match in found["matches"]} == {"finished"}
    assert found["result"]["winner"] == entry_of_seed(event, 1).pk
    assert "‹" not in str(found)
