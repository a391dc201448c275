"""Reading needs no account; bad parameters are named; lists have cursors."""

import gzip
import json

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from arena.ratings.compare import SURE_ERRORS
from arena.services import pair_ladder, rate_ladder
from matches.models import Game
from matches.replay import decode, verify
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_rated_ladder_can_be_read_without_an_account(api: APIClient, anchor) -> None:
    ladder = make.make_ladder()
    rival = make.make_version()
    for version in (anchor, rival):
        make.make_entry(ladder, version)
    make.make_finished_match([anchor, rival], ladder, deals=2, winner=rival)
    rate_ladder(ladder=ladder)

    (listed,) = api.get("/api/v1/ladders/").json()["results"]
    assert (listed["slug"], listed["seats"], listed["rules"]["target"]) == ("duel", 2, 100)
    assert listed["limits"] == {"start_ms": 5000, "decision_ms": 500, "bank_ms": 10_000, "memory_mib": 512}
    assert listed["ratings"]["n_matches"] == 1
    assert api.get("/api/v1/ladders/duel/").json() == listed

    rows = api.get(listed["ratings_url"]).json()["results"]
    assert {row["bot"] for row in rows} == {"greedy", rival.bot.name}
    by_bot = {row["bot"]: row for row in rows}
    assert by_bot["greedy"]["elo"] == 1500
    assert by_bot[rival.bot.name]["n_games"] == 4
    other = by_bot[rival.bot.name]
    assert other["standard_error"] > 0
    assert other["half_width"] == pytest.approx(SURE_ERRORS * other["standard_error"])
    assert other["is_provisional"]
    assert "error" in other["doubts"]
    assert (other["rank_low"], other["rank_high"], other["fault_rate"]) == (1, 2, 0)
    assert 0 < other["round_points"] <= other["mean_points"]
    assert [row["better_than_next"] is None for row in rows] == [False, True]
    assert 0.5 < rows[0]["better_than_next"] < 1


def test_ratings_of_replaced_versions_are_listed_only_on_demand(api: APIClient, anchor) -> None:
    ladder = make.make_ladder()
    old = make.make_version()
    for version in (anchor, old):
        make.make_entry(ladder, version)
    make.make_finished_match([anchor, old], ladder)
    make.make_version(old.bot)
    rate_ladder(ladder=ladder)
    current = api.get("/api/v1/ladders/duel/ratings/").json()["results"]
    every = api.get("/api/v1/ladders/duel/ratings/?versions=all").json()["results"]
    assert [row["bot"] for row in current] == ["greedy"]
    assert {row["bot"]: row["is_current"] for row in every} == {"greedy": True, old.bot.name: False}


def test_a_match_and_its_games_can_be_read(api: APIClient) -> None:
    ladder = make.make_ladder()
    match = make.make_finished_match(ladder=ladder, deals=2)
    body = api.get(f"/api/v1/matches/{match.pk}/").json()
    assert (body["status"], body["ladder"], len(body["games"])) == ("finished", "duel", 4)
    assert body["seed"] == bytes(match.seed).hex()
    assert len(body["participants"]) == 2
    (attempt,) = body["attempts"]
    assert (attempt["number"], attempt["outcome"], attempt["cause"]) == (1, "finished", "")
    assert attempt["ended_at"] is not None
    game = body["games"][0]
    assert api.get(f"/api/v1/games/{game['id']}/").json() == game
    assert {seat["placing"] for seat in game["seats"]} <= {1, 2}
    listed = api.get(f"/api/v1/games/?match={match.pk}").json()["results"]
    assert {row["id"] for row in listed} == {row["id"] for row in body["games"]}


def test_a_match_says_for_which_version_it_was_made_and_why(api: APIClient, anchor) -> None:
    ladder = make.make_ladder()
    for version in (anchor, make.make_version()):
        make.make_entry(ladder, version)
    made = pair_ladder(ladder=ladder)[0]
    found = api.get(f"/api/v1/matches/{made.pk}/").json()
    assert found["pairing"]["made_for"] in {one["version_id"] for one in found["participants"]}
    assert found["pairing"]["reason"] == "smoke test"
    assert "at random" in found["pairing"]["sentence"]
    assert api.get(f"/api/v1/matches/{make.make_match().pk}/").json()["pairing"] is None


def test_the_seed_of_an_unfinished_match_is_nowhere_in_the_answer(api: APIClient) -> None:
    match = make.make_match(ladder=make.make_ladder())
    answer = api.get(f"/api/v1/matches/{match.pk}/")
    assert answer.json()["seed"] is None
    assert answer.json()["commitment"] == match.commitment
    assert bytes(match.seed).hex() not in answer.content.decode()


