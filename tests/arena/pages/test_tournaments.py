"""The pages of tournaments: the list, the form with its estimate, and an event in each of its states."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from arena.formats import FORMATS
from arena.models import Tournament
from arena.pages.tournament_forms import TournamentForm, field_name
from arena.services import tournaments
from matches.models import Match
from tests.arena.pages.markup import Markup, words
from tests.arena.tournaments.events import (
    current,
    enter,
    finish,
    make_entries,
    make_event,
    make_tournament,
    play_out,
    start,
    waiting,
)
from tests.make import make_bot, make_ladder, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def filled(**changed: object) -> dict[str, object]:
    """The form as a browser sends it when nothing but the name was typed."""
    form = TournamentForm()
    data: dict[str, object] = {}
    for name, field in form.fields.items():
        value = form.get_initial_for_field(field, name)
        if value is not None and value is not False:
            data[name] = "on" if value is True else value
    return {**data, "name": "Winter cup", "seeding": "lot", **changed}


# The list


def test_an_empty_list_says_how_to_fill_it(client: Client) -> None:
    html = client.get("/tournaments/").content.decode()
    assert "No tournaments yet." in words(html)
    assert 'href="/tournaments/new/"' in html


def test_the_list_names_the_winner_where_the_reader_may_know_it(
    client: Client, as_owner: Client, owner: User
) -> None:
    embargo_until = timezone.now() + timedelta(days=1)
    tournament = play_out(make_event("single-elimination", 2, organiser=owner, embargo_until=embargo_until))
    winner = tournament.entries.get(seed=1).bot.name
    assert winner not in words(client.get("/tournaments/").content.decode())
    assert winner in words(as_owner.get("/tournaments/").content.decode())


def test_the_list_is_filtered_by_what_stands_in_the_address(client: Client) -> None:
    make_tournament(name="An open one")
    make_event("swiss", 4, name="A running one")
    everything = words(client.get("/tournaments/").content.decode())
    assert "An open one" in everything
    assert "A running one" in everything
    running = words(client.get("/tournaments/?state=running&format=swiss").content.decode())
    assert "A running one" in running
    assert "An open one" not in running
    nothing = words(client.get("/tournaments/?state=cancelled").content.decode())
    assert "No tournament is like this." in nothing


@pytest.mark.parametrize("query", ["state=odd", "format=odd", "before=x"])
def test_a_filter_that_cannot_be_is_a_bad_request(client: Client, query: str) -> None:
    assert client.get(f"/tournaments/?{query}").status_code == 400


def test_a_long_list_goes_on_with_older_ones(client: Client, owner: User) -> None:
    for number in range(31):
        tournament = make_tournament(organiser=owner, name=f"Cup {number:02}")
        tournaments.cancel(tournament=tournament, by=owner)
    first = client.get("/tournaments/").content.decode()
    assert "Cup 30" in first
    assert "Cup 00" not in first
    older = re.search(r'href="(\?before=\d+)"', first)
    assert older is not None
    assert "Cup 00" in client.get(f"/tournaments/{older[1]}").content.decode()


# The form


def test_the_form_explains_every_setting_of_every_format_and_shows_the_estimate(client: Client) -> None:
    html = client.get("/tournaments/new/").content.decode()
    text = words(html)
    for format in FORMATS.values():
        assert format.summary in text
        for setting in format.settings:
            assert setting.title in text
            assert setting.explanation in text
            assert f'name="{field_name(format.name, setting.name)}"' in html
    assert "The best entry wins" in text
    assert "Double elimination, 16 entries" in text


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_has_an_estimate_before_it_is_created(client: Client, format: str) -> None:
    response = client.post("/tournaments/estimate/", filled(format=format, n_entries=8, name=""))
    text = words(response.content.decode())
    assert f"{FORMATS[format].title}, 8 entries" in text
    assert re.search(r"The best entry wins \d+ % ± \d+ Matches \d", text.replace("\xa0", " "))
    assert not Tournament.objects.exists()


def test_more_deals_change_the_estimate(client: Client) -> None:
    def games(deals: int) -> str:
        data = filled(format="round-robin", n_entries=4, **{"round-robin-deals": deals})
        text = words(client.post("/tournaments/estimate/", data).content.decode())
        found = re.search(r"Games ([\d,]+)", text)
        assert found is not None
        return found[1]

    assert (games(1), games(10)) == ("12", "120")


def test_an_estimate_of_what_cannot_be_says_why(client: Client) -> None:
    data = filled(format="swiss", **{"swiss-deals": 0})
    text = words(client.post("/tournaments/estimate/", data).content.decode())
    assert "Deals a pairing: Ensure this value is greater than or equal to 1." in text
    text = words(client.post("/tournaments/estimate/", filled(format="swiss", n_entries=2)).content.decode())
    assert "entries can play, not 2" in text


def test_estimates_are_not_given_without_end(client: Client, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "estimate": "2/m/ip"}
    told = [
        words(client.post("/tournaments/estimate/", filled(n_entries=n)).content.decode()) for n in (4, 5, 6)
    ]
    assert ["The best entry wins" in text for text in told] == [True, True, False]
    assert "Wait a minute." in told[2]


def test_who_is_logged_in_creates_a_tournament(as_owner: Client, owner: User) -> None:
    data = filled(format="swiss", most_entries=12, **{"swiss-deals": 3, "pods-deals": "nonsense"})
    response = as_owner.post("/tournaments/new/", data)
    tournament = Tournament.objects.get()
    assert response.headers["Location"] == f"/tournaments/{tournament.pk}/"
    assert (tournament.organiser, tournament.format, tournament.most_entries) == (owner, "swiss", 12)
    assert tournament.settings["deals"] == 3


def test_the_estimate_is_shown_again_by_a_button_without_creating(as_owner: Client) -> None:
    response = as_owner.post("/tournaments/new/", filled(preview="1", n_entries=64, name=""))
    assert response.status_code == 200
    assert "Double elimination, 64 entries" in words(response.content.decode())
    assert not Tournament.objects.exists()


def test_errors_stand_beside_their_fields_and_what_was_typed_is_kept(as_owner: Client) -> None:
    past = timezone.now() - timedelta(days=1)
    data = filled(description="Bring <your> own.", closes_at=past.strftime("%Y-%m-%dT%H:%M"))
    response = as_owner.post("/tournaments/new/", data)
    html = response.content.decode()
    assert response.status_code == 422
    assert "This time is over." in html
    assert "Bring &lt;your&gt; own." in html
    assert Markup(html).problems == []
    assert not Tournament.objects.exists()


def test_a_setting_that_the_format_refuses_is_said_at_its_field(as_owner: Client) -> None:
    data = filled(format="swiss", most_entries=4, **{"swiss-rounds": 9})
    response = as_owner.post("/tournaments/new/", data)
    assert response.status_code == 422
    form = response.context["form"]
    assert list(form.errors) == ["swiss-rounds"]


def test_nobody_in_particular_creates_nothing_and_keeps_what_was_typed(client: Client) -> None:
    response = client.post("/tournaments/new/", filled())
    assert response.status_code == 403
    assert "Winter cup" in response.content.decode()
    assert not Tournament.objects.exists()


# An event


def test_a_new_event_tells_its_schedule_terms_and_that_nobody_is_entered(client: Client) -> None:
    closes_at = timezone.now() + timedelta(days=3)
    tournament = make_tournament("swiss", closes_at=closes_at)
    text = words(client.get(f"/tournaments/{tournament.pk}/").content.decode())
    assert f"{closes_at:%H:%M} UTC" in text
    assert "from now" in text
    assert "Nobody is entered yet." in text
    assert tournament.plays_by.summary in text
    assert tournament.lot_commitment in text
    assert tournament.lot_seed not in text


@pytest.mark.parametrize(
    ("format", "n"),
    [
        ("single-elimination", 4),
        ("single-elimination", 5),
        ("double-elimination", 2),
        ("double-elimination", 7),
        ("swiss", 5),
        ("pods", 6),
        ("round-robin", 4),
        ("groups-knockout", 8),
    ],
)
def test_every_format_is_readable_before_during_and_after_in_few_queries(
    client: Client, format: str, n: int, django_assert_max_num_queries: Callable[..., object]
) -> None:
    tournament = make_tournament(format)
    make_entries(tournament, n)

    def read() -> str:
        with django_assert_max_num_queries(12):
            response = client.get(f"/tournaments/{tournament.pk}/")
        html = response.content.decode()
        assert response.status_code == 200
        assert Markup(html).problems == []
        assert "‹" not in html
        return html

    assert "Open for entries" in words(read())
    start(tournament)
    during = read()
    for link in current(tournament):
        assert f'href="/matches/{link.match_id}/"' in during
    play_out(tournament)
    after = read()
    assert "Final standings" in words(after)
    assert "has won" in words(after)
    for link in current(tournament):
        assert f'href="/matches/{link.match_id}/"' in after


def test_owner_and_operator_read_it_in_few_queries(
    as_owner: Client, as_operator: Client, owner: User, django_assert_max_num_queries: Callable[..., object]
) -> None:
    tournament = make_event("double-elimination", 6, organiser=owner)
    finish(waiting(tournament)[0])
    tournaments.advance(tournament_id=tournament.pk)
    for reader in (as_owner, as_operator):
        with django_assert_max_num_queries(14):
            response = reader.get(f"/tournaments/{tournament.pk}/")
        assert Markup(response.content.decode()).problems == []


def test_the_winner_of_a_pairing_is_marked_by_a_sign_and_the_share_of_games(client: Client) -> None:
    tournament = play_out(make_event("single-elimination", 2))
    html = client.get(f"/tournaments/{tournament.pk}/").content.decode()
    won = re.search(r'<li class="slot won">(.*?)</li>', html, re.DOTALL)
    assert won is not None
    assert "✓" in won[1]
    assert "winner" in won[1]
    assert "100 %" in won[1]


def test_the_standings_print_the_whole_chain_with_each_value(client: Client) -> None:
    tournament = play_out(make_event("swiss", 6))
    text = words(client.get(f"/tournaments/{tournament.pk}/").content.decode())
    for criterion in tournament.snapshot["criteria"]:
        if any(
            row["values"][tournament.snapshot["criteria"].index(criterion)]
            for row in tournament.snapshot["standings"]
        ):
            assert criterion["title"] in text
            assert criterion["explanation"] in text


def test_a_bye_and_a_forfeit_are_explained(client: Client) -> None:
    tournament = make_event("single-elimination", 3)
    link = waiting(tournament)[0]
    entry = tournament.entries.get(pk=link.entry_ids[0])
    tournaments.leave(entry=entry, by=entry.bot.owner)
    text = words(client.get(f"/tournaments/{tournament.pk}/").content.decode())
    assert "has a bye to the next round." in text
    assert f"won by forfeit: {entry.bot.name} has withdrawn." in text


def test_the_live_part_asks_again_until_the_event_is_over(client: Client) -> None:
    tournament = make_event("single-elimination", 2)
    html = client.get(f"/tournaments/{tournament.pk}/").content.decode()
    address = re.search(r'hx-get="([^"]+)"', html)
    assert address is not None
    assert client.get(address[1]).status_code == 204
    play_out(tournament)
    changed = client.get(address[1])
    assert changed.status_code == 200
    assert "has won" in words(changed.content.decode())
    assert "hx-get" not in changed.content.decode()
    assert "htmx" not in re.sub(
        "<meta.*?>", "", client.get(f"/tournaments/{tournament.pk}/").content.decode()
    )


def test_an_embargo_hides_results_from_all_but_organiser_and_operators(
    client: Client, as_owner: Client, as_rival: Client, as_operator: Client, owner: User
) -> None:
    tournament = play_out(
        make_event("single-elimination", 4, organiser=owner, embargo_until=timezone.now() + timedelta(days=1))
    )
    for reader in (client, as_rival):
        html = reader.get(f"/tournaments/{tournament.pk}/").content.decode()
        assert "are secret until" in words(html)
        assert "has won" not in words(html)
        assert "/matches/" not in html.replace('href="/matches/"', "")
        assert reader.get(f"/tournaments/{tournament.pk}/json/").json()["result"] is None
    for reader in (as_owner, as_operator):
        text = words(reader.get(f"/tournaments/{tournament.pk}/").content.decode())
        assert "has won" in text
        assert "only the organiser and operators see" in text


def test_a_hidden_bot_is_called_by_its_seed(client: Client) -> None:
    tournament = play_out(make_event("single-elimination", 4))
    bot = tournament.entries.get(seed=1).bot
    bot.is_hidden = True
    bot.save()
    text = words(client.get(f"/tournaments/{tournament.pk}/").content.decode())
    assert bot.name not in text
    assert "seed 1 has won" in text


def test_exports_are_linked_and_hold_the_standings(client: Client) -> None:
    tournament = play_out(make_event("round-robin", 4))
    html = client.get(f"/tournaments/{tournament.pk}/").content.decode()
    for kind in ("json", "csv"):
        assert f'href="/tournaments/{tournament.pk}/{kind}/"' in html
    rows = list(csv.reader(client.get(f"/tournaments/{tournament.pk}/csv/").content.decode().splitlines()))
    assert [row[0] for row in rows[1:]] == ["1", "2", "3", "4"]
    assert client.get(f"/tournaments/{tournament.pk}/json/").json()["result"]["is_finished"] is True


def test_an_unknown_tournament_is_not_there(client: Client) -> None:
    response = client.get("/tournaments/77/")
    assert response.status_code == 404
    assert "There is no tournament 77." in words(response.content.decode())


# Entries


def test_an_entry_has_a_page_with_its_version_its_place_and_all_its_pairings(client: Client) -> None:
    tournament = play_out(make_event("double-elimination", 5))
    entry = tournament.entries.get(seed=3)
    html = client.get(f"/tournaments/{tournament.pk}/").content.decode()
    path = f"/tournaments/{tournament.pk}/entries/{entry.pk}/"
    assert f'href="{path}"' in html
    page = client.get(path).content.decode()
    assert Markup(page).problems == []
    assert f"/bots/{entry.bot.name}/versions/1/" in page
    own = [link for link in current(tournament) if entry.pk in link.entry_ids]
    assert own
    for link in current(tournament):
        assert (f'href="/matches/{link.match_id}/"' in page) == (link in own)
    (row,) = re.findall(r"<tr.*?</tr>", page.partition("<tbody>")[2].partition("</tbody>")[0], re.DOTALL)
    assert entry.bot.name in row
    assert "Withdraw…" not in page


def test_a_bye_stands_on_the_page_of_who_had_it(client: Client) -> None:
    tournament = make_event("swiss", 3)
    free = tournament.snapshot["parts"][0]["rounds"][0]["byes"][0]
    text = words(client.get(f"/tournaments/{tournament.pk}/entries/{free}/").content.decode())
    assert "Round 1 Bye" in text


def test_before_the_start_an_entry_says_that_its_version_is_open(as_owner: Client, owner: User) -> None:
    tournament = make_tournament()
    entry = enter(tournament, make_version(make_bot(owner, "mine")))
    page = as_owner.get(f"/tournaments/{tournament.pk}/entries/{entry.pk}/").content.decode()
    assert "fixed when registration closes" in words(page)
    assert f"/tournaments/{tournament.pk}/entries/{entry.pk}/withdraw/" in page
    assert "Disqualify" not in page


def test_before_the_start_no_rating_seeds_anybody_and_none_is_called_unrated(
    as_owner: Client, owner: User
) -> None:
    tournament = make_tournament(seeding="rating", seeding_ladder=make_ladder("duel"))
    enter(tournament, make_version(make_bot(owner, "mine")))
    page = words(as_owner.get(f"/tournaments/{tournament.pk}/entries/").content.decode())
    assert "Seeded by" in page
    table = page.partition("Seeded by")[2]
    assert "unrated" not in table


def test_entries_have_a_list_of_their_own_once_the_event_has_started(client: Client) -> None:
    tournament = make_event("swiss", 4)
    path = f"/tournaments/{tournament.pk}/entries/"
    assert f'href="{path}"' in client.get(f"/tournaments/{tournament.pk}/").content.decode()
    html = client.get(path).content.decode()
    for entry in tournament.entries.all():
        assert f'href="{path}{entry.pk}/"' in html
    assert Markup(html).problems == []


def test_a_hidden_bots_entry_is_not_there(client: Client) -> None:
    tournament = make_event("swiss", 4)
    entry = tournament.entries.get(seed=1)
    entry.bot.is_hidden = True
    entry.bot.save()
    assert client.get(f"/tournaments/{tournament.pk}/entries/{entry.pk}/").status_code == 404
    assert client.get(f"/tournaments/{tournament.pk}/entries/0/").status_code == 404


def test_a_match_leads_back_to_its_tournament(client: Client) -> None:
    tournament = play_out(make_event("single-elimination", 2))
    address = f'href="/tournaments/{tournament.pk}/"'
    assert address in client.get(f"/matches/{current(tournament)[0].match_id}/").content.decode()
    assert address in client.get("/matches/").content.decode()


def test_a_large_bracket_and_a_long_table_are_cut_so_that_a_reader_finds_the_way(client: Client) -> None:
    tournament = make_event("single-elimination", 40, most_entries=40)
    html = client.get(f"/tournaments/{tournament.pk}/").content.decode()
    assert Markup(html).problems == []
    assert "Section 4 6 of 15 pairings decided" in words(html)
    assert "Section 5" not in words(html)
    assert "24 places further down" in words(html)
    for link in current(tournament):
        assert html.count(f'href="/matches/{link.match_id}/"') == 1


# Taking part and organising


def test_an_owner_enters_a_bot_and_withdraws_it_after_being_asked(as_owner: Client, owner: User) -> None:
    make_version(make_bot(owner, "mine"))
    tournament = make_tournament()
    page = as_owner.get(f"/tournaments/{tournament.pk}/").content.decode()
    assert '<option value="mine">' in page
    as_owner.post(f"/tournaments/{tournament.pk}/enter/", {"bot": "mine"})
    entry = tournament.entries.get()
    asked = f"/tournaments/{tournament.pk}/entries/{entry.pk}/withdraw/"
    assert asked in as_owner.get(f"/tournaments/{tournament.pk}/").content.decode()
    assert as_owner.get(asked).status_code == 200
    assert tournament.entries.exists()
    as_owner.post(asked)
    assert not tournament.entries.exists()


def test_a_refusal_is_said_on_the_event_page(as_owner: Client, owner: User) -> None:
    make_version(make_bot(owner, "mine"))
    tournament = make_tournament()
    path = f"/tournaments/{tournament.pk}/enter/"
    as_owner.post(path, {"bot": "mine"})
    response = as_owner.post(path, {"bot": "mine"}, follow=True)
    assert "This bot is entered already." in words(response.content.decode())


def test_a_full_event_says_so_and_offers_nothing(as_owner: Client, owner: User) -> None:
    make_version(make_bot(owner, "mine"))
    tournament = make_tournament(most_entries=2)
    make_entries(tournament, 2)
    html = as_owner.get(f"/tournaments/{tournament.pk}/").content.decode()
    assert "All places are taken." in words(html)
    assert 'name="bot"' not in html


def test_an_organiser_runs_the_event_from_its_page(as_owner: Client, owner: User) -> None:
    tournament = make_tournament("single-elimination", organiser=owner)
    make_entries(tournament, 4)
    path = f"/tournaments/{tournament.pk}/"

    def state() -> str:
        tournament.refresh_from_db()
        return str(tournament.state)

    as_owner.post(f"{path}start/")
    assert state() == "running"
    as_owner.post(f"{path}pause/")
    assert state() == "paused"
    as_owner.post(f"{path}resume/")
    assert state() == "running"
    play_out(tournament)

    asked = as_owner.get(f"{path}rewind/?round=M2")
    assert "1 match is taken back" in words(asked.content.decode())
    assert state() == "finished"
    as_owner.post(f"{path}rewind/?round=M2")
    assert state() == "paused"
    as_owner.post(f"{path}resume/")
    play_out(tournament)

    final = next(link for link in current(tournament) if link.key == "M2-1")
    assert as_owner.get(f"{path}rerun/?key=M2-1").status_code == 200
    as_owner.post(f"{path}rerun/?key=M2-1", {"reason": "A broken host."})
    assert Match.objects.get(pk=final.match_id).status == Match.Status.VOID
    loser = final.entry_ids[0]
    assert as_owner.post(f"{path}forfeit/?key=M2-1", {}).status_code == 422
    for deed in ("cancel/", "rerun/?key=M2-1"):
        refused = as_owner.post(f"{path}{deed}", {"reason": "x" * 1_000})
        assert refused.status_code == 422
        assert "Reason" in words(refused.content.decode())
    as_owner.post(f"{path}forfeit/?key=M2-1", {"forfeits": [loser]})
    assert state() == "finished"
    assert tournament.snapshot["winner"] == final.entry_ids[1]
    text = words(as_owner.get(path).content.decode())
    assert "‹" not in text
    for done in ("started", "paused", "resumed", "rewound", "A broken host."):
        assert done in text


def test_an_organiser_changes_the_terms_before_the_start(
    as_owner: Client, as_rival: Client, owner: User
) -> None:
    tournament = make_tournament("swiss", organiser=owner, most_entries=8, description="Old words")
    make_entries(tournament, 3)
    path = f"/tournaments/{tournament.pk}/edit/"
    html = as_owner.get(path).content.decode()
    assert f'href="{path}"' in as_owner.get(f"/tournaments/{tournament.pk}/").content.decode()
    assert Markup(html).problems == []
    assert "Old words" in html
    assert "Swiss for two seats, 8 entries" in words(html)
    data = filled(format="swiss", most_entries=6, description="New words", **{"swiss-deals": 3})
    assert as_rival.post(path, data).status_code == 403
    assert as_owner.post(path, data | {"preview": "1"}).status_code == 200
    assert as_owner.post(path, data | {"most_entries": 2}).status_code == 422
    tournament.refresh_from_db()
    assert tournament.description == "Old words"
    assert as_owner.post(path, data).status_code == 302
    tournament.refresh_from_db()
    assert (tournament.most_entries, tournament.description) == (6, "New words")
    assert tournament.settings["deals"] == 3
    text = words(as_owner.get(f"/tournaments/{tournament.pk}/").content.decode())
    assert "deals: 1 → 3" in text
    start(tournament)
    assert as_owner.post(path, data | {"name": "Too late"}).status_code == 302
    assert not Tournament.objects.filter(name="Too late").exists()


def test_a_rated_match_that_is_played_again_stays_rated_and_says_so(as_owner: Client, owner: User) -> None:
    tournament = play_out(make_event("single-elimination", 2, organiser=owner, ladder=make_ladder("duel")))
    (link,) = current(tournament)
    asked = words(as_owner.get(f"/tournaments/{tournament.pk}/rerun/?key=M1-1").content.decode())
    assert "Its result stays rated on the ladder" in asked
    as_owner.post(f"/tournaments/{tournament.pk}/rerun/?key=M1-1")
    text = words(as_owner.get(f"/matches/{link.match_id}/").content.decode())
    assert "decides nothing any more; it stays rated" in text


def test_a_winner_is_disqualified_after_its_final(as_owner: Client, owner: User) -> None:
    tournament = play_out(make_event("single-elimination", 2, organiser=owner))
    winner, loser = (tournament.entries.get(seed=seed) for seed in (1, 2))
    page = f"/tournaments/{tournament.pk}/entries/{winner.pk}/"
    assert f"{page}disqualify/" in as_owner.get(page).content.decode()
    assert f"{page}withdraw/" not in as_owner.get(page).content.decode()
    as_owner.post(f"{page}disqualify/", {"reason": "Two accounts"})
    text = words(as_owner.get(f"/tournaments/{tournament.pk}/").content.decode())
    assert f"{loser.bot.name} has won" in text


def test_a_long_record_shows_its_latest_part(client: Client) -> None:
    tournament = make_event("single-elimination", 2)
    for _ in range(26):
        tournaments.pause(tournament=tournament, by=tournament.organiser)
        tournaments.resume(tournament=tournament, by=tournament.organiser)
    text = words(client.get(f"/tournaments/{tournament.pk}/").content.decode())
    assert "The latest 50; the API gives all." in text
    assert text.count("resumed") == 25


def test_an_organiser_disqualifies_and_cancels_after_being_asked(as_owner: Client, owner: User) -> None:
    tournament = make_event("swiss", 4, organiser=owner)
    entry = tournament.entries.get(seed=1)
    path = f"/tournaments/{tournament.pk}/"
    assert as_owner.get(f"{path}entries/{entry.pk}/disqualify/").status_code == 200
    as_owner.post(f"{path}entries/{entry.pk}/disqualify/", {"reason": "Two owners in one."})
    assert "disqualified" in words(as_owner.get(path).content.decode())
    assert as_owner.get(f"{path}cancel/").status_code == 200
    as_owner.post(f"{path}cancel/", {"reason": "No room."})
    text = words(as_owner.get(path).content.decode())
    assert "Cancelled. Nobody has won" in text
    assert "No room." in text


def test_an_organiser_seeds_by_hand_and_changes_the_embargo(as_owner: Client, owner: User) -> None:
    tournament = make_tournament(organiser=owner, seeding="hand")
    one, two, three = (entry.pk for entry in make_entries(tournament, 3))
    path = f"/tournaments/{tournament.pk}/"
    twice = {f"entry-{one}": 1, f"entry-{two}": 1, f"entry-{three}": 2}
    assert as_owner.post(f"{path}seeds/", twice).status_code == 422
    as_owner.post(f"{path}seeds/", {f"entry-{one}": 3, f"entry-{two}": 1, f"entry-{three}": 2})
    start(tournament)
    assert list(tournament.entries.order_by("seed").values_list("pk", flat=True)) == [two, three, one]
    until = timezone.now() + timedelta(hours=5)
    as_owner.post(f"{path}embargo/", {"until": until.strftime("%Y-%m-%dT%H:%M")})
    tournament.refresh_from_db()
    assert tournament.is_embargoed


@pytest.mark.parametrize(
    "action",
    [
        "start/",
        "pause/",
        "resume/",
        "embargo/",
        "cancel/",
        "rewind/?round=M1",
        "rerun/?key=M1-1",
        "seeds/",
        "edit/",
    ],
)
def test_nobody_else_decides_about_it(as_rival: Client, client: Client, action: str) -> None:
    tournament = make_event("single-elimination", 4)
    before = Tournament.objects.values().get()
    path = f"/tournaments/{tournament.pk}/{action}"
    assert as_rival.post(path).status_code == 403
    assert client.post(path).status_code == 302
    assert Tournament.objects.values().get() == before


@pytest.mark.parametrize("action", ["start", "pause", "resume", "embargo", "enter"])
def test_what_changes_an_event_is_no_link(as_owner: Client, action: str) -> None:
    tournament = make_tournament()
    assert as_owner.get(f"/tournaments/{tournament.pk}/{action}/").status_code == 405


def test_a_match_that_counts_for_a_ladder_says_so(client: Client) -> None:
    ladder = make_ladder("duel")
    tournament = make_tournament("single-elimination", ladder=ladder)
    assert "rated on Duel" in words(client.get(f"/tournaments/{tournament.pk}/").content.decode())
