"""Parked matches with their causes, and hosts in quarantine: what operators see and do, by page and command."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from arena import fitness, pulse
from arena.models import Host
from arena.services import play_queued_match, quarantine_host
from bots.models import Version
from matches.models import Match
from matches.services import fail_attempt, return_expired_leases
from tests.make import expire, make_claim, make_match, make_version
from tests.people import make_operator

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def call(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


@pytest.fixture
def parked(settings: Settings) -> Match:
    settings.MAX_ATTEMPTS = 3
    match = make_match()
    for worker, cause in (("matches@one", "sandbox"), ("matches@two", "sandbox")):
        fail_attempt(
            claim=make_claim(match, worker), cause=cause, detail="Traceback\nThere is no process left."
        )
    make_claim(match, "matches@three")
    expire(match)
    assert return_expired_leases() == 1
    match.refresh_from_db()
    assert match.status == Match.Status.PARKED
    return match


def test_the_causes_of_a_parked_match_stand_side_by_side_on_the_status_page(
    parked: Match, client: Client
) -> None:
    page = client.get("/status/").content.decode()
    assert "2 × sandbox, 1 × lease" in page
    assert reverse("match", args=[parked.pk]) in page
    assert "no process left" not in page


def test_operators_see_every_attempt_at_it_with_host_and_detail(parked: Match, client: Client) -> None:
    client.force_login(make_operator())
    page = client.get(reverse("admin:matches_match_change", args=[parked.pk])).content.decode()
    for word in ("matches@one", "matches@two", "matches@three", "sandbox", "lease", "no process left"):
        assert word in page


def test_the_command_line_lists_what_is_parked_requeues_and_voids_it(parked: Match) -> None:
    Version.objects.filter(pk=make_version(status="parked").pk).update(
        check_trouble="SandboxError: no room", check_attempts=5
    )
    said = call("parked")
    assert f"Match {parked.pk}, " in said
    assert "  1  matches@one  infrastructure  sandbox  There is no process left." in said
    assert "  3  matches@three  lost  lease" in said
    assert "after 5 tries: SandboxError: no room" in said
    call("requeue", str(parked.pk))
    assert Match.objects.get().status == Match.Status.QUEUED
    call("void", str(parked.pk))
    assert Match.objects.get().status == Match.Status.VOID
    assert "Match" not in call("parked")


def test_a_hidden_bots_parked_match_is_not_shown_to_everybody(parked: Match, client: Client) -> None:
    bot = parked.participants.all()[0].version.bot
    bot.is_hidden = True
    bot.save()
    assert "2 × sandbox" not in client.get("/status/").content.decode()
    client.force_login(make_operator())
    assert "2 × sandbox" in client.get("/status/").content.decode()


def test_a_quarantined_host_takes_no_match_and_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []
    monkeypatch.setattr("arena.services.playing.time.sleep", rests.append)
    monkeypatch.setattr(fitness, "own", lambda: fitness.Fitness(match_mib=4096, n_processes=1))
    monkeypatch.setattr("arena.services.playing.play", lambda *, claim, launcher: False)
    match = make_match()
    quarantine_host(name="bad")
    assert not play_queued_match(match_id=match.pk, worker="matches@bad")
    assert rests == [5.0]
    assert Match.objects.get().status == Match.Status.QUEUED
    assert not play_queued_match(match_id=match.pk, worker="matches@good")
    assert Match.objects.get().status == Match.Status.RUNNING


def test_hosts_are_quarantined_and_released_by_command() -> None:
    with pytest.raises(CommandError, match="No worker of the host nowhere has ever shown itself"):
        call("quarantine", "nowhere")
    Host.objects.create(name="bad")
    assert call("quarantine") == "bad: plays\n"
    assert call("quarantine", "bad") == "bad is quarantined.\n"
    assert call("quarantine", "bad") == "bad is quarantined already.\n"
    assert call("quarantine").startswith("bad: in quarantine since ")
    assert call("quarantine", "bad", "--lift") == "bad plays.\n"
    assert not pulse.is_quarantined("matches@bad")


def test_hosts_are_quarantined_and_released_in_the_admin_pages(client: Client) -> None:
    client.force_login(make_operator())
    Host.objects.create(name="bad")
    for action, expected in (("quarantine", True), ("release", False)):
        client.post(
            reverse("admin:arena_host_changelist"),
            {"action": action, "_selected_action": ["bad"]},
            follow=True,
        )
        assert pulse.is_quarantined("matches@bad") is expected
