"""Signing up, taking one's data along, leaving."""

import io
import json
import random
import zipfile

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from arena.accounts import delete_account, export_account
from arena.models import ApiToken
from arena.services import create_api_token
from bots.models import Bot, Package, Version
from bots.services import claim_check, pass_stage, reject_version
from bots.words import stage_detail
from matches.models import GameSeat, Match
from matches.replay import Note, PrivateSeat, encode_private
from matches.services import finish_match
from tests.make import (
    STEADY,
    make_bot,
    make_claim,
    make_entry,
    make_finished_match,
    make_ladder,
    make_match,
    make_record,
    make_version,
)
from tests.people import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.database]


# --- Signing up ---------------------------------------------------------------------------------------------


def sign_up(name: str, password: str = PASSWORD, address: str = "203.0.113.7") -> int:
    """The answer's status to a sign-up from this address."""
    form = {"username": name, "password1": password, "password2": password}
    return Client(REMOTE_ADDR=address).post(reverse("account_signup"), form).status_code


def test_five_accounts_an_hour_are_made_from_one_address() -> None:
    for number in range(5):
        assert sign_up(f"person{number}") == 302
    assert sign_up("person5") == 429
    assert sign_up("person5", address="203.0.113.8") == 302
    assert set(User.objects.values_list("username", flat=True)) == {f"person{number}" for number in range(6)}


def test_typing_errors_count_for_no_account() -> None:
    for _ in range(6):
        assert sign_up("typist", "short") == 200
    assert sign_up("typist") == 302


def test_the_count_is_kept_where_every_process_sees_it() -> None:
    sign_up("person")
    kept = [key for key in cache_keys() if "account_made" in key]
    assert len(kept) == 1


def cache_keys() -> list[str]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT cache_key FROM cache")
        return [row[0] for row in cursor.fetchall()]


@pytest.mark.parametrize(
    "name", ["x", "y" * 33, "two words", "<script>", "arena", "Arena", "admin", "deleted-7", "é-é"]
)
def test_a_name_is_as_a_bots_and_not_the_arenas_own(name: str) -> None:
    assert sign_up(name) == 200
    assert not User.objects.exists()


