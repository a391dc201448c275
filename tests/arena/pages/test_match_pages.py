from __future__ import annotations

import dataclasses
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from arena.models import LadderMatch, Pulse, RatingRun, RequestedMatch, TrialMatch
from arena.pairing.first import Reason
from arena.selectors.effects import rating_effect
from arena.selectors.match_lists import match_page
from arena.selectors.matches import Wanted, described_matches, summary
from bots.models import Bot
from matches import services
from matches.models import Attempt, Game, GameSeat, Match
from matches.referee.record import Fault
from tests import make
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, finish_match, make_match
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def ids(page: object) -> list[int]:
    return [match.pk for match in page.matches]  # type: ignore[attr-defined]


@pytest.fixture
def many(site: Site) -> list[int]:
    """Eight queued matches, oldest first, after the finished one."""
    return [make_match(site.duel, [site.house[0], site.house[1]]).pk for _ in range(8)]


def test_pages_of_matches_follow_each_other_without_gap_or_overlap(site: Site, many: list[int]) -> None:
    newest_first = [*reversed(many), site.match.pk]
    first = match_page(user=ANYBODY, size=4)
    second = match_page(user=ANYBODY, size=4, before=first.older)
    third = match_page(user=ANYBODY, size=4, before=second.older)
    assert ids(first) + ids(second) + ids(third) == newest_first
    assert (first.newer, third.older) == (None, None)
    assert ids(match_page(user=ANYBODY, size=4, after=third.newer)) == ids(second)
    assert match_page(user=ANYBODY, size=4, after=second.newer).newer is None


def test_matches_are_filtered_by_bot_ladder_and_status(site: Site, many: list[int]) -> None:
    assert ids(match_page(user=ANYBODY, wanted=Wanted(bot=site.mine))) == [site.match.pk]
    assert ids(match_page(user=ANYBODY, wanted=Wanted(status="finished"))) == [site.match.pk]
    assert ids(match_page(user=ANYBODY, wanted=Wanted(ladder=site.table))) == []
    assert len(ids(match_page(user=ANYBODY, wanted=Wanted(ladder=site.duel, status="queued")))) == 8


def test_a_longer_list_needs_no_more_queries(
    site: Site, many: list[int], client: Client, django_assert_max_num_queries: Callable[..., object]
) -> None:
    with django_assert_max_num_queries(6) as queries:
        client.get("/matches/")
    assert not any("COUNT(" in query["sql"] for query in queries.captured_queries)


def test_filters_stay_in_the_links_to_further_pages(site: Site, client: Client) -> None:
    for _ in range(31):
        make_match(site.duel, [site.house[0], site.house[1]])
    html = client.get("/matches/?bot=greedy&ladder=duel").content.decode()
    assert "?bot=greedy&amp;ladder=duel&amp;before=" in html
    assert '<option value="duel" selected>' in html
    assert 'value="greedy"' in html


def test_nothing_found_says_so(site: Site, client: Client) -> None:
    assert "No match is like this" in words(client.get("/matches/?status=void").content.decode())
    assert "There is no bot “nobody”" in words(client.get("/matches/?bot=nobody").content.decode())


@pytest.mark.parametrize(
    "query",
    [
        "before=x",
        "before=-1",
        "before=1.5",
        "after=9%00",
        pytest.param("before=" + "9" * 5000, id="a number of 5000 digits"),
        "ladder=none",
        "status=gone",
        "bot=a%00b",
        "bot=%F0%9F%83%8F",
    ],
)
def test_parameters_that_cannot_be_are_bad_requests(query: str, client: Client) -> None:
    response = client.get(f"/matches/?{query}")
    assert response.status_code == 400
    assert "must be" in words(response.content.decode())


def test_a_number_as_big_as_allowed_finds_nothing_or_everything(site: Site, client: Client) -> None:
    assert client.get("/matches/?after=" + "9" * 18).status_code == 200
    assert client.get("/matches/?before=" + "9" * 18).status_code == 200


def test_a_finished_match_shows_result_games_and_seed(site: Site, client: Client) -> None:
    html = client.get(f"/matches/{site.match.pk}/").content.decode()
    text = words(html)
    assert "greedy v1 50 %" in text
    assert "1 game with a bot fault" in text
    assert "bot fault: time-out" in text
    assert bytes(site.match.seed).hex() in html
    assert f"/games/{site.games[0].pk}/" in html
    assert "hx-trigger" not in html


