"""The first start, and every later one."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from arena.models import Ladder, LadderEntry
from arena.services import seed_arena
from bots.house import HOUSE, house_source
from bots.models import Bot, Version
from tests.make import make_bot

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_the_first_seeding_makes_ladders_and_house_bots_that_play_at_once() -> None:
    assert seed_arena()
    assert list(Ladder.objects.values_list("slug", "seats", "deals", "preset")) == [
        ("duel", 2, 5, "official"),
        ("table", 4, 2, "official"),
    ]
    bots = Bot.objects.filter(is_house=True)
    assert {bot.name for bot in bots} == {bot.name for bot in HOUSE}
    assert {bot.owner.username for bot in bots} == {"arena"}
    assert not bots[0].owner.has_usable_password()
    assert LadderEntry.objects.playing().count() == 2 * len(HOUSE)
    assert all(bot.is_source_public for bot in bots)
    for version in Version.objects.all():
        assert bytes(version.package.content) == house_source(version.bot.name)


def test_seeding_again_changes_nothing() -> None:
    seed_arena()
    before = list(Version.objects.values_list("pk", "number")), list(LadderEntry.objects.values_list("pk"))
    assert seed_arena() == []
    assert before == (
        list(Version.objects.values_list("pk", "number")),
        list(LadderEntry.objects.values_list("pk")),
    )


def test_a_changed_source_is_a_new_version_and_the_old_source_the_old_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seed_arena()
    first = Bot.objects.get(name="greedy").current_version
    with monkeypatch.context() as patch:
        patch.setattr(
            "arena.services.seeding.house_source",
            lambda name: house_source(name) + (b"# changed\n" if name == "greedy" else b""),
        )
        assert seed_arena() == ["made greedy version 2"]
    assert Bot.objects.get(name="greedy").current_version.number == 2
    assert seed_arena() == []
    assert Bot.objects.get(name="greedy").current_version == first


def test_an_operators_changes_to_a_ladder_are_kept() -> None:
    seed_arena()
    Ladder.objects.filter(slug="duel").update(is_open=False, name="Closed")
    seed_arena()
    assert Ladder.objects.get(slug="duel").name == "Closed"
    assert not Ladder.objects.get(slug="duel").is_open


def test_a_house_bot_whose_name_somebody_has_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = make_bot(name="Collector")
    assert "left out the house bot collector: another bot is called so" in seed_arena()
    assert set(Bot.objects.filter(is_house=True).values_list("name", flat=True)) == {
        bot.name for bot in HOUSE
    } - {"collector"}
    assert seed_arena() == ["left out the house bot collector: another bot is called so"]
    taken.refresh_from_db()
    assert (taken.is_house, taken.current_version) == (False, None)


def test_a_person_called_like_the_house_does_not_become_its_owner() -> None:
    person = User.objects.create_user("arena", password="correct horse battery staple")
    seed_arena()
    owner = Bot.objects.get(name="greedy").owner
    assert owner != person
    assert not owner.has_usable_password()
    assert seed_arena() == []


def test_the_command_says_what_it_made(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("seed")
    assert "made the ladder duel" in capsys.readouterr().out
    call_command("seed")
    assert capsys.readouterr().out == "Nothing to do.\n"