BAD_NAMES = ["x", "y" * 33, "two words", "a@example.org", "arena", "Admin", "deleted-7"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_no_administrator_is_called_so_either(name: str) -> None:
    with pytest.raises(CommandError, match="name"):
        call_command("createsuperuser", username=name, email="", interactive=False)
    assert not User.objects.exists()


def test_an_administrator_is_made_under_a_name_as_everybody_has() -> None:
    call_command("createsuperuser", username="root", email="", interactive=False, stdout=io.StringIO())
    assert User.objects.get().is_superuser


@pytest.mark.parametrize("name", BAD_NAMES)
def test_no_token_is_made_for_such_a_name(name: str) -> None:
    with pytest.raises(CommandError, match="name"):
        call_command("api_token", name)
    assert not User.objects.exists()


@pytest.mark.parametrize("name", BAD_NAMES)
def test_operators_give_no_such_name(name: str, client: Client, operator: User, owner: User) -> None:
    client.force_login(operator)
    form = {"username": name, "usable_password": "false"}
    assert client.post(reverse("admin:auth_user_add"), form).status_code == 200
    form = {"username": name, "date_joined_0": "2026-01-01", "date_joined_1": "12:00:00", "is_active": "on"}
    answer = client.post(reverse("admin:auth_user_change", args=[owner.pk]), form)
    assert answer.status_code == 200
    assert "name" in " ".join(answer.context["adminform"].form.errors["username"])
    assert set(User.objects.values_list("username", flat=True)) == {"ada", "olivia"}


def test_operators_may_edit_who_has_a_reserved_name(client: Client, operator: User) -> None:
    house = User.objects.create_user("arena")
    client.force_login(operator)
    form = {
        "username": "arena",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "12:00:00",
        "first_name": "X",
    }
    assert client.post(reverse("admin:auth_user_change", args=[house.pk]), form).status_code == 302
    house.refresh_from_db()
    assert house.first_name == "X"


def test_operators_give_another_name(client: Client, operator: User) -> None:
    client.force_login(operator)
    form = {"username": "newcomer", "usable_password": "false"}
    assert client.post(reverse("admin:auth_user_add"), form).status_code == 302
    assert User.objects.filter(username="newcomer").exists()


def test_names_that_differ_in_case_alone_are_one_name() -> None:
    assert sign_up("Person") == 302
    assert sign_up("person") == 200


def test_an_email_is_optional_and_kept_when_given(client: Client) -> None:
    form = {"username": "mailer", "email": "m@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert client.post(reverse("account_signup"), form).status_code == 302
    assert User.objects.get().email == "m@example.org"


def test_guessing_a_password_is_limited(client: Client, owner: User) -> None:
    form = {"login": "olivia", "password": "wrong"}
    answers = [client.post(reverse("account_login"), form) for _ in range(7)]
    assert "too many" in answers[-1].content.decode().lower()
    right = client.post(reverse("account_login"), {"login": "olivia", "password": PASSWORD})
    assert right.status_code == 200
    cache.clear()
    assert client.post(reverse("account_login"), {"login": "olivia", "password": PASSWORD}).status_code == 302


def test_operators_log_in_by_the_same_limited_door(client: Client) -> None:
    answer = client.get(reverse("admin:index"), follow=True)
    assert answer.redirect_chain[-1][0].startswith(reverse("account_login"))


# --- Export -------------------------------------------------------------------------------------------------


def exported(user: User) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(b"".join(export_account(user=user)))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def keep_private(version: Version, text: str) -> None:
    private = encode_private([PrivateSeat(notes=(Note(3, text),), stderr=f"stderr {text}")])
    GameSeat.objects.filter(version=version).update(private=private)


def test_an_export_comes_in_pieces_however_much_bots_have_written(owner: User) -> None:
    mine = make_version(make_bot(owner, "mine"), content=STEADY)
    make_finished_match([mine, make_version()])
    # Text that hardly gets smaller when it is packed.
    keep_private(mine, random.Random(1).randbytes(200_000).hex())
    sizes = [len(piece) for piece in export_account(user=owner)]
    assert len(sizes) > 2
    assert max(sizes) < sum(sizes) * 0.75


def test_an_export_holds_ones_own_data_and_nobody_elses(owner: User, rival: User) -> None:
    mine = make_version(make_bot(owner, "mine"), content=STEADY)
    theirs = make_version(make_bot(rival, "theirs"))
    make_entry(make_ladder(), mine)
    make_finished_match([mine, theirs])
    keep_private(mine, "my note")
    keep_private(theirs, "their secret")
    _, secret = create_api_token(user=owner, name="laptop")
    files = exported(owner)
    assert files["sources/mine/001-bot.py"] == STEADY
    account = json.loads(files["account.json"])
    assert (account["username"], account["email"]) == ("olivia", "olivia@example.org")
    assert [token["name"] for token in account["api_tokens"]] == ["laptop"]
    assert [bot["name"] for bot in account["bots"]] == ["mine"]
    assert account["bots"][0]["ladders"] == ["duel"]
    assert account["bots"][0]["versions"][0]["sha256"] == mine.sha256
    games = [json.loads(line) for line in files["games.jsonl"].splitlines()]
    assert len(games) == 2
    assert {game["version__bot__name"] for game in games} == {"mine"}
    notes = [json.loads(line) for line in files["private.jsonl"].splitlines()]
    assert [note["stderr"] for note in notes] == ["stderr my note"] * 2
    everything = b"".join(files.values())
    for hidden in (b"their secret", b"theirs", b"rob", secret.encode(), owner.password.encode()):
        assert hidden not in everything


def test_an_empty_account_can_be_exported(owner: User) -> None:
    assert {"account.json", "games.jsonl", "private.jsonl", "README.txt"} == set(exported(owner))


# --- Deletion -----------------------------------------------------------------------------------------------


def test_deletion_leaves_results_and_nothing_personal(owner: User, rival: User) -> None:
    mine = make_version(make_bot(owner, "mine"), content=STEADY)
    theirs = make_version(make_bot(rival, "theirs"))
    Version.objects.filter(pk=mine.pk).update(report={"stderr": "olivia was here"})
    make_entry(make_ladder(), mine)
    finished, waiting = make_finished_match([mine, theirs]), make_match([mine, theirs])
    keep_private(mine, "my note")
    keep_private(theirs, "their note")
    create_api_token(user=owner, name="laptop")
    EmailAddress.objects.create(user=owner, email=owner.email)
    replays = [bytes(game.replay) for game in finished.games.all()]

    delete_account(user=owner)

    person = User.objects.get(pk=owner.pk)
    assert (person.username, person.email, person.is_active) == (f"deleted-{owner.pk}", "", False)
    assert not person.has_usable_password()
    bot = Bot.objects.get(pk=mine.bot_id)
    assert (bot.name, bot.current_version, bot.is_source_public) == (f"deleted-{bot.pk}", None, False)
    assert bot.is_withdrawn
    package = Package.objects.get(pk=mine.sha256)
    assert bytes(package.content) == b""
    assert package.wiped_at is not None
    assert Version.objects.get(pk=mine.pk).report == {}
    assert not ApiToken.objects.exists()
    assert not EmailAddress.objects.exists()
    assert all(bytes(seat.private) == b"" for seat in GameSeat.objects.filter(version=mine))
    assert all(bytes(seat.private) != b"" for seat in GameSeat.objects.filter(version=theirs))
    assert Match.objects.get(pk=finished.pk).status == Match.Status.FINISHED
    assert [bytes(game.replay) for game in finished.games.all()] == replays
    assert Match.objects.get(pk=waiting.pk).status == Match.Status.VOID
    assert not Client().login(username="olivia", password=PASSWORD)


def test_nobody_can_hold_an_account_by_the_name_that_its_deletion_would_give(
    owner: User, rival: User
) -> None:
    mine = make_bot(owner, "mine")
    make_bot(rival, f"Deleted-{mine.pk}")
    User.objects.create_user(f"DELETED-{owner.pk}")
    delete_account(user=owner)
    owner.refresh_from_db()
    mine.refresh_from_db()
    assert (owner.username, mine.name) == (f"deleted-{owner.pk}-2", f"deleted-{mine.pk}-2")


def test_a_source_that_another_account_uploaded_too_stays(owner: User, rival: User) -> None:
    make_version(make_bot(owner), content=STEADY)
    make_version(make_bot(rival), content=STEADY)
    delete_account(user=owner)
    assert bytes(Package.objects.get().content) == STEADY
    delete_account(user=rival)
    assert bytes(Package.objects.get().content) == b""


def test_what_is_being_played_is_stored_no_more(owner: User) -> None:
    claim = make_claim(make_match([make_version(make_bot(owner)), make_version()]))
    delete_account(user=owner)
    assert not finish_match(claim=claim, record=make_record(claim.match, claim.versions))
    assert not GameSeat.objects.exists()


def test_a_check_under_way_ends_with_the_account(owner: User) -> None:
    version = make_version(make_bot(owner), status=Version.Status.RECEIVED)
    delete_account(user=owner)
    assert Version.objects.get(pk=version.pk).status == Version.Status.REJECTED


def test_nothing_that_checks_said_of_the_source_is_left(client: Client, owner: User) -> None:
    version = make_version(make_bot(owner), status=Version.Status.RECEIVED)
    claim = claim_check(version_id=version.pk, worker="checks@test")
    assert claim is not None
    pass_stage(claim=claim, name="package", facts={"n": 3})
    report = {"code": "syntax", "facts": {"path": "main.py", "line": 1, "message": "my_secret"}}
    reject_version(claim=claim, stage="start", sentence="my_secret", report=report)
    delete_account(user=owner)
    version = Version.objects.get(pk=version.pk)
    assert (version.status, version.rejection, version.report) == (Version.Status.REJECTED, "", {})
    assert {stage_detail(stage) for stage in version.stages.all()} == {""}
    assert not version.stages.exclude(facts={}).exists()
    answer = client.get(reverse("api-version", args=[version.pk]))
    assert answer.status_code == 200
    assert b"my_secret" not in answer.content


def test_the_name_is_free_again_and_the_session_ended(client: Client, owner: User) -> None:
    client.force_login(owner)
    delete_account(user=owner)
    assert sign_up("olivia") == 302
    assert User.objects.get(username="olivia").pk != owner.pk
    assert client.get(reverse("account_email")).status_code == 302


def test_an_operator_who_leaves_is_one_no_longer(operator: User) -> None:
    delete_account(user=operator)
    person = User.objects.get(pk=operator.pk)
    assert not person.is_staff
    assert not person.is_superuser
    assert person.date_joined <= timezone.now()