def test_a_replay_is_expanded_unless_compact_is_asked_for(api: APIClient) -> None:
    game = make.make_finished_match().games.first()
    expanded = api.get(f"/api/v1/games/{game.pk}/replay/")
    compact = api.get(f"/api/v1/games/{game.pk}/replay/?format=compact")
    assert expanded["Content-Disposition"] == f'attachment; filename="skyjo-game-{game.pk}.json"'
    assert expanded["X-Content-Type-Options"] == "nosniff"
    assert len(compact.content) < len(expanded.content)
    names = [str(seat.version) for seat in game.seats.all()]
    assert expanded.json()["about"] == {"match": game.match_id, "game": game.pk, "names": names}
    for answer in (expanded, compact):
        assert "Content-Encoding" not in answer
        verify(answer.content)
    assert decode(compact.content).core == decode(expanded.content).core


@pytest.mark.parametrize("header", ["gzip", "br, gzip;q=0.5", "*"])
@pytest.mark.parametrize("form", ["expanded", "compact"])
def test_a_replay_is_sent_as_gzip_to_those_who_take_it(api: APIClient, header: str, form: str) -> None:
    game = make.make_finished_match().games.first()
    plain = api.get(f"/api/v1/games/{game.pk}/replay/?format={form}")
    packed = api.get(f"/api/v1/games/{game.pk}/replay/?format={form}", HTTP_ACCEPT_ENCODING=header)
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert gzip.decompress(packed.content) == plain.content


@pytest.mark.parametrize("header", ["gzip;q=0", "gzip; q=0.0", "br", "identity"])
def test_a_replay_is_sent_plain_to_those_who_do_not(api: APIClient, header: str) -> None:
    game = make.make_finished_match().games.first()
    answer = api.get(f"/api/v1/games/{game.pk}/replay/", HTTP_ACCEPT_ENCODING=header)
    assert "Content-Encoding" not in answer
    json.loads(answer.content)


def test_a_forfeited_game_says_that_it_has_no_replay(api: APIClient) -> None:
    game = make.make_finished_match().games.first()
    Game.objects.filter(pk=game.pk).update(is_forfeit=True)
    assert api.get(f"/api/v1/games/{game.pk}/").json()["replay_url"] is None
    answer = api.get(f"/api/v1/games/{game.pk}/replay/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "forfeit")


def test_long_lists_are_walked_by_cursor_without_a_gap(api: APIClient) -> None:
    versions = [make.make_version(), make.make_version()]
    matches = [make.make_match(versions) for _ in range(5)]
    url, seen = "/api/v1/matches/?page_size=2", []
    while url:
        page = api.get(url).json()
        seen += [row["id"] for row in page["results"]]
        url = page["next"]
    assert seen == sorted((match.pk for match in matches), reverse=True)


def test_matches_are_found_by_bot_ladder_and_status(api: APIClient) -> None:
    ladder = make.make_ladder()
    wanted = make.make_match(ladder=ladder)
    make.make_match(ladder=make.make_ladder("other"))
    make.make_finished_match(ladder=ladder)
    name = wanted.participants.first().version.bot.name
    for query in (f"bot={name}", "ladder=duel&status=queued", f"bot={name}&ladder=duel&status=queued"):
        results = api.get(f"/api/v1/matches/?{query}").json()["results"]
        assert [row["id"] for row in results] == [wanted.pk]


def test_a_match_between_two_versions_of_a_bot_is_listed_once(api: APIClient) -> None:
    mine = make.make_bot()
    between = make.make_finished_match([make.make_version(mine), make.make_version(mine)])
    with_another = make.make_finished_match([make.make_version(mine), make.make_version()])
    matches = [row["id"] for row in api.get(f"/api/v1/matches/?bot={mine.name}").json()["results"]]
    assert matches == [with_another.pk, between.pk]
    games = [row["match"] for row in api.get(f"/api/v1/games/?bot={mine.name}").json()["results"]]
    assert games == [with_another.pk] * 2 + [between.pk] * 2


@pytest.mark.parametrize(
    ("url", "field"),
    [
        ("/api/v1/matches/?page_size=x", "page_size"),
        ("/api/v1/matches/?page_size=0", "page_size"),
        ("/api/v1/matches/?page_size=201", "page_size"),
        ("/api/v1/matches/?cursor=%00", "cursor"),
        ("/api/v1/matches/?cursor=nonsense", "cursor"),
        ("/api/v1/matches/?cursor=cD1hYmM=", "cursor"),  # p=abc
        ("/api/v1/bots/?cursor=cD0lMDA=", "cursor"),  # p=%00
        ("/api/v1/matches/?ladder=nowhere", "ladder"),
        ("/api/v1/matches/?status=lost", "status"),
        ("/api/v1/matches/?bot=nobody", "bot"),
        ("/api/v1/matches/?bot=%00", "bot"),
        ("/api/v1/versions/?status=good", "status"),
        ("/api/v1/games/?match=one", "match"),
        ("/api/v1/games/?match=99999999999999999999", "match"),
    ],
)
def test_a_parameter_that_cannot_be_is_named(api: APIClient, url: str, field: str) -> None:
    answer = api.get(url)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] in {"invalid", f"unknown_{field}"}
    assert list(error["fields"]) == [field]
    assert field in error["message"]


