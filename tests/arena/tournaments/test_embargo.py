import re
import shutil
from contextlib import suppress
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.test import Client
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
    Picks,
    best_seed,
    current,
    enter,
    entry_of_seed,
    make_event,
    make_tournament,
    play_out,
    start,
    worst_seed,
)
from tests.make import make_bot, make_ladder, make_version
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


# Whatever the results are, a reader to whom they are not shown reads the same.

OF_THE_TIME = re.compile(
    r"<time.*?</time>|<input[^>]*csrfmiddlewaretoken[^>]*>|\d{4}-\d\d-\d\d[T ][^\s\"]*"
    r"|\d+ \w+ \d{4}, \d\d:\d\d UTC|\((now|a second ago|\d+.seconds ago)?\)"
)


class Undone(Exception):
    pass


def readings(event: Tournament, readers: dict[str, Client], wins: Picks) -> dict[tuple[str, str], str]:
    """What each of them reads everywhere when the event has been played so; then it is as if it had not been."""
    read: dict[tuple[str, str], str] = {}
    with suppress(Undone), transaction.atomic():
        play_out(event, wins)
        api, home = f"/api/v1/tournaments/{event.pk}", f"/tournaments/{event.pk}"
        addresses = ["/", "/status/", "/matches/", "/tournaments/", "/ladders/duel/", "/account/"]
        addresses += [f"{home}/{rest}" for rest in ("", "live/", "live/?seen=x", "json/", "csv/", "entries/")]
        addresses += [f"{api}/{rest}" for rest in ("", "entries/", "records/", "standings/", "bracket/")]
        addresses += [f"{api}/export/", f"{api}/export/?format=csv", "/api/v1/tournaments/"]
        addresses += ["/api/v1/matches/", "/api/v1/games/", "/api/v1/ladders/duel/ratings/", "/api/v1/bots/"]
        for entry in event.entries.filter(seed__in=(1, 4)).select_related("bot"):
            bot = entry.bot.name
            addresses += [f"{home}/entries/{entry.pk}/", f"{api}/entries/{entry.pk}/"]
            addresses += [f"/bots/{bot}/", f"/bots/{bot}/versions/1/", f"/api/v1/bots/{bot}/"]
            addresses += [f"/matches/?bot={bot}", f"/api/v1/matches/?bot={bot}"]
            addresses += [f"/api/v1/versions/{entry.version_id}/"]
        last = current(event)[-1].match
        game = last.games.earliest("pk")
        addresses += [f"/matches/{last.pk}/", f"/api/v1/matches/{last.pk}/", f"/games/{game.pk}/"]
        addresses += [f"/games/{game.pk}/replay/", f"/api/v1/games/{game.pk}/replay/"]
        for who, client in readers.items():
            for number, address in enumerate(addresses):
                response = client.get(address)
                body = b"".join(response) if response.streaming else response.content
                text = OF_THE_TIME.sub("", f"{response.status_code} {body.decode()}")
                # Numbers of matches and games differ from time to time; who asks for one knows it.
                asked = rf"(match|matches|game|games)([ /])({last.pk}|{game.pk})\b"
                read[who, f"{number}"] = re.sub(asked, r"\1\2…", text)
        raise Undone
    return read


def test_pages_and_api_are_the_same_whatever_the_secret_results_are(
    owner: User, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The status page tells how much of the disk is free, which whoever else is at work changes.
    disk = shutil.disk_usage(settings.DATA_DIR)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: disk)
    make_ladder("duel")
    versions = [make_version(make_bot(owner, "mine")), *(make_version() for _ in range(3))]
    event = make_tournament(embargo_until=timezone.now() + timedelta(days=1), seeding="hand")
    for version in versions:
        enter(event, version)
    start(event)
    readers = {"anybody": Client(), "participant": Client()}
    readers["participant"].force_login(owner)
    one, other = (readings(event, readers, wins) for wins in (best_seed, worst_seed))
    assert {what: text for what, text in one.items() if other[what] != text} == {}
    readers["participant"].force_login(operator)
    assert readings(event, readers, best_seed) != one, "an operator reads them"
