"""Trials on pages: started from a bot's page, followed live, stopped; and matches on request."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from arena.models import Pulse, RequestedMatch, Trial, TrialMatch
from arena.pages import llr_chart
from arena.ratings.sequential import SequentialTest
from arena.selectors.match_lists import match_page
from arena.selectors.matches import Wanted
from arena.templatetags.arena import signed
from bots.models import Bot
from tests.arena.pages.markup import Markup, words
from tests.arena.pages.staging import Site, make_match, make_trial, make_version
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def text(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    assert Markup(response.content.decode()).problems == []
    return words(response.content.decode())


def test_the_owner_starts_a_trial_from_the_bots_page(site: Site, as_owner: Client) -> None:
    Trial.objects.all().delete()
    newer = make_version(site.mine)
    page = text(as_owner, "/bots/mine/")
    assert "Is it better?" in page
    sent = {"version": newer.pk, "opponent": site.version.pk, "question": "quick", "max_pairs": "1000"}
    response = as_owner.post("/bots/mine/trials/", sent)
    trial = Trial.objects.get()
    assert response.headers["Location"] == f"/trials/{trial.pk}/"
    assert (trial.version, trial.opponent, trial.nelo1, trial.max_pairs) == (newer, site.version, 20, 1000)
    assert "mine v3 against mine v1" in text(as_owner, "/bots/mine/")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": "\0"}, "There is no such version."),
        ({"version": "9" * 30}, "There is no such version."),
        ({"opponent": ""}, "There is no such version."),
        ({"question": "nonsense"}, "Choose one of what the form offers."),
        ({"max_pairs": "1"}, "Choose one of what the form offers."),
    ],
)
def test_what_the_form_does_not_offer_is_refused_on_the_bots_page(
    site: Site, as_owner: Client, change: dict[str, str], sentence: str
) -> None:
    good = {
        "version": site.version.pk,
        "opponent": site.house[1].pk,
        "question": "better",
        "max_pairs": "200",
    }
    response = as_owner.post("/bots/mine/trials/", {**good, **change}, follow=True)
    assert sentence in words(response.content.decode())
    assert Trial.objects.count() == 1


def test_nobody_else_is_offered_a_trial_or_may_start_or_stop_one(
    site: Site, client: Client, as_rival: Client
) -> None:
    sent = {
        "version": site.version.pk,
        "opponent": site.house[1].pk,
        "question": "better",
        "max_pairs": "200",
    }
    for path, data in (("/bots/mine/trials/", sent), (f"/trials/{site.trial.pk}/stop/", {})):
        assert as_rival.post(path, data).status_code == 403
        assert client.post(path, data).headers["Location"].startswith("/accounts/login/")
    for reader in (client, as_rival):
        assert "Is it better?" not in text(reader, "/bots/mine/")
        assert "Stop the trial" not in text(reader, f"/trials/{site.trial.pk}/")
    assert Trial.objects.get().state == Trial.State.RUNNING


def test_the_page_gives_every_number_and_the_drawing_in_words(site: Site, client: Client) -> None:
    page = text(client, f"/trials/{site.trial.pk}/")
    assert "mine v1 against greedy v1" in page
    assert "43 of at most 20,000" in page
    assert "0 ½ 1 1½ 2 Pairs 6 2 15 3 17" in page
    assert "+95 ± 80" in page.replace("\xa0", " ")
    html = client.get(f"/trials/{site.trial.pk}/live/").content.decode()
    assert f'hx-get="/trials/{site.trial.pk}/live/"' in html
    assert "ratio: +0.60 after 43 pairs, between −2.94, where the verdict is not better, and +2.94" in html
    assert "no-store" in client.get(f"/trials/{site.trial.pk}/live/").headers["Cache-Control"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"state": "better"}, "mine v1 is better than greedy v1."),
        ({"state": "not_better"}, "mine v1 is not better than greedy v1, or by too little to matter."),
        ({"state": "undecided"}, "Undecided after 20,000 pairs, the limit of this trial."),
        ({"state": "stopped", "stop": "owner"}, "Stopped without a verdict: its owner stopped it."),
        (
            {"state": "stopped", "stop": "version", "counts": [], "path": []},
            "Stopped without a verdict: one of the versions may not play any more.",
        ),
    ],
)
def test_a_trial_that_is_over_says_how_and_asks_no_more(
    site: Site, client: Client, fields: dict[str, object], sentence: str
) -> None:
    trial = make_trial(site.owner, site.version, site.house[1], finished_at=timezone.now(), **fields)
    assert sentence in text(client, f"/trials/{trial.pk}/")
    assert "hx-get" not in client.get(f"/trials/{trial.pk}/").content.decode()


def test_a_trial_says_when_nobody_is_there_to_play_it(site: Site, client: Client) -> None:
    assert "No worker is there that could play it" in text(client, f"/trials/{site.trial.pk}/")
    Pulse.objects.create(
        name="matches@here",
        kind=Pulse.Kind.WORKER,
        detail={"queues": ["matches"], "concurrency": 1},
        seen_at=timezone.now(),
    )
    assert "No worker is there that could play it" not in text(client, f"/trials/{site.trial.pk}/")


def test_the_owner_stops_a_trial(site: Site, as_owner: Client) -> None:
    assert "Stop the trial" in text(as_owner, f"/trials/{site.trial.pk}/")
    response = as_owner.post(f"/trials/{site.trial.pk}/stop/", follow=True)
    assert "The trial is stopped." in words(response.content.decode())
    response = as_owner.post(f"/trials/{site.trial.pk}/stop/", follow=True)
    assert "This trial is over." in words(response.content.decode())


def test_trials_are_listed_newest_first_by_bot_and_state(site: Site, client: Client) -> None:
    over = make_trial(site.owner, site.version, site.house[2], state="better")
    page = text(client, "/trials/")
    assert page.index("mine v1 against threshold v1") < page.index("mine v1 against greedy v1")
    assert "against greedy" not in text(client, "/trials/?bot=threshold")
    assert "against threshold" not in text(client, "/trials/?state=running")
    assert "No trial is like this." in text(client, "/trials/?bot=nobody")
    assert client.get("/trials/?state=nonsense").status_code == 400
    assert client.get(f"/trials/{over.pk + 1}/").status_code == 404


def test_pages_of_trials_follow_each_other(site: Site, client: Client) -> None:
    for _ in range(30):
        make_trial(site.owner, site.version, site.house[1], state="stopped", stop="owner")
    assert f'"?before={site.trial.pk + 1}"' in client.get("/trials/").content.decode()
    assert f"/trials/{site.trial.pk}/" in client.get(f"/trials/?before={site.trial.pk + 1}").content.decode()


def test_a_trial_of_a_hidden_bot_is_for_its_owner_and_operators(
    site: Site, client: Client, as_owner: Client, as_operator: Client
) -> None:
    Bot.objects.filter(pk=site.mine.pk).update(is_hidden=True)
    paths = [f"/trials/{site.trial.pk}/", f"/trials/{site.trial.pk}/live/"]
    assert [client.get(path).status_code for path in paths] == [404, 404]
    assert "against greedy" not in text(client, "/trials/")
    for reader in (as_owner, as_operator):
        assert "against greedy" in text(reader, paths[0])


def test_matches_of_a_trial_are_listed_with_it_alone(site: Site, client: Client) -> None:
    match = make_match(site.duel, [site.house[1], site.version])
    match.ladder_match.delete()
    TrialMatch.objects.create(trial=site.trial, match=match)
    listed = [match.pk for match in match_page(user=ANYBODY, wanted=Wanted(bot=site.mine)).matches]
    assert listed == [site.match.pk]
    assert f"/matches/{match.pk}/" in client.get(f"/trials/{site.trial.pk}/").content.decode()
    assert f"Trial {site.trial.pk}" in text(client, f"/matches/{match.pk}/")


def test_a_match_is_asked_for_from_ones_own_page_and_from_the_others(
    site: Site, as_owner: Client, as_rival: Client, rival: User
) -> None:
    response = as_owner.post("/bots/mine/play/", {"mine": "mine", "against": "Greedy"})
    asked = RequestedMatch.objects.get()
    assert response.headers["Location"] == f"/matches/{asked.match_id}/"
    page = text(as_owner, f"/matches/{asked.match_id}/")
    assert "unrated" in page
    assert "asked for by olivia" in page
    assert "Play yours against it" not in text(as_rival, "/bots/mine/")
    theirs = Bot.objects.create(owner=rival, name="theirs")
    make_version(theirs)
    assert "Play yours against it" in text(as_rival, "/bots/mine/")
    as_rival.post("/bots/mine/play/", {"mine": "theirs", "against": "mine"})
    assert RequestedMatch.objects.count() == 2


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"mine": "mine", "against": "nobody"}, "There is no bot “nobody” that plays now."),
        ({"mine": "mine", "against": "\0"}, "There is no bot"),
        ({"mine": "mine", "against": "mine"}, "A version cannot play against itself."),
    ],
)
def test_a_match_that_cannot_be_is_refused_in_words(
    site: Site, as_owner: Client, sent: dict[str, str], sentence: str
) -> None:
    response = as_owner.post("/bots/mine/play/", sent, follow=True)
    assert sentence in words(response.content.decode())
    assert not RequestedMatch.objects.exists()


def test_nobody_asks_for_a_match_of_somebody_elses_bot(site: Site, as_rival: Client) -> None:
    assert as_rival.post("/bots/mine/play/", {"mine": "mine", "against": "greedy"}).status_code == 403


def test_the_drawing_stays_within_its_frame_however_far_the_ratio_goes() -> None:
    test = SequentialTest()
    chart = llr_chart.drawn([(5, 1.0), (10, 99.0)], test)
    assert 0 < chart.upper_y < chart.zero_y < chart.lower_y < llr_chart.HEIGHT
    points = [tuple(map(float, point.split(","))) for point in chart.points.split()]
    assert len(points) == 3
    assert all(0 <= x <= llr_chart.WIDTH and 0 <= y <= llr_chart.HEIGHT for x, y in points)
    assert points[0] == (llr_chart.LEFT, chart.zero_y)
    assert llr_chart.drawn([], test).n_pairs == 0


@pytest.mark.parametrize(("value", "shown"), [(0.004, "0.00"), (2.944, "+2.94"), (-1.5, "−1.50")])
def test_numbers_that_may_be_negative_carry_their_sign(value: float, shown: str) -> None:
    assert signed(value, 2) == shown
