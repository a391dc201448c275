"""Trials and matches on request by the API: the same as on the pages, with the same refusals."""

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from arena.models import RequestedMatch, Trial
from arena.services.trials import advance
from bots.models import Version
from tests.arena.trials.staging import make_trial, make_versions, played
from tests.make import make_bot, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def mine(api: APIClient, owner: User) -> APIClient:
    """Olivia, with a token's rights."""
    client = APIClient()
    client.force_authenticate(owner)
    return client


@pytest.fixture
def house(db: None) -> Version:
    return make_version(make_bot(name="greedy", is_house=True))


def test_a_trial_is_started_read_followed_and_stopped(mine: APIClient, api: APIClient, owner: User) -> None:
    old, new = make_versions(owner)
    sent = {"version": new.pk, "opponent": old.pk, "nelo1": 20, "max_pairs": 500}
    response = mine.post("/api/v1/trials/", sent, format="json")
    assert response.status_code == 201
    made = response.json()
    assert made["version"] == {"bot": new.bot.name, "version": 2, "version_id": new.pk}
    assert (made["state"], made["counts"], made["difference"]) == ("running", [0] * 5, None)
    assert (made["nelo0"], made["nelo1"], made["max_pairs"]) == (0, 20, 500)
    trial = Trial.objects.get(pk=made["id"])
    (match, *_) = advance(trial_id=trial.pk)
    played(trial, match, (2, 2, 1, 1.5, 0))
    advance(trial_id=trial.pk)
    found = api.get(made["url"]).json()
    assert (found["n_pairs"], found["counts"]) == (5, [1, 0, 1, 1, 2])
    assert found["difference"]["score"] == pytest.approx(0.65)
    assert found["lower"] < found["llr"] < found["upper"]
    assert found["games_left"] > 0
    stopped = mine.post(f"/api/v1/trials/{trial.pk}/stop/").json()
    assert (stopped["state"], stopped["stop"], stopped["games_left"]) == ("stopped", "owner", None)
    (listed,) = api.get(f"/api/v1/trials/?bot={new.bot.name}&state=stopped").json()["results"]
    assert listed == stopped
    assert api.get("/api/v1/trials/?state=running").json()["results"] == []


def test_matches_of_a_trial_are_found_by_it(api: APIClient, owner: User) -> None:
    trial, other = make_trial(owner), make_trial(owner)
    made = advance(trial_id=trial.pk)
    advance(trial_id=other.pk)
    found = api.get(f"/api/v1/matches/?trial={trial.pk}").json()["results"]
    assert [row["id"] for row in found] == [match.pk for match in reversed(made)]
    assert {row["trial"] for row in found} == {trial.pk}
    assert {row["ladder"] for row in found} == {None}


@pytest.mark.parametrize(
    ("change", "status", "code", "field"),
    [
        ({"version": 10**15}, 400, "unknown_version", "version"),
        ({"opponent": 10**30}, 400, "invalid", "opponent"),
        ({"opponent": 0}, 400, "invalid", "opponent"),
        ({"nelo1": -5}, 400, "invalid", "nelo1"),
        ({"nelo1": 1e300}, 400, "invalid", "nelo1"),
        ({"alpha": "NaN"}, 400, "invalid", "alpha"),
        ({"max_pairs": 10**9}, 400, "invalid", "max_pairs"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    mine: APIClient,
    owner: User,
    house: Version,
    change: dict[str, object],
    status: int,
    code: str,
    field: str,
) -> None:
    (version,) = make_versions(owner, 1)
    sent = {"version": version.pk, "opponent": house.pk, **change}
    response = mine.post("/api/v1/trials/", sent, format="json")
    assert response.status_code == status
    error = response.json()["error"]
    assert (error["code"], list(error["fields"])) == (code, [field])


def test_nobody_tries_or_stops_what_is_not_theirs(
    mine: APIClient, api: APIClient, owner: User, rival: User, house: Version
) -> None:
    trial = make_trial(rival)
    sent = {"version": trial.version_id, "opponent": house.pk}
    assert mine.post("/api/v1/trials/", sent, format="json").status_code == 403
    assert mine.post(f"/api/v1/trials/{trial.pk}/stop/").status_code == 403
    assert api.post("/api/v1/trials/", sent, format="json").status_code == 401
    assert api.post(f"/api/v1/trials/{trial.pk}/stop/").status_code == 401
    assert api.post("/api/v1/matches/", {"bot": "a", "against": "b"}, format="json").status_code == 401


def test_a_match_is_asked_for(mine: APIClient, api: APIClient, owner: User, house: Version) -> None:
    (version,) = make_versions(owner, 1)
    response = mine.post(
        "/api/v1/matches/", {"bot": version.bot.name.upper(), "against": "greedy"}, format="json"
    )
    assert response.status_code == 201
    made = response.json()
    assert (made["status"], made["ladder"], made["requested_by"]) == ("queued", None, "olivia")
    assert {one["version_id"] for one in made["participants"]} == {version.pk, house.pk}
    assert RequestedMatch.objects.get().match_id == made["id"]
    assert api.get(made["url"]).json()["requested_by"] == "olivia"


@pytest.mark.parametrize(
    ("bot", "against", "status", "field"),
    [
        ("greedy", "mine", 403, "bot"),
        ("mine", "nobody", 400, "against"),
        ("\0", "greedy", 400, "bot"),
        ("mine", "mine", 400, "against"),
    ],
)
def test_a_match_that_cannot_be_is_refused_by_name(
    mine: APIClient, owner: User, house: Version, bot: str, against: str, status: int, field: str
) -> None:
    make_version(make_bot(owner, "mine"))
    response = mine.post("/api/v1/matches/", {"bot": bot, "against": against}, format="json")
    assert response.status_code == status
    assert list(response.json()["error"]["fields"]) == [field]


def test_lists_take_few_queries_however_long(
    api: APIClient, owner: User, django_assert_max_num_queries
) -> None:
    trial = make_trial(owner)
    Trial.objects.bulk_create(
        Trial(
            owner=owner, version=trial.version, opponent=trial.opponent, preset="official", deals=5,
            nelo0=0, nelo1=10, alpha=0.05, beta=0.05, max_pairs=10, counts=[1, 2, 3, 4, 5],
        )
        for _ in range(30)
    )  # fmt: skip
    with django_assert_max_num_queries(3):
        assert len(api.get("/api/v1/trials/?page_size=40").json()["results"]) == 31