@pytest.mark.parametrize(
    "url",
    [
        "/api/v1/ladders/nowhere/",
        "/api/v1/ladders/nowhere/ratings/",
        "/api/v1/bots/nobody/",
        "/api/v1/bots/a/",
        "/api/v1/versions/0/",
        "/api/v1/versions/99999999999999999999/",
        "/api/v1/matches/12345678/",
        "/api/v1/games/12345678/",
        "/api/v1/games/12345678/replay/",
        "/api/v1/nothing/",
        "/api/v1/matches/one/",
    ],
)
def test_what_is_not_there_is_said_in_the_one_error_shape(api: APIClient, url: str) -> None:
    answer = api.get(url)
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["code"] == "not_found"
    assert error["message"].endswith(".")


def test_an_unknown_replay_format_is_refused_with_the_known_ones(api: APIClient) -> None:
    game = make.make_finished_match().games.first()
    error = api.get(f"/api/v1/games/{game.pk}/replay/?format=xml").json()["error"]
    assert error["fields"] == {"format": ["One of: expanded, compact."]}


def test_a_wrong_method_is_refused_in_the_one_error_shape(api: APIClient) -> None:
    answer = api.delete("/api/v1/bots/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")


def test_hidden_bots_are_absent_for_all_but_their_owner(api: APIClient, owner: User) -> None:
    version = make.make_version(make.make_bot(owner, "shy", is_hidden=True))
    for url in ("/api/v1/bots/shy/", f"/api/v1/versions/{version.pk}/"):
        assert api.get(url).status_code == 404
    assert api.get("/api/v1/bots/").json()["results"] == []
    api.force_authenticate(owner)
    assert api.get("/api/v1/bots/shy/").status_code == 200


def test_a_check_report_is_shown_to_the_owner_alone(api: APIClient, owner: User, rival: User) -> None:
    version = make.make_version(make.make_bot(owner), status="rejected")
    version.rejection = "Your bot exited before it answered."
    version.report = {"stderr": "a secret of the author"}
    version.save()
    url = f"/api/v1/versions/{version.pk}/"
    for user in (None, rival):
        api.force_authenticate(user)
        answer = api.get(url)
        assert answer.json()["report"] is None
        assert b"secret" not in answer.content
    api.force_authenticate(owner)
    assert api.get(url).json()["report"] == {"stderr": "a secret of the author"}
    assert [stage["name"] for stage in api.get(url).json()["stages"]] == ["package", "start", "qualification"]


def test_lists_take_few_queries_however_long(api: APIClient, django_assert_max_num_queries) -> None:
    ladder = make.make_ladder()
    for _ in range(4):
        make.make_finished_match(ladder=ladder)
    for url in (
        "/api/v1/matches/",
        "/api/v1/games/",
        "/api/v1/bots/",
        "/api/v1/versions/",
        "/api/v1/ladders/",
    ):
        with django_assert_max_num_queries(8):
            assert api.get(url).status_code == 200


def test_the_schema_and_its_page_open_under_the_strict_policy(api: APIClient) -> None:
    schema = api.get("/api/v1/schema/?format=json")
    assert schema.status_code == 200
    page = api.get("/api/v1/docs/")
    assert page.status_code == 200
    policy = page["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert b"<script>" not in page.content
    assert b"<style" not in page.content


def test_the_page_of_the_schema_leads_back_to_the_site(api: APIClient) -> None:
    html = api.get("/api/v1/docs/").content.decode()
    assert 'href="/"' in html
    assert 'href="/docs/api/"' in html


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/api/", "/api/v1/docs/ shows what there is"),
        ("/api/v2/bots/", "/api/v1/docs/ shows what there is"),
        ("/api/v1/", "/api/v1/docs/ shows what there is"),
        ("/api/v1/nonsense/", "/api/v1/docs/ shows what there is"),
        ("/api/v1/nonsense", "/api/v1/docs/ shows what there is"),
        ("/api/v1/matches", "end with a slash: /api/v1/matches/"),
        ("/api/v1/bots/ev", "end with a slash: /api/v1/bots/ev/"),
    ],
)
def test_an_address_that_is_none_leads_on(address: str, words: str, api: APIClient) -> None:
    answer = api.get(address)
    assert answer.status_code == 404
    assert words in answer.json()["error"]["message"]


def test_a_body_without_a_length_is_not_taken_for_an_empty_one(api: APIClient) -> None:
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked"}
    answer = api.post("/api/v1/bots/", {"name": "mine", "source": "x"}, format="json", **chunked)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "no_length")
    assert "Content-Length" in answer.json()["error"]["message"]
    page = api.post("/submit/", {"name": "mine"}, **chunked)
    assert page.status_code == 400
    assert "Content-Length" in page.content.decode()


def test_who_needs_a_token_is_told_how_to_send_it(api: APIClient) -> None:
    answer = api.get("/api/v1/account/")
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Token")
    assert "Authorization: Token" in answer.json()["error"]["message"]
