from __future__ import annotations

import pytest
from django.test import Client

from arena.models import LadderEntry
from arena.selectors.leaderboard import leaderboard, unrated_entries
from bots.models import Bot
from tests.arena.pages.markup import words
from tests.arena.pages.staging import Site, make_bot, make_version
from tests.people import ANYBODY

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_a_rating_is_shown_with_its_interval_and_a_rank_as_a_range(site: Site, client: Client) -> None:
    text = words(client.get("/ladders/duel/").content.decode())
    assert "1890 ± 16" in text
    assert "1 ev v1" in text
    assert "2–3 mine v1 provisional wide interval 1700 ± 78" in text


def test_my_bot_is_marked_for_me_alone(site: Site, as_owner: Client, client: Client) -> None:
    assert "yours" in words(as_owner.get("/ladders/duel/").content.decode())
    assert "yours" not in words(client.get("/ladders/duel/").content.decode())


def test_my_rows_of_other_pages_are_kept_in_sight(site: Site) -> None:
    board = leaderboard(ladder=site.duel, user=site.owner, size=2)
    assert [row.rating.version.bot.name for row in board.rows] == ["ev", "threshold"]
    assert [row.rating.version.bot.name for row in board.mine] == ["mine"]
    assert board.next_after == 2


def test_a_bot_off_the_ladder_is_shown_only_among_all_versions(site: Site, client: Client) -> None:
    LadderEntry.objects.filter(bot=site.mine).update(is_active=False)
    assert ">mine<" not in client.get("/ladders/duel/").content.decode()
    assert ">mine<" in client.get("/ladders/duel/?versions=all").content.decode()


def test_a_hidden_bot_is_shown_to_its_owner_and_operators_alone(
    site: Site, client: Client, as_owner: Client, as_rival: Client, as_operator: Client
) -> None:
    Bot.objects.filter(pk=site.mine.pk).update(is_hidden=True)
    shown = [
        ">mine<" in reader.get("/ladders/duel/").content.decode()
        for reader in (client, as_rival, as_owner, as_operator)
    ]
    assert shown == [False, False, True, True]


def test_a_bot_without_a_rating_is_listed_as_waiting(site: Site, client: Client) -> None:
    bot = make_bot(site.owner, "fresh")
    make_version(bot)
    LadderEntry.objects.create(ladder=site.duel, bot=bot)
    assert [entry.bot.name for entry in unrated_entries(ladder=site.duel, user=ANYBODY)] == ["fresh"]
    assert "Not rated yet" in words(client.get("/ladders/duel/").content.decode())


def test_a_page_beyond_the_end_says_so(site: Site, client: Client) -> None:
    assert "has only 5 rows" in words(client.get("/ladders/duel/?after=100").content.decode())


def test_the_leaderboard_without_a_slug_leads_to_the_first_ladder(site: Site, client: Client) -> None:
    assert client.get("/ladders/").headers["Location"] == "/ladders/duel/"
