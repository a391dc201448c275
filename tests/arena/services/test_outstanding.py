"""Operators see which pairs of bots, and of owners, have results that their ratings do not explain."""

from __future__ import annotations

import uuid
from itertools import combinations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from arena.models import Ladder, LadderMatch
from arena.selectors.outstanding import outstanding_pairs
from bots.models import Bot, Version
from matches.models import Attempt, Match, Participant, Result
from tests.make import make_bot, make_ladder, make_user, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.database]

GAMES = 20


def finished(ladder: Ladder, one: Version, other: Version, won: float) -> None:
    """A match of which `one` has won so many games."""
    match = Match.objects.create(
        preset="official", seats=2, deals=GAMES // 2, seed=b"", commitment=uuid.uuid4().hex, status="finished"
    )
    LadderMatch.objects.create(ladder=ladder, match=match)
    versions = sorted((one, other), key=lambda version: version.pk)
    for number, version in enumerate(versions):
        Participant.objects.create(match=match, version=version, bot=version.bot, number=number)
    attempt = Attempt.objects.create(
        match=match, number=1, token=uuid.uuid4(), worker="w", outcome="finished"
    )
    tally = {
        "versions": [version.pk for version in versions],
        "games": GAMES,
        "pairs": [won if versions[0] == one else GAMES - won],
        **{name: [GAMES, GAMES] for name in ("totals", "clean", "rounds")},
        "faults": [0, 0],
    }
    Result.objects.create(match=match, attempt=attempt, duration_ms=1, tally=tally)


@pytest.fixture
def ladder(owner: User, rival: User) -> Ladder:
    """Six equals, of whom `puppet`, the rival's, never wins against `main`, the owner's."""
    ladder = make_ladder()
    main = make_version(make_bot(owner, "main"))
    puppet = make_version(make_bot(rival, "puppet"))
    others = [make_version(make_bot(make_user())) for _ in range(4)]
    for one, other in combinations([main, puppet, *others], 2):
        for won in (12, 8, 11, 9, 10, 10):
            finished(ladder, one, other, GAMES if {one, other} == {main, puppet} else won)
    return ladder


def test_a_pair_is_found_by_its_bots_and_by_its_owners(ladder: Ladder, owner: User, rival: User) -> None:
    bots, owners = outstanding_pairs(ladder)
    assert [(row.one.name, row.other.name) for row in bots.rows if row.encounter.stands_out] == [
        ("main", "puppet")
    ]
    assert [(row.one, row.other) for row in owners.rows if row.encounter.stands_out] == [(owner, rival)]
    assert bots.n_pairs == owners.n_pairs == 15
    worst = bots.rows[0].encounter
    assert (worst.n_matches, worst.n_games, worst.won) == (6, 120, 1.0)
    assert worst.expected == pytest.approx(0.5, abs=0.05)


def test_the_bots_of_one_owner_are_a_pair_of_bots_and_none_of_owners(ladder: Ladder, owner: User) -> None:
    Bot.objects.filter(name="puppet").update(owner=owner)
    bots, owners = outstanding_pairs(ladder)
    assert bots.rows[0].encounter.stands_out
    assert not any(row.encounter.stands_out for row in owners.rows)


def test_operators_find_the_page_at_the_ladder(ladder: Ladder, operator: User, client: Client) -> None:
    client.force_login(operator)
    address = reverse("admin:arena_ladder_pairs", args=[ladder.pk])
    assert address in client.get(reverse("admin:arena_ladder_changelist")).content.decode()
    page = client.get(address)
    assert page.status_code == 200
    text = " ".join(page.content.decode().split())
    assert "<strong>yes</strong>" in text
    assert text.index('?bot=puppet">puppet</a>') < text.index("<strong>yes</strong>")
    assert '<th scope="row">olivia</th><td>rob</td>' in text
    assert client.get(reverse("admin:arena_ladder_pairs", args=[99])).status_code == 404


def test_a_ladder_without_matches_says_so(operator: User, client: Client) -> None:
    client.force_login(operator)
    page = client.get(reverse("admin:arena_ladder_pairs", args=[make_ladder().pk]))
    assert "No pair has met often enough yet" in page.content.decode()
