"""Voiding, requeueing and rerunning matches; hiding bots; banning people; suspended versions."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from arena.models import ApiToken
from arena.services import (
    ban_user,
    create_api_token,
    end_suspension,
    hide_bot,
    requeue_match,
    rerun_match,
    revoke_api_token,
    void_match,
)
from bots.models import Bot, Version
from matches.models import Match
from matches.services import fail_attempt
from tests.make import (
    make_bot,
    make_claim,
    make_finished_match,
    make_ladder,
    make_match,
    make_user,
    make_version,
)
from tests.people import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def park(match: Match, attempts: int) -> None:
    for _ in range(attempts):
        fail_attempt(claim=make_claim(match), cause="sandbox", detail="")
    match.refresh_from_db()
    assert match.status == Match.Status.PARKED


def test_voiding_rings_for_a_refit_and_requeueing_for_a_worker(
    settings: Settings,
    bells: list[tuple[str, ...]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    finished, parked = make_finished_match(), make_match()
    park(parked, settings.MAX_ATTEMPTS)
    with django_capture_on_commit_callbacks(execute=True):
        assert void_match(match=finished)
        assert requeue_match(match=parked)
        assert not void_match(match=finished)
        assert not requeue_match(match=finished)
    assert bells == [("arena.tasks.rate_ladders",), ("arena.tasks.play_match", parked.pk)]


def test_a_rerun_is_a_new_match_of_the_same_versions_with_a_new_seed() -> None:
    ladder = make_ladder()
    match = make_finished_match(ladder=ladder, deals=2)
    with pytest.raises(ValueError, match="not void"):
        rerun_match(match=match)
    void_match(match=match)
    match.refresh_from_db()
    rerun = rerun_match(match=match)
    assert rerun.pk != match.pk
    assert bytes(rerun.seed) != bytes(match.seed)
    assert rerun.ladder_match.ladder == ladder
    assert (rerun.deals, rerun.seats, rerun.limits) == (match.deals, match.seats, match.limits)
    assert list(rerun.participants.values_list("version")) == list(match.participants.values_list("version"))


def test_a_hidden_bots_waiting_matches_are_void_and_finished_ones_stay() -> None:
    version = make_version()
    finished = make_finished_match([version, make_version()])
    waiting, other = make_match([version, make_version()]), make_match()
    hide_bot(bot=version.bot, is_hidden=True)
    assert Match.objects.get(pk=waiting.pk).status == Match.Status.VOID
    assert Match.objects.get(pk=finished.pk).status == Match.Status.FINISHED
    assert Match.objects.get(pk=other.pk).status == Match.Status.QUEUED
    assert not Version.objects.playing().filter(pk=version.pk).exists()
    hide_bot(bot=version.bot, is_hidden=False)
    assert Version.objects.playing().filter(pk=version.pk).exists()


def test_a_banned_person_cannot_log_in_use_a_token_or_play(client: Client, owner: User) -> None:
    version = make_version(make_bot(owner))
    match = make_finished_match([version, make_version()])
    waiting = make_match([version, make_version()])
    create_api_token(user=owner, name="laptop")
    assert client.login(username="olivia", password=PASSWORD)
    ban_user(user=owner)
    assert not Client().login(username="olivia", password=PASSWORD)
    assert (
        "_auth_user_id" not in client.get("/").wsgi_request.session
        or not client.get("/").wsgi_request.user.is_authenticated
    )
    assert not ApiToken.objects.exists()
    assert Bot.objects.get(pk=version.bot_id).is_withdrawn
    assert Match.objects.get(pk=waiting.pk).status == Match.Status.VOID
    assert Match.objects.get(pk=match.pk).status == Match.Status.FINISHED


def test_tokens_are_stored_hashed_and_revoked_by_their_owner_alone() -> None:
    user, other = make_user(), make_user()
    token, secret = create_api_token(user=user, name="laptop")
    assert secret not in str(ApiToken.objects.values().get())
    assert token.name == "laptop"
    assert token.expiry is not None
    assert token.expiry > timezone.now()
    assert not revoke_api_token(user=other, digest=token.digest)
    assert revoke_api_token(user=user, digest=token.digest)
    assert not revoke_api_token(user=user, digest=token.digest)


def test_an_operator_ends_a_suspension() -> None:
    version = make_version()
    Version.objects.update(suspended_at=timezone.now())
    end_suspension(version=version)
    assert Version.objects.playing().get() == version


def test_the_commands_void_and_requeue_by_number(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    finished, parked = make_finished_match(), make_match()
    park(parked, settings.MAX_ATTEMPTS)
    call_command("void", str(finished.pk))
    call_command("requeue", str(parked.pk))
    assert Match.objects.get(pk=finished.pk).status == Match.Status.VOID
    assert Match.objects.get(pk=parked.pk).status == Match.Status.QUEUED
    call_command("void", str(finished.pk), "--rerun")
    assert f"Match {Match.objects.order_by('-pk')[0].pk} plays it again." in capsys.readouterr().out
    with pytest.raises(CommandError, match="987654"):
        call_command("void", "987654")
    with pytest.raises(CommandError, match="not parked"):
        call_command("requeue", str(finished.pk))