@pytest.mark.parametrize(
    ("status", "sentence"), [("queued", "Waiting for a worker"), ("running", "Being played")]
)
def test_the_seed_of_an_unfinished_match_is_nowhere_and_its_page_renews_itself(
    status: str, sentence: str, site: Site, client: Client, as_operator: Client
) -> None:
    match = make_match(site.duel, [site.house[0], site.version], status=status)
    for reader in (client, as_operator):
        html = reader.get(f"/matches/{match.pk}/").content.decode()
        assert bytes(match.seed).hex() not in html
        assert match.commitment in html
        assert sentence in words(html)
        assert "hx-trigger" in html


def test_a_match_that_waits_says_when_nobody_is_there_to_play_it(site: Site, client: Client) -> None:
    waiting = make_match(site.duel, [site.house[0], site.version])
    running = make_match(site.duel, [site.house[0], site.version], status="running")
    worker = Pulse.objects.create(
        name="matches@here",
        kind=Pulse.Kind.WORKER,
        detail={"queues": ["matches"], "concurrency": 1},
        seen_at=timezone.now(),
    )

    def says(match: Match) -> bool:
        html = client.get(f"/matches/{match.pk}/live/").content.decode()
        return "No worker is there that could play it" in words(html)

    assert not says(waiting)
    detail = worker.detail
    for change in (
        {"is_well": False},
        {"detail": detail | {"match_mib": waiting.seats * waiting.memory_mib - 1}},
        {"detail": detail | {"lacks": {"python": "It is gone."}}},
        {"detail": detail, "is_well": True, "seen_at": timezone.now() - timedelta(hours=1)},
    ):
        Pulse.objects.filter(pk=worker.pk).update(**change)
        assert says(waiting), change
    # One with too little memory for other matches is not well, and plays this one.
    Pulse.objects.filter(pk=worker.pk).update(
        is_well=False, detail=detail | {"match_mib": 1024}, seen_at=timezone.now()
    )
    assert not says(waiting)
    assert not says(running)
    assert not says(site.match)


def test_an_infrastructure_fault_differs_in_word_and_class_from_a_bot_fault(
    site: Site, client: Client
) -> None:
    match = make_match(site.duel, [site.house[0], site.version], status="parked")
    Attempt.objects.create(
        match=match,
        number=1,
        token=uuid.uuid4(),
        worker="w",
        outcome="infrastructure",
        cause="lag",
        detail="secret host",
    )
    html = client.get(f"/matches/{match.pk}/").content.decode()
    assert "infrastructure fault: lag" in words(html)
    assert "fault-infra" in html
    assert "fault-bot" not in html
    assert "secret host" not in html


def test_a_void_match_says_that_it_counts_for_nobody(site: Site, client: Client) -> None:
    Match.objects.filter(pk=site.match.pk).update(status="void")
    assert "It counts for nobody" in words(client.get(f"/matches/{site.match.pk}/").content.decode())


@pytest.mark.parametrize(
    "path", ["/matches/999999/", "/matches/999999/live/", "/matches/99999999999999999999999999/"]
)
def test_an_unknown_match_is_not_found(path: str, client: Client) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "There is no match" in words(response.content.decode())


@pytest.mark.parametrize(
    "path",
    ["/matches/x/", "/games/x/", "/games/-1/", pytest.param(f"/games/{'9' * 5000}/", id="5000 digits")],
)
def test_a_number_that_is_none_is_not_found(path: str, client: Client) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "There is nothing at this address" in words(response.content.decode())


def test_matches_and_games_of_a_hidden_bot_are_hidden(
    site: Site, client: Client, as_rival: Client, as_owner: Client, as_operator: Client
) -> None:
    Bot.objects.filter(pk=site.mine.pk).update(is_hidden=True)
    for path in (
        f"/matches/{site.match.pk}/",
        f"/games/{site.games[0].pk}/",
        f"/games/{site.games[0].pk}/replay/",
    ):
        statuses = [reader.get(path).status_code for reader in (client, as_rival, as_owner, as_operator)]
        assert statuses == [404, 404, 200, 200]
    assert f"/matches/{site.match.pk}/" not in client.get("/matches/").content.decode()


