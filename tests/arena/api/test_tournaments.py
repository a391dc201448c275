"""Everything that the pages let people do with tournaments, by the API alone."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from arena.models import Tournament
from arena.services import create_api_token
from tests.arena.tournaments.events import (
    current,
    entry_of_seed,
    finish,
    make_event,
    make_tournament,
    play_out,
    waiting,
)
from tests.make import make_bot, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ROOT = "/api/v1/tournaments/"
QUICK = {"deals": 1, "final_deals": 1}


def client(user: User) -> APIClient:
    found = APIClient()
    _, secret = create_api_token(user=user, name="test")
    found.credentials(HTTP_AUTHORIZATION=f"Token {secret}")
    return found


def post(
    api: APIClient, address: str, body: dict[str, Any] | None = None, status: int = 200
) -> dict[str, Any]:
    answer = api.post(address, body or {}, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


def refusal(api: APIClient, address: str, body: dict[str, Any] | None = None, status: int = 400) -> str:
    found = post(api, address, body, status)
    assert set(found) == {"error"}
    assert set(found["error"]) <= {"code", "message", "fields"}
    return found["error"]["code"]


def test_an_event_is_made_entered_started_and_read(api: APIClient, owner: User) -> None:
    mine = client(owner)
    terms = {"name": "Cup", "format": "single-elimination", "settings": QUICK, "seeding": "lot"}
    event = post(mine, ROOT, {**terms, "most_entries_an_owner": 3}, status=201)
    assert (event["state"], event["organiser"], event["lot_seed"]) == ("registration", "olivia", None)
    assert event["settings"]["third_place"] is False
    home = event["url"]
    names = [make_version(make_bot(owner)).bot.name for _ in range(3)]
    for name in names:
        entry = post(mine, f"{home}entries/", {"bot": name}, status=201)
        assert (entry["bot"], entry["version"], entry["seed"]) == (name, None, None)
    assert api.get(f"{home}standings/").status_code == 404
    started = post(mine, f"{home}start/")
    assert (started["state"], started["n_entries"], len(started["lot_seed"])) == ("running", 3, 64)
    play_out(Tournament.objects.get(pk=event["id"]))

    found = api.get(home).json()
    assert (found["state"], found["winner"]) == (
        "finished",
        entry_of_seed(Tournament.objects.get(), 1).bot.name,
    )
    assert api.get(ROOT).json()["results"] == [found]
    assert api.get(f"{ROOT}?state=running").json()["results"] == []
    entries = api.get(f"{home}entries/").json()
    assert [(one["seed"], one["version"]) for one in entries] == [(1, 1), (2, 1), (3, 1)]
    standings = api.get(f"{home}standings/").json()
    assert [row["place"] for row in standings["standings"]] == [1, 2, 3]
    assert standings["standings"][0]["bot"] == found["winner"]
    assert standings["standings"][0]["values"] == {"reached": "Final", "wins": 1.0}
    bracket = api.get(f"{home}bracket/").json()
    assert [part["kind"] for part in bracket["parts"]] == ["bracket"]
    assert set(bracket["names"].values()) == set(names)
    match = api.get(f"/api/v1/matches/{bracket['matches'][0]['match']}/").json()
    assert match["tournament"] == event["id"]
    actions = [one["action"] for one in api.get(f"{home}records/").json()]
    assert actions == ["created", "started", "finished"]


def test_formats_and_their_settings_can_be_read(api: APIClient) -> None:
    found = {one["name"]: one for one in api.get("/api/v1/tournament-formats/").json()}
    assert {"single-elimination", "double-elimination", "swiss", "pods", "round-robin"} <= found.keys()
    deals = found["swiss"]["settings"][0]
    assert (deals["name"], deals["kind"], deals["default"], deals["minimum"]) == ("deals", "number", 25, 1)


def test_an_estimate_is_given_without_making_anything(owner: User) -> None:
    body = {"format": "single-elimination", "settings": QUICK, "n_entries": 4}
    found = post(client(owner), "/api/v1/tournament-estimate/", body)
    assert (found["matches"], found["games"]) == (3, 6)
    assert 0 < found["best_wins"] < 1
    assert not Tournament.objects.exists()


def test_estimates_are_not_given_without_end(owner: User, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "estimate": "1/m/ip"}
    body = {"format": "single-elimination", "settings": QUICK, "n_entries": 4}
    post(client(owner), "/api/v1/tournament-estimate/", body)
    assert refusal(client(owner), "/api/v1/tournament-estimate/", body, status=429) == "throttled"


def test_what_cannot_be_is_refused_in_the_one_shape(api: APIClient, owner: User, rival: User) -> None:
    mine = client(owner)
    assert refusal(api, ROOT, {}, status=401)
    assert refusal(mine, ROOT, {}) == "invalid"
    wrong = {"name": "Cup", "format": "swiss", "settings": {"rounds": 99}}
    answer = post(mine, ROOT, wrong, status=400)
    assert list(answer["error"]["fields"]) == ["settings.rounds"]
    home = f"{ROOT}{make_tournament(organiser=owner).pk}/"
    assert refusal(mine, f"{home}entries/", {"bot": "nobody"}) == "unknown_bot"
    assert refusal(client(rival), f"{home}start/", status=403) == "forbidden"
    assert refusal(mine, f"{home}start/") == "unplayable"
    assert refusal(mine, f"{home}pause/") == "wrong_state"
    assert refusal(mine, f"{ROOT}999/start/", status=404) == "not_found"
    assert refusal(api, f"{home}start/", status=401)
    assert api.get(f"{ROOT}?state=asleep").status_code == 400


def test_an_organiser_runs_an_event(owner: User) -> None:
    event = make_event("swiss", 4, organiser=owner, settings={"rounds": 2})
    mine, home = client(owner), f"{ROOT}{event.pk}/"
    first = waiting(event)[0]
    assert post(mine, f"{home}pause/")["state"] == "paused"
    assert post(mine, f"{home}resume/")["state"] == "running"
    finish(next(link for link in waiting(event) if link.key == first.key))
    again = next(link for link in current(event) if link.key == first.key)
    post(mine, f"{home}rerun/", {"match": again.match_id, "reason": "A broken host"})
    assert refusal(mine, f"{home}rerun/", {"match": again.match_id}) == "void"
    assert refusal(mine, f"{home}rerun/", {"match": 10**9}) == "unknown_match"
    post(mine, f"{home}forfeit/", {"key": first.key, "forfeits": list(first.entry_ids)})
    answer = post(mine, f"{home}rewind/", {"round": "1"}, status=400)["error"]
    assert answer["code"] == "confirm"
    assert all(str(link.match_id) in answer["message"] for link in current(event))
    assert post(mine, f"{home}rewind/", {"round": "1", "confirm": True})["state"] == "paused"
    post(mine, f"{home}resume/")
    out = entry_of_seed(event, 4)
    post(mine, f"{home}entries/{out.pk}/disqualify/", {"reason": "Two accounts"})
    gone = entry_of_seed(event, 3)
    post(client(gone.bot.owner), f"{home}entries/{gone.pk}/withdraw/")
    departures = [one["departure"] for one in mine.get(f"{home}entries/").json()]
    assert departures == ["", "", "withdrawn", "disqualified"]
    assert post(mine, f"{home}cancel/", {"reason": "No time"})["state"] == "cancelled"


def test_terms_are_changed_before_the_start(owner: User, rival: User) -> None:
    event = make_tournament("swiss", organiser=owner)
    mine, home = client(owner), f"{ROOT}{event.pk}/"
    found = post(mine, f"{home}edit/", {"name": "Winter cup", "settings": {"rounds": 4}})
    assert (found["name"], found["settings"]["rounds"], found["settings"]["deals"]) == ("Winter cup", 4, 1)
    assert mine.get(f"{home}records/").json()[-1]["action"] == "edited"
    answer = post(mine, f"{home}edit/", {"settings": {"deals": 0}}, status=400)
    assert list(answer["error"]["fields"]) == ["settings.deals"]
    assert refusal(client(rival), f"{home}edit/", {"name": "Mine"}, status=403) == "forbidden"


def test_an_entry_is_read_with_its_place_and_its_pairings(api: APIClient) -> None:
    event = play_out(make_event("swiss", 5, settings={"rounds": 3}))
    for entry in event.entries.all():
        found = api.get(f"{ROOT}{event.pk}/entries/{entry.pk}/").json()
        assert (found["id"], found["seed"], found["standing"]["entry"]) == (entry.pk, entry.seed, entry.pk)
        assert [one["round"] for one in found["pairings"]] == ["1", "2", "3"]
        byes = sum(one["bye"] for one in found["pairings"])
        assert len(found["matches"]) == 3 - byes
        assert all(one["counts"] and entry.pk in one["entries"] for one in found["matches"])
    assert api.get(f"{ROOT}{event.pk}/entries/0/").status_code == 404


def test_the_list_is_filtered_by_state_and_format(api: APIClient) -> None:
    make_event("swiss", 4)
    make_tournament()
    assert [one["format"] for one in api.get(f"{ROOT}?format=swiss").json()["results"]] == ["swiss"]
    assert api.get(f"{ROOT}?format=swiss&state=registration").json()["results"] == []
    assert api.get(f"{ROOT}?format=darts").status_code == 400


def test_seeds_are_given_by_hand(owner: User) -> None:
    event = make_tournament(organiser=owner, seeding="hand", most_entries_an_owner=2)
    mine, home = client(owner), f"{ROOT}{event.pk}/"
    ids = [
        post(mine, f"{home}entries/", {"bot": make_version(make_bot(owner)).bot.name}, status=201)["id"]
        for _ in range(2)
    ]
    assert refusal(mine, f"{home}order/", {"order": ids[:1]}) == "invalid"
    post(mine, f"{home}order/", {"order": ids[::-1]})
    post(mine, f"{home}start/")
    assert [one["id"] for one in mine.get(f"{home}entries/").json()] == ids[::-1]


def test_results_under_an_embargo_are_nowhere_in_the_api(api: APIClient, owner: User) -> None:
    event = play_out(make_event(n=3, organiser=owner, embargo_until=timezone.now() + timedelta(days=1)))
    home = f"{ROOT}{event.pk}/"
    match = current(event)[0].match_id
    bot = entry_of_seed(event, 1).bot.name
    for address in (f"{home}standings/", f"{home}bracket/", f"/api/v1/matches/{match}/"):
        assert api.get(address).status_code == 404
        assert client(owner).get(address).status_code == 200
    for address in ("/api/v1/matches/", "/api/v1/games/", f"/api/v1/matches/?bot={bot}"):
        assert api.get(address).json()["results"] == []
    assert api.get(home).json()["winner"] is None
    entry = api.get(f"{home}entries/{entry_of_seed(event, 1).pk}/").json()
    assert (entry["standing"], entry["pairings"], entry["matches"]) == (None, [], [])
    found = api.get(f"{home}export/").json()
    assert (found["result"], found["matches"]) == (None, [])
    assert len(api.get(f"{home}export/?format=csv").content.splitlines()) == 1
    post(client(owner), f"{home}embargo/", {"until": None})
    assert api.get(f"{home}standings/").status_code == 200


def test_an_event_is_exported_as_json_and_csv(api: APIClient) -> None:
    event = play_out(make_event(n=3))
    address = f"{ROOT}{event.pk}/export/"
    found = api.get(address)
    assert f"skyjo-tournament-{event.pk}.json" in found["Content-Disposition"]
    assert found.json()["result"]["is_finished"] is True
    table = api.get(f"{address}?format=csv")
    assert table["Content-Type"].startswith("text/csv")
    assert len(table.content.decode().splitlines()) == 4
    assert api.get(f"{address}?format=xml").status_code == 400
