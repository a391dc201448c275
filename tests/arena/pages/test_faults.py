"""Every fault of a bot since one of its versions: the page, and the same as JSON."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from arena.selectors import faults as selectors
from bots.models import Bot, Version
from matches.models import GameSeat, Match
from tests import make
from tests.arena.pages.markup import words
from tests.arena.pages.staging import TIMEOUT, Site, make_version
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def faulted(site: Site, version: Version, kind: str, n: int = 1, opponent: Version | None = None) -> Match:
    """A match in which the version faults in its first games, newest seat last."""
    match = make.make_finished_match([opponent or site.house[0], version], site.duel, deals=n)
    seats = GameSeat.objects.filter(game__match=match, version=version).order_by("pk").values("pk")[:n]
    GameSeat.objects.filter(pk__in=list(seats.values_list("pk", flat=True))).update(
        fault=kind,
        fault_detail=TIMEOUT | {"kind": kind, "sentence": f"It was {kind}.", "round": 2, "turn": 17},
    )
    return match


def page(client: Client, query: str = "") -> str:
    response = client.get(f"/bots/mine/faults/{query}")
    assert response.status_code == 200
    return response.content.decode()


def test_a_fault_is_listed_with_its_sentence_and_leads_to_the_very_turn(site: Site, client: Client) -> None:
    html = page(client)
    assert f'href="/games/{site.games[0].pk}/?round=1&amp;turn=9"' in html
    text = words(html)
    assert "bot fault: time-out" in text
    assert "The decision took more than 500 ms of CPU time. It had used 512 ms." in text


def test_a_fault_before_the_first_question_leads_to_the_beginning_of_the_game(
    site: Site, client: Client
) -> None:
    GameSeat.objects.exclude(fault="").update(fault="start", fault_detail=TIMEOUT | {"round": 0, "turn": 0})
    html = page(client)
    assert f'href="/games/{site.games[0].pk}/"' in html
    assert "at the start" in words(html)


def test_faults_since_a_version_are_newest_first_and_those_of_one_version_alone(
    site: Site, client: Client
) -> None:
    third, fourth = make_version(site.mine), make_version(site.mine)
    games = {
        version.number: faulted(site, version, kind).games.order_by("pk").values_list("pk", flat=True)[0]
        for version, kind in ((third, "crash"), (fourth, "illegal"))
    }
    assert words(page(client, "?since=3")).count("It was") == 2
    html = page(client, "?since=3")
    assert html.index(f"/games/{games[4]}/") < html.index(f"/games/{games[3]}/")
    assert "It was illegal." not in words(page(client, "?version=3"))
    assert "It was crash." in words(page(client, "?version=3"))
    assert words(page(client)).count("It was") == 2
    assert "more than 500 ms" in words(page(client))


def test_kinds_are_counted_and_chosen_in_the_address(site: Site, client: Client) -> None:
    faulted(site, site.version, "crash", n=3)
    html = page(client)
    text = words(html)
    assert text.index("bot fault: crash 3") < text.index("bot fault: time-out 1")
    assert "?kind=crash" in html
    chosen = words(page(client, "?kind=timeout"))
    assert "It was crash." not in chosen
    assert "bot fault: crash 3" in chosen
    assert "No fault is like this." in words(page(client, "?kind=memory"))


def test_pages_follow_each_other_without_gap_or_overlap(site: Site) -> None:
    faulted(site, site.version, "crash", n=5)
    among = selectors.Range(site.mine, number=site.version.number)
    everything = list(GameSeat.objects.exclude(fault="").order_by("-pk").values_list("pk", flat=True))
    assert len(everything) == 6
    found, before = [], None
    for n_expected in (4, 2):
        shown = selectors.fault_page(user=ANYBODY, among=among, before=before, size=4)
        assert len(shown.seats) == n_expected
        found += [seat.pk for seat in shown.seats]
        before = shown.older
    assert found == everything
    assert before is None


def test_a_check_that_was_not_passed_stands_with_them(site: Site, client: Client) -> None:
    assert "v2 rejected" in words(page(client, "?since=2"))
    assert site.rejected.rejection in words(page(client, "?version=2"))
    assert "v2 rejected" not in words(page(client, "?version=1"))


def test_what_hidden_bots_and_sealed_matches_saw_is_not_told(site: Site, client: Client) -> None:
    hidden = faulted(site, site.version, "crash", opponent=site.house[0])
    sealed = faulted(site, site.version, "memory", opponent=site.house[2])
    assert {"crash", "memory"} <= {seat["kind"] for seat in as_json(client)["results"]}
    Bot.objects.filter(pk=site.house[0].bot_id).update(is_hidden=True)
    Match.objects.filter(pk=sealed.pk).update(embargo_until=timezone.now() + timedelta(hours=1))
    text = words(page(client))
    assert "It was" not in text
    assert f"/matches/{hidden.pk}/" not in page(client)
    found = as_json(client)
    assert found["counts"] == {"timeout": 1}
    assert [seat["kind"] for seat in found["results"]] == ["timeout"]


def test_only_so_many_are_counted(site: Site, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "LOOKED_AT", 3)
    faulted(site, site.version, "crash", n=5)
    text = words(page(client))
    assert "bot fault: crash 3" in text
    assert "Counted among the latest 3." in text


def test_a_bot_without_a_fault_says_so(site: Site, client: Client) -> None:
    text = words(client.get("/bots/greedy/faults/").content.decode())
    assert "None: in every game so far the bot has answered in time" in text


@pytest.mark.parametrize(
    ("query", "status"), [("since=9", 404), ("version=9", 404), ("kind=boredom", 400), ("before=x", 400)]
)
def test_what_cannot_be_asked_for_is_named(query: str, status: int, site: Site, client: Client) -> None:
    assert client.get(f"/bots/mine/faults/?{query}").status_code == status


def as_json(client: Client, query: str = "") -> dict[str, object]:
    found: dict[str, object] = client.get(f"/api/v1/bots/mine/faults/{query}").json()
    return found


def test_json_has_what_the_page_has(site: Site, client: Client) -> None:
    faulted(site, site.version, "crash")
    found = as_json(client, "?kind=timeout&since=1")
    assert found["counts"] == {"crash": 1, "timeout": 1}
    (fault,) = found["results"]  # type: ignore[misc]
    assert (fault["version"], fault["match"], fault["game"]) == (1, site.match.pk, site.games[0].pk)
    assert fault["detail"]["sentence"] == TIMEOUT["sentence"]
    assert fault["url"] == f"http://testserver/games/{site.games[0].pk}/?round=1&turn=9"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("since=9", "This bot has no version of this number."),
        ("version=9", "This bot has no version of this number."),
        ("kind=boredom", "One of: "),
        ("since=x", "A whole number."),
    ],
)
def test_a_wrong_parameter_of_the_api_is_named(query: str, sentence: str, site: Site, client: Client) -> None:
    answer = client.get(f"/api/v1/bots/mine/faults/?{query}")
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