def test_a_filter_of_matches_is_the_same_on_the_page_and_in_the_api(site: Site, client: Client) -> None:
    random, greedy, threshold, ev = site.house
    table = make_match(site.table, site.house)
    clean = make_match(site.duel, [random, ev])
    finish_match(clean)
    failed = make_match(site.duel, [threshold, ev])
    Attempt.objects.create(match=failed, number=1, token=uuid.uuid4(), worker="w", outcome="lost")
    asked, of_trial = (make.make_match([greedy, site.version]) for _ in range(2))
    RequestedMatch.objects.create(match=asked, by=site.owner)
    TrialMatch.objects.create(match=of_trial, trial=site.trial)
    expected = {
        "outcome=faults": [site.match],
        "outcome=clean": [clean],
        "outcome=ours": [failed],
        "seats=4": [table],
        "seats=3": [],
        "rated=yes": [failed, clean, table, site.match],
        "rated=no": [asked],
        "bot=greedy&against=MINE": [asked, site.match],
        "against=ev&status=finished": [clean],
        "bot=ev&against=ev&ladder=table": [table],
    }
    for query, matches in expected.items():
        page = client.get(f"/matches/?{query}").context["page"]
        assert [one.pk for one in page.matches] == [match.pk for match in matches], query
        rows = client.get(f"/api/v1/matches/?{query}").json()["results"]
        # The API lists the matches of trials among the others.
        assert [row["id"] for row in rows if row["trial"] is None] == [one.pk for one in matches], query
    rows = client.get("/api/v1/matches/?rated=no").json()["results"]
    assert [row["id"] for row in rows] == [of_trial.pk, asked.pk]


def test_finishing_a_match_marks_whether_a_bot_faulted() -> None:
    versions = [make.make_version(), make.make_version()]
    claim = make.make_claim(make.make_match(versions))
    record = make.make_record(claim.match, versions)
    assert services.finish_match(claim=claim, record=record)
    assert not Match.objects.get(pk=claim.match.pk).has_bot_fault
    claim = make.make_claim(make.make_match(versions))
    record = make.make_record(claim.match, versions)
    fault = Fault(
        seat=1, kind="crash", sentence="", decision=0, phase="draw", round=1, turn=0, expected="an answer"
    )
    games = (dataclasses.replace(record.games[0], faults=(fault,)), *record.games[1:])
    assert services.finish_match(claim=claim, record=dataclasses.replace(record, games=games))
    assert Match.objects.get(pk=claim.match.pk).has_bot_fault


def test_the_first_page_renews_its_rows_and_says_when_there_are_newer(site: Site, client: Client) -> None:
    waiting = make_match(site.duel, site.house[:2])
    html = client.get("/matches/?ladder=duel").content.decode()
    live = re.search(r'hx-get="([^"]+)"', html)
    assert live is not None
    address = unescape(live[1])
    finish_match(waiting)
    html = client.get(address).content.decode()
    assert ">finished<" in html
    assert "these rows renew themselves" in html
    make_match(site.table, site.house)
    assert "these rows renew themselves" in client.get(address).content.decode()
    newer = make_match(site.duel, site.house[:2])
    html = client.get(address).content.decode()
    assert '<a class="inline" href="/matches/?ladder=duel">There are newer matches' in html
    assert f'href="/matches/{newer.pk}/"' not in html
    # It asks for the very same rows again.
    assert f'hx-get="{live[1]}"' in html
    assert "hx-get" not in client.get(f"/matches/?before={newer.pk}").content.decode()


def test_a_match_says_for_which_version_it_was_made_and_why(site: Site, client: Client) -> None:
    paired, arranged = (make_match(site.duel, [site.house[0], site.house[1]]) for _ in range(2))
    made_for = paired.participants.get(number=0).version
    LadderMatch.objects.filter(match=paired).update(made_for=made_for, reason=Reason.LEAST_CERTAIN)
    assert f"The rating of {made_for} was the least certain. least certain" in words(
        client.get(f"/matches/{paired.pk}/").content.decode()
    )
    assert "Why it was paired" not in words(client.get(f"/matches/{arranged.pk}/").content.decode())


def test_every_seat_of_a_game_has_its_place_rounds_total_and_outcome(site: Site, client: Client) -> None:
    match = make.make_finished_match([site.version, site.house[0]], site.duel)
    game = match.games.order_by("deal", "seating")[0]
    html = client.get(f"/matches/{match.pk}/").content.decode()
    text = words(html)
    for seat in game.seats.all():
        rounds = " ".join(str(points[seat.seat]) for points in game.round_points).replace("-", "−")
        row = f"{seat.seat} {seat.version.bot.name} v1 {seat.placing} {rounds} {seat.total} played to the end"
        assert row in text
    assert f'href="/games/{game.pk}/replay/" download' in html


