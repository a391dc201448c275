"""Submitting, activating and withdrawing bots; quotas; the life of a check."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from bots.leases import LeaseLost
from bots.models import Bot, CheckStage, Package, Version
from bots.services import (
    CheckClaim,
    SubmissionError,
    accept_version,
    activate_version,
    begin_stage,
    claim_check,
    free_checks_of,
    newest_ready,
    pass_stage,
    publish_source,
    quotas,
    reject_version,
    renew_check,
    requeue_check,
    return_check,
    return_expired_checks,
    stop_check,
    submit_version,
    withdraw_bot,
)
from bots.services.submission import plain_filename
from tests.make import STEADY, make_bot, make_user, make_version
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]

TEN_MEGABYTES = b"x" * (10 * 1024 * 1024)


def submit(owner: User, name: str = "steady", content: bytes = STEADY, filename: str = "bot.py") -> Version:
    return submit_version(owner=owner, name=name, filename=filename, content=content).version


def claim_of(version: Version, worker: str = "checks@test") -> CheckClaim:
    claim = claim_check(version_id=version.pk, worker=worker)
    assert claim is not None
    return claim


def make_ready(version: Version) -> None:
    assert accept_version(claim=claim_of(version), report={})


# --- Submission ---------------------------------------------------------------------------------------------


def test_an_upload_becomes_a_version_that_waits_for_its_check(owner: User) -> None:
    version = submit(owner)
    assert (version.number, version.status, version.bot.owner) == (1, Version.Status.RECEIVED, owner)
    assert bytes(version.package.content) == STEADY
    assert [(stage.name, stage.status) for stage in version.stages.all()] == [
        ("package", "waiting"),
        ("start", "waiting"),
        ("qualification", "waiting"),
    ]
    assert version.bot.current_version is None
    assert not version.bot.is_withdrawn


def test_a_second_upload_is_the_next_version_of_the_same_bot_whatever_the_case_of_its_name(
    owner: User,
) -> None:
    first = submit(owner, "Steady")
    second = submit(owner, "sTEADY", STEADY + b"#")
    assert second.bot == first.bot
    assert second.number == 2
    assert second.bot.name == "Steady"


def test_the_same_bytes_of_the_same_bot_are_the_old_version_again(owner: User) -> None:
    first = submit(owner)
    make_ready(first)
    second = submit(owner, content=STEADY + b"#")
    make_ready(second)
    again = submit_version(owner=owner, name="steady", filename="other.py", content=STEADY)
    assert (again.version, again.created, again.reactivated) == (first, False, True)
    assert Bot.objects.get(name="steady").current_version == first
    assert Version.objects.count() == 2


def test_the_same_bytes_bring_a_withdrawn_bot_back(owner: User) -> None:
    version = submit(owner)
    make_ready(version)
    withdraw_bot(bot=version.bot)
    assert submit_version(owner=owner, name="steady", filename="bot.py", content=STEADY).reactivated
    bot = Bot.objects.get()
    assert (bot.current_version, bot.is_withdrawn) == (version, False)


def test_the_same_bytes_bring_a_bot_back_that_was_withdrawn_during_its_check(owner: User) -> None:
    version = submit(owner)
    withdraw_bot(bot=version.bot)
    again = submit_version(owner=owner, name="steady", filename="bot.py", content=STEADY)
    assert (again.version, again.created, again.reactivated) == (version, False, False)
    make_ready(version)
    bot = Bot.objects.get()
    assert (bot.current_version, bot.is_withdrawn) == (version, False)


def test_the_same_bytes_of_a_rejected_version_stay_rejected(owner: User) -> None:
    version = submit(owner)
    reject_version(claim=claim_of(version), stage="start", sentence="No.", report={})
    again = submit_version(owner=owner, name="steady", filename="bot.py", content=STEADY)
    assert (again.version, again.created, again.reactivated) == (version, False, False)


def test_two_bots_share_a_package_and_not_a_version(owner: User, rival: User) -> None:
    ours, theirs = submit(owner), submit(rival, "copycat")
    assert ours.package == theirs.package
    assert ours != theirs
    assert Package.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "filename", "content", "code", "field"),
    [
        ("steady", "bot.py", b"", "empty", "file"),
        ("steady", "bot.py", TEN_MEGABYTES, "too_big", "file"),
        ("steady", "bot.py", b"\x7fELF\0\0\0", "binary", "file"),
        ("steady", "bot.exe", STEADY, "type", "file"),
        ("steady", "bot.zip", STEADY, "not_a_zip", "file"),
        ("", "bot.py", STEADY, "bad_name", "name"),
        ("x", "bot.py", STEADY, "bad_name", "name"),
        ("x" * 33, "bot.py", STEADY, "bad_name", "name"),
        ("<b>", "bot.py", STEADY, "bad_name", "name"),
        ("steady\n", "bot.py", STEADY, "bad_name", "name"),
        ("stéady", "bot.py", STEADY, "bad_name", "name"),
    ],
    ids=[
        "nothing",
        "ten megabytes",
        "a program as .py",
        "another type",
        "no zip",
        "no name",
        "short name",
        "long name",
        "markup",
        "line end",
        "accent",
    ],
)
def test_what_can_be_seen_at_once_is_refused_with_a_sentence(
    owner: User, name: str, filename: str, content: bytes, code: str, field: str
) -> None:
    with pytest.raises(SubmissionError) as refusal:
        submit(owner, name, content, filename)
    assert (refusal.value.code, refusal.value.field) == (code, field)
    assert refusal.value.sentence.endswith((".", "!"))
    assert not Bot.objects.exists()
    assert not Package.objects.exists()


@pytest.mark.parametrize("name", ["deleted-7", "Deleted-x"])
def test_a_name_as_deletion_gives_is_refused_to_everybody_else(owner: User, name: str) -> None:
    with pytest.raises(SubmissionError) as refusal:
        submit(owner, name)
    assert (refusal.value.code, refusal.value.field) == ("reserved_name", "name")
    assert not Bot.objects.exists()


def test_a_name_that_another_has_is_refused_in_any_case(owner: User, rival: User) -> None:
    submit(rival, "Steady")
    with pytest.raises(SubmissionError) as refusal:
        submit(owner, "STEADY")
    assert (refusal.value.code, refusal.value.field) == ("name_taken", "name")


def test_a_wiped_package_is_filled_again_by_whoever_uploads_its_bytes(owner: User) -> None:
    version = make_version(content=STEADY)
    Package.objects.filter(pk=version.sha256).update(content=b"", wiped_at=timezone.now())
    submit(owner)
    package = Package.objects.get()
    assert (bytes(package.content), package.wiped_at) == (STEADY, None)


@pytest.mark.parametrize(
    ("filename", "plain"),
    [
        ("bot.py", "bot.py"),
        ("/etc/passwd.py", "passwd.py"),
        ("..\\..\\win.zip", "win.zip"),
        ('a b"\n<é>.py', "a_b_____.py"),
        ("a" * 100 + ".zip", "a" * 60 + ".zip"),
    ],
)
def test_of_a_file_name_only_the_last_part_is_kept(filename: str, plain: str) -> None:
    assert plain_filename(filename) == plain


# --- Quotas -------------------------------------------------------------------------------------------------


def test_an_account_has_so_many_bots(owner: User, settings: Settings) -> None:
    settings.QUOTA_BOTS = 2
    submit(owner, "one")
    submit(owner, "two")
    with pytest.raises(SubmissionError) as refusal:
        submit(owner, "three")
    assert refusal.value.code == "too_many_bots"
    assert submit(owner, "two", STEADY + b"#").number == 2


def test_an_account_submits_so_many_versions_within_a_day(owner: User, settings: Settings) -> None:
    settings.QUOTA_VERSIONS_A_DAY = 2
    first = submit(owner)
    submit(owner, content=STEADY + b"#")
    with pytest.raises(SubmissionError) as refusal:
        submit(owner, content=STEADY + b"##")
    assert refusal.value.code == "too_many_versions"
    assert submit(owner) == first
    Version.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(hours=25))
    assert submit(owner, content=STEADY + b"##").number == 3


def test_quotas_say_what_is_used(owner: User, settings: Settings) -> None:
    submit(owner, "one")
    submit(owner, "one", STEADY + b"#")
    used = quotas(owner)
    assert (used.bots, used.versions_today) == (1, 2)
    assert (used.bots_limit, used.versions_a_day) == (settings.QUOTA_BOTS, settings.QUOTA_VERSIONS_A_DAY)


def test_house_bots_are_exempt(owner: User, settings: Settings) -> None:
    settings.QUOTA_VERSIONS_A_DAY = 0
    make_bot(owner, "house", is_house=True)
    assert submit(owner, "house").number == 1


# --- What plays ---------------------------------------------------------------------------------------------


def test_a_new_ready_version_replaces_the_older_and_an_older_does_not_replace_a_newer(owner: User) -> None:
    first, second = submit(owner), submit(owner, content=STEADY + b"#")
    make_ready(second)
    make_ready(first)
    assert Bot.objects.get().current_version == second
    third = submit(owner, content=STEADY + b"##")
    make_ready(third)
    assert Bot.objects.get().current_version == third


def test_an_owner_steps_back_to_an_older_version(owner: User) -> None:
    first, second = submit(owner), submit(owner, content=STEADY + b"#")
    make_ready(first)
    make_ready(second)
    activate_version(version=Version.objects.get(pk=first.pk))
    assert Bot.objects.get().current_version == first


def test_only_a_ready_version_plays(owner: User) -> None:
    version = submit(owner)
    with pytest.raises(SubmissionError) as refusal:
        activate_version(version=version)
    assert refusal.value.code == "not_ready"
    with pytest.raises(SubmissionError):
        newest_ready(version.bot)


def test_a_bot_that_is_withdrawn_during_a_check_stays_withdrawn(owner: User) -> None:
    version = submit(owner)
    claim = claim_of(version)
    withdraw_bot(bot=version.bot)
    assert accept_version(claim=claim, report={})
    bot = Bot.objects.get()
    assert bot.is_withdrawn
    assert bot.current_version is None
    assert newest_ready(bot) == version


# --- The check ----------------------------------------------------------------------------------------------


def test_a_check_is_claimed_once(owner: User) -> None:
    version = submit(owner)
    claim = claim_check(version_id=version.pk, worker="one")
    assert claim is not None
    assert claim_check(version_id=version.pk, worker="two") is None
    version.refresh_from_db()
    assert (version.status, version.check_attempts) == (Version.Status.CHECKING, 1)


def test_stages_are_shown_while_they_run(owner: User) -> None:
    version = submit(owner)
    claim = claim_of(version)
    begin_stage(claim=claim, name="package")
    stage = version.stages.get(name="package")
    assert (stage.status, stage.finished_at) == ("running", None)
    pass_stage(claim=claim, name="package", facts={"n": 1})
    stage.refresh_from_db()
    assert (stage.status, stage.facts) == ("passed", {"n": 1})
    assert stage.finished_at is not None


def test_a_rejection_names_its_stage_and_its_sentence(owner: User) -> None:
    version = submit(owner)
    claim = claim_of(version)
    begin_stage(claim=claim, name="start")
    assert reject_version(claim=claim, stage="start", sentence="It did not start.", report={"stderr": "x"})
    version.refresh_from_db()
    assert (version.status, version.rejection) == (Version.Status.REJECTED, "It did not start.")
    assert version.report == {"stderr": "x"}
    assert version.stages.get(name="start").status == CheckStage.Status.FAILED
    assert not accept_version(claim=claim, report={})


def test_a_silent_workers_check_is_taken_over_and_its_late_verdict_dropped(owner: User) -> None:
    version = submit(owner)
    late = claim_of(version)
    Version.objects.update(check_lease_until=timezone.now() - timedelta(seconds=1))
    assert return_expired_checks() == 1
    assert not reject_version(claim=late, stage="start", sentence="Late.", report={})
    with pytest.raises(LeaseLost):
        renew_check(claim=late)
    with pytest.raises(LeaseLost):
        begin_stage(claim=late, name="start")
    Version.objects.update(check_lease_until=None)
    second = claim_of(version)
    assert accept_version(claim=second, report={})


def test_trouble_of_ours_is_tried_again_ever_later_and_never_rejects(owner: User, settings: Settings) -> None:
    settings.MAX_ATTEMPTS = 99
    version = submit(owner)
    waits = []
    for _ in range(12):
        Version.objects.update(check_lease_until=None)
        return_check(claim=claim_of(version), trouble="No room.")
        version.refresh_from_db()
        assert version.status == Version.Status.RECEIVED
        assert claim_check(version_id=version.pk, worker="x") is None
        assert version.check_lease_until is not None
        waits.append(round((version.check_lease_until - timezone.now()).total_seconds()))
    assert waits == sorted(waits)
    assert waits[0] < 15 < waits[3]
    assert waits[-1] == 600


def test_a_check_that_keeps_failing_through_us_is_parked_until_an_operator_has_looked(
    owner: User, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 3
    version = submit(owner)
    statuses = []
    for number in range(3):
        Version.objects.update(check_lease_until=None)
        return_check(claim=claim_of(version), trouble=f"No room, {number}.")
        version.refresh_from_db()
        statuses.append(version.status)
    assert statuses == ["received", "received", "parked"]
    assert version.check_trouble == "No room, 2."
    Version.objects.update(check_lease_until=None)
    assert claim_check(version_id=version.pk, worker="x") is None
    assert requeue_check(version=version)
    assert not requeue_check(version=version)
    make_ready(version)
    version.refresh_from_db()
    assert (version.status, version.check_trouble) == (Version.Status.READY, "")


def test_a_worker_that_is_told_to_stop_costs_a_check_no_try(owner: User) -> None:
    version = submit(owner)
    stop_check(claim=claim_of(version))
    version.refresh_from_db()
    assert (version.status, version.check_attempts) == (Version.Status.RECEIVED, 0)
    assert claim_check(version_id=version.pk, worker="x") is not None


def test_a_check_under_which_workers_die_is_parked_too(owner: User, settings: Settings) -> None:
    settings.MAX_ATTEMPTS = 1
    version = submit(owner)
    claim_of(version, "checks@here")
    assert free_checks_of("checks@here", before=timezone.now()) == 1
    version.refresh_from_db()
    assert (version.status, version.check_trouble) == (Version.Status.PARKED, "The worker died.")


def test_a_worker_that_starts_frees_the_checks_of_its_dead_predecessor(owner: User) -> None:
    version, other = submit(owner), submit(owner, content=STEADY + b"#")
    claim_of(version, "checks@here")
    began_at = timezone.now()
    claim_of(other, "checks@here")
    assert free_checks_of("checks@here", before=began_at) == 1
    assert claim_check(version_id=version.pk, worker="checks@here") is not None


def test_a_check_that_starts_again_shows_all_stages_waiting(owner: User) -> None:
    version = submit(owner)
    claim = claim_of(version)
    begin_stage(claim=claim, name="package")
    pass_stage(claim=claim, name="package", facts={"n": 1})
    stop_check(claim=claim)
    claim_of(version)
    assert [(stage.status, stage.facts) for stage in version.stages.all()] == [("waiting", {})] * 3


# --- Seeing -------------------------------------------------------------------------------------------------


def test_a_source_is_its_owners_until_published(owner: User, rival: User, operator: User) -> None:
    version = submit(owner)
    for user, sees in ((owner, True), (operator, True), (rival, False), (ANYBODY, False)):
        assert Version.objects.with_source_visible_to(user).filter(pk=version.pk).exists() is sees
        assert Version.objects.with_private_visible_to(user).filter(pk=version.pk).exists() is sees
    publish_source(bot=version.bot, is_public=True)
    assert Version.objects.with_source_visible_to(ANYBODY).filter(pk=version.pk).exists()
    assert not Version.objects.with_private_visible_to(rival).filter(pk=version.pk).exists()


def test_a_hidden_bot_is_seen_by_its_owner_and_operators_alone(
    owner: User, rival: User, operator: User
) -> None:
    bot = make_bot(owner, "hidden", is_hidden=True, is_source_public=True)
    version = make_version(bot)
    for user, sees in ((owner, True), (operator, True), (rival, False), (ANYBODY, False)):
        assert Bot.objects.visible_to(user).filter(pk=bot.pk).exists() is sees
        assert Version.objects.visible_to(user).filter(pk=version.pk).exists() is sees
        assert Version.objects.with_source_visible_to(user).filter(pk=version.pk).exists() is sees


def test_what_may_play_is_ready_current_and_neither_hidden_suspended_nor_banned() -> None:
    plays = make_version()
    make_version(status=Version.Status.REJECTED)
    make_version(is_current=False)
    make_version(make_bot(is_hidden=True))
    suspended = make_version()
    Version.objects.filter(pk=suspended.pk).update(suspended_at=timezone.now())
    banned = make_user()
    make_version(make_bot(banned))
    User.objects.filter(pk=banned.pk).update(is_active=False)
    assert list(Version.objects.playing()) == [plays]
