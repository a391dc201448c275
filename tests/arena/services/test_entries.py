"""Bots enter ladders, stay within the quota, leave and come back."""

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from arena.models import Ladder, LadderEntry
from arena.services import (
    activate_version,
    enter_ladder,
    enter_ladders,
    entries_of,
    leave_ladder,
    reactivate_bot,
    submit_version,
    withdraw_bot,
)
from bots.models import Bot, Version
from bots.services import SubmissionError, accept_version, claim_check, lock_owner
from tests.make import STEADY, make_bot, make_entry, make_ladder, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def ladders(db: None) -> list[Ladder]:
    return [make_ladder("duel"), make_ladder("table", seats=4)]


def enter_first(version: Version) -> None:
    with transaction.atomic():
        lock_owner(version.bot.owner)
        enter_ladders(version=version)


def slugs(bot: Bot) -> set[str]:
    return set(LadderEntry.objects.filter(bot=bot, is_active=True).values_list("ladder__slug", flat=True))


def test_a_submission_rings_for_its_check_when_it_is_committed(
    owner: User,
    bells: list[tuple[str, ...]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        version = submit_version(owner=owner, name="steady", filename="bot.py", content=STEADY).version
        assert bells == []
    assert bells == [("arena.tasks.check_version", version.pk)]


def test_the_first_ready_version_enters_every_open_ladder(ladders: list[Ladder]) -> None:
    make_ladder("closed", is_open=False)
    version = make_version()
    enter_first(version)
    assert slugs(version.bot) == {"duel", "table"}


def test_a_later_version_does_not_bring_the_bot_back_to_a_ladder_that_it_left(ladders: list[Ladder]) -> None:
    version = make_version()
    enter_first(version)
    leave_ladder(bot=version.bot, ladder=ladders[0])
    enter_first(make_version(version.bot))
    assert slugs(version.bot) == {"table"}


def test_only_so_many_bots_of_an_account_are_on_a_ladder(
    ladders: list[Ladder], owner: User, settings: Settings
) -> None:
    settings.QUOTA_ENTRIES = 2
    bots = [make_bot(owner) for _ in range(3)]
    for bot in bots:
        enter_first(make_version(bot))
    assert [slugs(bot) for bot in bots] == [{"duel", "table"}, {"duel", "table"}, set()]
    assert entries_of(owner, ladders[0]) == 2
    with pytest.raises(SubmissionError) as refusal:
        enter_ladder(bot=bots[2], ladder=ladders[0])
    assert refusal.value.code == "too_many_entries"
    leave_ladder(bot=bots[0], ladder=ladders[0])
    enter_ladder(bot=bots[2], ladder=ladders[0])
    assert slugs(bots[2]) == {"duel"}
    enter_ladder(bot=bots[2], ladder=ladders[0])


def test_a_withdrawn_bot_gives_its_places_away_and_returns_where_there_is_room(
    ladders: list[Ladder], owner: User, settings: Settings
) -> None:
    settings.QUOTA_ENTRIES = 1
    first, second = make_bot(owner), make_bot(owner)
    version = make_version(first)
    enter_first(version)
    withdraw_bot(bot=first)
    make_version(second)
    enter_ladder(bot=second, ladder=ladders[0])
    first.refresh_from_db()
    reactivate_bot(bot=first)
    assert slugs(first) == {"table"}
    first.refresh_from_db()
    assert first.current_version == version
    assert not first.is_withdrawn


def test_a_new_version_brings_a_withdrawn_bot_back_only_where_there_is_room(
    ladders: list[Ladder], owner: User, settings: Settings
) -> None:
    settings.QUOTA_ENTRIES = 1
    bots = []
    for number in range(3):
        version = make_version(make_bot(owner, f"steady{number}"))
        enter_first(version)
        withdraw_bot(bot=version.bot)
        bots.append(version.bot)
    assert [slugs(bot) for bot in bots] == [{"duel", "table"}] * 3
    for bot in bots:
        content = STEADY + f"# better, {bot.name}\n".encode()
        submission = submit_version(owner=owner, name=bot.name, filename="bot.py", content=content)
        claim = claim_check(version_id=submission.version.pk, worker="checks@test")
        assert claim is not None
        assert accept_version(claim=claim, report={})
        enter_first(submission.version)
    assert [slugs(bot) for bot in bots] == [{"duel", "table"}, set(), set()]
    assert [entries_of(owner, ladder) for ladder in ladders] == [1, 1]
    assert {entry.bot for entry in LadderEntry.objects.playing()} == {bots[0]}


def test_a_rejected_version_submitted_again_neither_brings_a_bot_back_nor_costs_it_its_places(
    ladders: list[Ladder], owner: User, settings: Settings
) -> None:
    settings.QUOTA_ENTRIES = 1
    bot = make_bot(owner, "steady")
    enter_first(make_version(bot))
    withdraw_bot(bot=bot)
    enter_first(make_version(make_bot(owner)))
    make_version(bot, content=STEADY, status=Version.Status.REJECTED)
    submit_version(owner=owner, name="steady", filename="bot.py", content=STEADY)
    bot.refresh_from_db()
    assert bot.is_withdrawn
    assert slugs(bot) == {"duel", "table"}


def test_house_bots_are_exempt_from_the_quota(ladders: list[Ladder], owner: User, settings: Settings) -> None:
    settings.QUOTA_ENTRIES = 0
    version = make_version(make_bot(owner, is_house=True))
    enter_first(version)
    assert slugs(version.bot) == {"duel", "table"}


def test_a_bot_without_a_version_in_play_and_a_closed_ladder_are_refused(ladders: list[Ladder]) -> None:
    with pytest.raises(SubmissionError) as refusal:
        enter_ladder(bot=make_bot(), ladder=ladders[0])
    assert refusal.value.code == "not_ready"
    with pytest.raises(SubmissionError) as refusal:
        enter_ladder(bot=make_version().bot, ladder=make_ladder("closed", is_open=False))
    assert refusal.value.code == "closed"


def test_a_step_back_to_an_older_version_keeps_the_bots_places(ladders: list[Ladder]) -> None:
    bot = make_bot()
    first = make_version(bot)
    enter_first(first)
    make_version(bot)
    activate_version(version=first)
    assert slugs(bot) == {"duel", "table"}
    assert {entry.bot.current_version for entry in LadderEntry.objects.playing()} == {first}


def test_an_entry_plays_only_while_its_bot_has_a_version_that_may(ladders: list[Ladder]) -> None:
    entry = make_entry(ladders[0])
    assert LadderEntry.objects.playing().get() == entry
    withdraw_bot(bot=entry.bot)
    assert not LadderEntry.objects.playing().exists()