def test_a_faulted_seat_leads_to_its_fault_and_a_forfeit_says_so(site: Site, client: Client) -> None:
    html = client.get(f"/matches/{site.match.pk}/").content.decode()
    seat = site.games[0].seats.exclude(fault="").get().seat
    assert f'href="/games/{site.games[0].pk}/#fault-{seat}"' in html
    # Stored before the points of rounds were kept.
    assert f"{site.games[0].n_rounds} round" in words(html)
    Game.objects.filter(pk=site.games[1].pk).update(is_forfeit=True, replay=b"", round_points=[])
    GameSeat.objects.filter(game=site.games[1]).update(total=None)
    assert "– – forfeit" in words(client.get(f"/matches/{site.match.pk}/").content.decode())


def test_a_rated_match_is_told_beside_what_the_ratings_expected(site: Site, client: Client) -> None:
    ev = site.house[3]
    match = make.make_finished_match([site.version, ev], site.duel, deals=2, winner=site.version)
    path = f"/matches/{match.pk}/"
    text = words(client.get(path).content.decode())
    # 190 Elo points behind.
    assert "mine v1 1700 ± 78 25 % 100 % +75 %" in text
    assert "ev v1 1890 ± 16 75 % 0 % −75 %" in text
    assert "do not know of it yet" in text
    RatingRun.objects.filter(ladder=site.duel).update(created_at=timezone.now() + timedelta(seconds=1))
    assert "This one is in the ratings published" in words(client.get(path).content.decode())
    found = client.get(f"/api/v1{path}").json()
    assert found["rating_effect"]["is_in"] is True
    sides = {side["version_id"]: side for side in found["rating_effect"]["sides"]}
    assert sides[site.version.pk]["expected"] == pytest.approx(0.250917, abs=1e-6)
    assert sides[ev.pk]["residual"] == pytest.approx(-0.749083, abs=1e-6)
    assert len(found["games"][0]["round_points"]) == found["games"][0]["n_rounds"]


def test_at_a_table_of_four_the_expectation_is_the_mean_over_the_others(site: Site) -> None:
    match = make.make_finished_match([site.version, *site.house[1:]], site.table)
    found = rating_effect(summary(described_matches(ANYBODY).get(pk=match.pk)))
    assert found is not None
    assert sum(side.expected or 0 for side in found.sides) == pytest.approx(2)
    assert sum(side.residual or 0 for side in found.sides) == pytest.approx(0)
    mine = next(side for side in found.sides if side.side.version == site.version)
    shares = [1 / (1 + 10 ** ((elo - 1700) / 400)) for elo in (1500, 1710, 1890)]
    assert mine.expected == pytest.approx(sum(shares) / 3)


def test_what_is_not_rated_or_void_has_no_effect(site: Site, client: Client) -> None:
    match = make.make_finished_match([site.version, site.house[0]])
    assert "None: it is unrated." in words(client.get(f"/matches/{match.pk}/").content.decode())
    assert client.get(f"/api/v1/matches/{match.pk}/").json()["rating_effect"] is None
    Match.objects.filter(pk=site.match.pk).update(status="void")
    assert "a void match counts for nobody" in words(
        client.get(f"/matches/{site.match.pk}/").content.decode()
    )


def test_the_same_deals_can_be_played_at_home_once_the_seed_is_out(site: Site, client: Client) -> None:
    seed = bytes(site.match.seed).hex()
    command = f"python3 skyjo.pyz play greedy mine.py --deals 1 --preset official --seed {seed}"
    assert command in words(client.get(f"/matches/{site.match.pk}/").content.decode())
    queued = make_match(site.duel, [site.house[0], site.version])
    assert "skyjo.pyz play" not in words(client.get(f"/matches/{queued.pk}/").content.decode())


def test_the_owner_is_led_to_the_logs_of_the_own_bot_and_nobody_else_is(
    site: Site, client: Client, as_owner: Client, as_rival: Client
) -> None:
    logs = f"/api/v1/matches/{site.match.pk}/logs/"
    clean = site.games[1].seats.get(version=site.version).seat
    for reader, is_led in ((client, False), (as_rival, False), (as_owner, True)):
        html = reader.get(f"/matches/{site.match.pk}/").content.decode()
        assert (logs in html) is is_led
        assert (f"/games/{site.games[1].pk}/#own-{clean}" in html) is is_led
    assert (client.get(logs).status_code, as_rival.get(logs).status_code) == (401, 403)
    found = as_owner.get(logs).json()["results"]
    assert [log["version_id"] for log in found] == [site.version.pk] * 2
    assert found[0]["fault"] == "timeout"
    assert found[0]["offending"] == "secret line"
    assert found[0]["exchanges"] == [{"sent": "{}", "received": None}]
    assert "stderr of greedy" not in str(found)
