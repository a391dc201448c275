"""Operators' pages: actions call the services, and what is append-only cannot be edited."""

import pytest
from django.contrib import admin as django_admin
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from arena.models import Ladder, Pulse
from arena.services import rate_ladder
from bots.models import Bot, Version
from matches.models import Match
from matches.services import fail_attempt
from tests.make import (
    make_bot,
    make_claim,
    make_entry,
    make_finished_match,
    make_ladder,
    make_match,
    make_version,
)
from tests.people import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LISTS = [
    "auth_user", "bots_bot", "bots_version", "matches_match", "matches_attempt", "arena_ladder", "arena_ladderentry",
    "arena_laddermatch", "arena_ratingrun", "arena_pulse",
]  # fmt: skip


@pytest.fixture
def admin(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def act(admin: Client, model: str, action: str, *rows: object) -> str:
    """The page that follows."""
    pks = [row.pk for row in rows]  # type: ignore[attr-defined]
    answer = admin.post(
        reverse(f"admin:{model}_changelist"), {"action": action, "_selected_action": pks}, follow=True
    )
    assert answer.status_code == 200
    return answer.content.decode()


def populate() -> dict[str, object]:
    ladder = make_ladder()
    match = make_finished_match(ladder=ladder)
    version = match.participants.all()[0].version
    entry = make_entry(ladder, version)
    run = rate_ladder(ladder=ladder)
    pulse = Pulse.objects.create(name="matches@here", kind=Pulse.Kind.WORKER, seen_at=timezone.now())
    return {
        "auth_user": version.bot.owner,
        "bots_bot": version.bot,
        "bots_version": version,
        "matches_match": match,
        "matches_attempt": match.attempts.get(),
        "arena_ladder": ladder,
        "arena_ladderentry": entry,
        "arena_laddermatch": match.ladder_match,
        "arena_ratingrun": run,
        "arena_pulse": pulse,
    }


def test_every_list_and_every_row_can_be_looked_at(admin: Client) -> None:
    rows = populate()
    assert set(rows) == set(LISTS)
    for model, row in rows.items():
        assert admin.get(reverse(f"admin:{model}_changelist")).status_code == 200
        assert admin.get(reverse(f"admin:{model}_change", args=[row.pk])).status_code == 200  # type: ignore[attr-defined]


def test_what_is_append_only_can_be_neither_added_edited_nor_deleted(admin: Client) -> None:
    rows = populate()
    for model in LISTS:
        if model not in {"auth_user", "arena_ladder"}:
            assert admin.get(reverse(f"admin:{model}_add")).status_code == 403
            change = reverse(f"admin:{model}_change", args=[rows[model].pk])  # type: ignore[attr-defined]
            assert admin.post(change, {"status": "void"}).status_code == 403
        delete = reverse(f"admin:{model}_delete", args=[rows[model].pk])  # type: ignore[attr-defined]
        assert admin.post(delete, {"post": "yes"}).status_code == 403


def test_the_terms_of_a_ladder_stay_and_it_can_be_closed(admin: Client) -> None:
    ladder = make_ladder()
    form = {"name": "Old duel", "description": "", "position": 3, "seats": 8, "deals": 9, "bank_ms": 1}
    admin.post(reverse("admin:arena_ladder_change", args=[ladder.pk]), form)
    changed = Ladder.objects.get()
    assert (changed.name, changed.is_open) == ("Old duel", False)
    assert (changed.seats, changed.deals, changed.bank_ms) == (ladder.seats, ladder.deals, ladder.bank_ms)


def test_a_secret_seed_is_not_shown_to_operators_either(admin: Client) -> None:
    match, finished = make_match(), make_finished_match()
    for one, shown in ((match, False), (finished, True)):
        page = admin.get(reverse("admin:matches_match_change", args=[one.pk])).content.decode()
        assert (bytes(one.seed).hex() in page) is shown
        assert one.commitment in page


def test_matches_are_requeued_voided_and_rerun(admin: Client, settings: Settings) -> None:
    finished, parked = make_finished_match(), make_match()
    for _ in range(settings.MAX_ATTEMPTS):
        fail_attempt(claim=make_claim(parked), cause="sandbox", detail="")
    act(admin, "matches_match", "requeue", finished, parked)
    assert Match.objects.get(pk=parked.pk).status == Match.Status.QUEUED
    act(admin, "matches_match", "void", finished)
    assert Match.objects.get(pk=finished.pk).status == Match.Status.VOID
    act(admin, "matches_match", "rerun", finished, parked)
    assert Match.objects.count() == 3


def test_bots_are_hidden_shown_and_withdrawn_and_suspensions_ended(admin: Client) -> None:
    version = make_version()
    act(admin, "bots_bot", "hide", version.bot)
    assert Bot.objects.get().is_hidden
    act(admin, "bots_bot", "show", version.bot)
    assert not Bot.objects.get().is_hidden
    act(admin, "bots_bot", "withdraw", version.bot)
    assert Bot.objects.get().is_withdrawn
    Version.objects.update(suspended_at=timezone.now())
    act(admin, "bots_version", "end_suspension", version)
    assert Version.objects.get().suspended_at is None


def test_parked_checks_are_tried_again(admin: Client) -> None:
    parked, waiting = make_version(status="parked"), make_version(status="received")
    act(admin, "bots_version", "check_again", parked, waiting)
    assert set(Version.objects.values_list("status", flat=True)) == {"received"}


def test_people_are_banned_but_not_by_themselves(admin: Client, operator: User, owner: User) -> None:
    make_version(make_bot(owner))
    act(admin, "auth_user", "ban", owner)
    assert not User.objects.get(pk=owner.pk).is_active
    assert Bot.objects.get().is_withdrawn
    act(admin, "auth_user", "ban", operator)
    assert User.objects.get(pk=operator.pk).is_active


def test_the_house_is_neither_banned_nor_made_inactive(admin: Client, owner: User) -> None:
    house = make_version(make_bot(is_house=True)).bot.owner
    assert "The house is not banned" in act(admin, "auth_user", "ban", owner, house)
    assert admin.get(reverse("admin:auth_user_change", args=[house.pk])).status_code == 200
    form = {"username": house.username, "is_active": ""}
    assert admin.post(reverse("admin:auth_user_change", args=[house.pk]), form).status_code == 403
    assert User.objects.filter(pk__in=[owner.pk, house.pk], is_active=True).count() == 2
    assert not Bot.objects.get(is_house=True).is_withdrawn


def test_who_is_no_operator_is_shown_nothing(client: Client, owner: User) -> None:
    client.force_login(owner)
    for model in LISTS:
        assert client.get(reverse(f"admin:{model}_changelist")).status_code in {302, 403}


# --- Staff with some permissions ----------------------------------------------------------------------------


@pytest.fixture
def warden(client: Client) -> Client:
    """Somebody of the staff who may change people and groups, and no more."""
    user = User.objects.create_user("warden", is_staff=True)
    names = [
        "add_user",
        "change_user",
        "view_user",
        "add_group",
        "change_group",
        "delete_group",
        "view_group",
        "view_bot",
    ]
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    client.force_login(user)
    return client


def test_whoever_may_change_people_raises_nobodys_rights(warden: Client, owner: User) -> None:
    own = User.objects.get(username="warden")
    everything = Permission.objects.values_list("pk", flat=True)
    form = {
        "username": "olivia",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "12:00:00",
        "is_active": "on",
    }
    rights = {"is_staff": "on", "is_superuser": "on", "user_permissions": list(everything)}
    changed = warden.post(
        reverse("admin:auth_user_change", args=[owner.pk]), {**form, "first_name": "Liv", **rights}
    )
    assert changed.status_code == 302
    owner.refresh_from_db()
    assert owner.first_name == "Liv"
    assert (owner.is_staff, owner.is_superuser, owner.user_permissions.count()) == (False, False, 0)
    refused = warden.post(
        reverse("admin:auth_user_change", args=[own.pk]), {**form, "username": "warden", **rights}
    )
    assert refused.status_code == 403
    own.refresh_from_db()
    assert not own.is_superuser


def test_nor_takes_over_or_bans_somebody_of_the_staff(warden: Client, operator: User, owner: User) -> None:
    new = {
        "password1": "another horse battery",
        "password2": "another horse battery",
        "usable_password": "true",
    }
    assert warden.post(reverse("admin:auth_user_password_change", args=[operator.pk]), new).status_code == 403
    act(warden, "auth_user", "ban", operator, owner)
    assert User.objects.filter(pk__in=[operator.pk, owner.pk], is_active=True).count() == 2
    assert User.objects.get(pk=operator.pk).check_password(PASSWORD)
    act(warden, "auth_user", "ban", owner)
    assert not User.objects.get(pk=owner.pk).is_active


def test_groups_are_superusers_alone(warden: Client) -> None:
    group = Group.objects.create(name="crew")
    everything = Permission.objects.values_list("pk", flat=True)
    sent = {"name": "crew", "permissions": list(everything)}
    assert warden.post(reverse("admin:auth_group_change", args=[group.pk]), sent).status_code == 403
    assert warden.post(reverse("admin:auth_group_add"), {**sent, "name": "mine"}).status_code == 403
    assert not group.permissions.exists()


def test_addresses_have_no_page_of_their_own(admin: Client) -> None:
    # Where the link for a new password goes, nobody else changes unseen.
    assert not any("emailaddress" in str(model).lower() for model in django_admin.site._registry)


def test_passwords_are_changed_by_the_door_that_limits_guesses(admin: Client) -> None:
    answer = admin.get("/admin/password_change/")
    assert answer.headers["Location"] == reverse("account_change_password")
