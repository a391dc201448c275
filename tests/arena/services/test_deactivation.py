"""Bots that do not start are taken out of play, with a notice."""

import dataclasses

import pytest
from django.test import Client

from arena.models import Notice
from arena.services import reactivate_bot
from arena.services.deactivation import MATCHES_WITHOUT_START, deactivate_nonstarters
from bots.models import Bot, Version
from matches.models import Match
from matches.referee import Fault
from matches.services import finish_match, void_match
from tests.make import make_bot, make_claim, make_match, make_record, make_user, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def version() -> Version:
    return make_version(make_bot(make_user("olivia"), "sleepy"))


def play(version: Version, *, starts: bool, rival: Version | None = None) -> Match:
    """A finished match in which the version started, or faulted at every start."""
    rival = rival or make_version()
    claim = make_claim(make_match([version, rival]))
    record = make_record(claim.match, claim.versions)
    if not starts:
        number = claim.versions.index(version)
        record = dataclasses.replace(
            record,
            games=tuple(
                dataclasses.replace(game, faults=(fault_at(game.participants.index(number)),))
                for game in record.games
            ),
        )
    assert finish_match(claim=claim, record=record)
    return claim.match


def fault_at(seat: int) -> Fault:
    return Fault(seat, "start", "While starting: it ended.", 0, "start", 0, 0, '{"type": "ready"}')


def test_three_matches_in_a_row_without_a_start_withdraw_the_bot_and_tell_its_owner(
    version: Version, client: Client
) -> None:
    rival = make_version()
    matches = [play(version, starts=False, rival=rival) for _ in range(MATCHES_WITHOUT_START)]
    assert deactivate_nonstarters(match=matches[-1]) == [version]
    bot = Bot.objects.get(name="sleepy")
    assert bot.current_version_id is None
    assert bot.is_withdrawn
    assert Bot.objects.get(pk=rival.bot_id).current_version_id == rival.pk
    notice = Notice.objects.get()
    assert (notice.version, notice.kind) == (version, "deactivated")
    assert sorted(notice.facts["matches"]) == sorted(match.pk for match in matches)
    page = client.get("/bots/sleepy/").content.decode()
    assert "deactivated: it did not start" in page
    assert "did not start in its last matches" not in page
    client.force_login(bot.owner)
    assert "did not start in its last matches" in client.get("/bots/sleepy/").content.decode()
    assert deactivate_nonstarters(match=matches[-1]) == []
    assert Notice.objects.count() == 1


def test_a_bot_that_comes_back_is_given_a_chance_and_is_no_longer_called_deactivated(
    version: Version, client: Client
) -> None:
    for _ in range(MATCHES_WITHOUT_START):
        match = play(version, starts=False)
    assert deactivate_nonstarters(match=match)
    reactivate_bot(bot=Bot.objects.get(name="sleepy"))
    assert "deactivated: it did not start" not in client.get("/bots/sleepy/").content.decode()
    assert deactivate_nonstarters(match=play(version, starts=True)) == []


@pytest.mark.parametrize("starts", [(False, False), (True, False, False), (False, True, False, False)])
def test_fewer_in_a_row_deactivate_nobody(version: Version, starts: tuple[bool, ...]) -> None:
    for one in starts:
        match = play(version, starts=one)
        assert deactivate_nonstarters(match=match) == []
    assert Bot.objects.get(name="sleepy").current_version_id == version.pk


def test_void_matches_do_not_count(version: Version) -> None:
    matches = [play(version, starts=False) for _ in range(MATCHES_WITHOUT_START)]
    assert void_match(match=matches[0])
    assert deactivate_nonstarters(match=matches[-1]) == []


def test_an_older_version_that_does_not_start_leaves_the_one_that_plays_alone(version: Version) -> None:
    matches = [play(version, starts=False) for _ in range(MATCHES_WITHOUT_START)]
    newer = make_version(version.bot)
    assert deactivate_nonstarters(match=matches[-1]) == []
    assert Bot.objects.get(name="sleepy").current_version_id == newer.pk


def test_the_house_stays_in_play() -> None:
    house = make_version(make_bot(is_house=True))
    for _ in range(MATCHES_WITHOUT_START):
        match = play(house, starts=False)
    assert deactivate_nonstarters(match=match) == []
