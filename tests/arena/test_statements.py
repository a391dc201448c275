from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import EmptyResultSet
from django.db.models import Prefetch, QuerySet
from django.utils import timezone

from arena.statements import LARGEST, statement
from bots.models import Bot, Version

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def bots(owner: User, rival: User) -> list[Bot]:
    made = [
        Bot.objects.create(owner=person, name=name, is_hidden=is_hidden)
        for person, name, is_hidden in (
            (owner, "alder", False),
            (owner, "birch", True),
            (rival, "cedar_1", False),
            (rival, "dogwood", True),
        )
    ]
    for days, bot in enumerate(made):
        Bot.objects.filter(pk=bot.pk).update(created_at=timezone.now() - timedelta(days=days))
    return made


def named(bots: list[Bot]) -> list[str]:
    return [bot.name for bot in bots]


def test_each_call_has_its_own_values(bots: list[Bot]) -> None:
    @statement
    def after(pk: int, name: str) -> QuerySet[Bot]:
        return Bot.objects.filter(pk__gt=pk).exclude(name=name).order_by("pk")

    assert named(after(bots[0].pk, "dogwood")) == ["birch", "cedar_1"]
    assert named(after(bots[1].pk, "cedar_1")) == ["dogwood"]
    assert named(after(0, "")) == ["alder", "birch", "cedar_1", "dogwood"]


def test_the_queryset_is_made_once(bots: list[Bot]) -> None:
    n_made = 0

    @statement
    def of_keys(*keys: int) -> QuerySet[Bot]:
        nonlocal n_made
        n_made += 1
        return Bot.objects.filter(pk__in=keys).order_by("pk")

    assert named(of_keys(bots[0].pk)) == ["alder"]
    assert named(of_keys(bots[1].pk)) == ["birch"]
    assert n_made == 1
    assert named(of_keys(bots[2].pk, bots[0].pk)) == ["alder", "cedar_1"]
    assert n_made == 2


def test_what_is_read_is_read_anew(bots: list[Bot]) -> None:
    @statement
    def of_key(pk: int) -> QuerySet[Bot]:
        return Bot.objects.filter(pk=pk).select_related("owner")

    assert named(of_key(bots[0].pk)) == ["alder"]
    Bot.objects.filter(pk=bots[0].pk).update(name="ash")
    assert named(of_key(bots[0].pk)) == ["ash"]
    bots[1].delete()
    assert of_key(bots[1].pk) == []


def test_what_is_absent_is_another_statement(bots: list[Bot]) -> None:
    @statement
    def before(pk: int | None, *, is_hidden: bool) -> QuerySet[Bot, tuple[str]]:
        found = Bot.objects.filter(is_hidden=is_hidden).order_by("pk")
        return (found if pk is None else found.filter(pk__lt=pk)).values_list("name")

    assert before(None, is_hidden=True) == [("birch",), ("dogwood",)]
    assert before(None, is_hidden=False) == [("alder",), ("cedar_1",)]
    assert before(bots[2].pk, is_hidden=True) == [("birch",)]
    assert before(bots[2].pk, is_hidden=False) == [("alder",)]


def test_everybody_sees_what_is_theirs(bots: list[Bot], owner: User, rival: User, operator: User) -> None:
    @statement
    def seen(user: User | AnonymousUser) -> QuerySet[Bot]:
        return Bot.objects.visible_to(user).order_by("pk")

    for _ in range(2):
        assert named(seen(AnonymousUser())) == ["alder", "cedar_1"]
        assert named(seen(owner)) == ["alder", "birch", "cedar_1"]
        assert named(seen(rival)) == ["alder", "cedar_1", "dogwood"]
        assert named(seen(operator)) == ["alder", "birch", "cedar_1", "dogwood"]


def test_moments_are_values(bots: list[Bot]) -> None:
    @statement
    def since(moment: object) -> QuerySet[Bot]:
        return Bot.objects.filter(created_at__gte=moment).order_by("pk")

    now = timezone.now()
    assert named(since(now - timedelta(hours=1))) == ["alder"]
    assert named(since(now - timedelta(hours=25))) == ["alder", "birch"]


def test_a_moment_that_would_be_kept_is_refused() -> None:
    @statement
    def lately(owner: int) -> QuerySet[Bot]:
        return Bot.objects.filter(owner=owner, created_at__gte=timezone.now())

    with pytest.raises(ValueError, match="would be kept"):
        lately(1)


def test_a_queryset_within_that_nobody_would_give_its_values_is_refused() -> None:
    @statement
    def with_versions(pk: int) -> QuerySet[Bot]:
        return Bot.objects.filter(pk=pk).prefetch_related(
            Prefetch("versions", Version.objects.filter(bot=pk))
        )

    with pytest.raises(ValueError, match="besides would be kept"):
        with_versions(1)


def test_a_value_that_is_not_just_compared_is_refused() -> None:
    @statement
    def beginning(text: str) -> QuerySet[Bot]:
        return Bot.objects.filter(name__startswith=text)

    @statement
    def in_small_letters(text: str) -> QuerySet[Bot]:
        return Bot.objects.filter(name=text.lower())

    @statement
    def beyond(pk: int) -> QuerySet[Bot]:
        return Bot.objects.filter(pk=pk + 1)

    with pytest.raises(ValueError, match="Argument 0"):
        beginning("al")
    with pytest.raises(ValueError, match="Argument 0"):
        in_small_letters("alder")
    with pytest.raises(ValueError, match="Argument 0"):
        beyond(1)


def test_of_nothing_there_is_nothing(bots: list[Bot]) -> None:
    @statement
    def of_keys(*keys: int) -> QuerySet[Bot]:
        return Bot.objects.filter(pk__in=keys)

    with pytest.raises(EmptyResultSet):
        str(Bot.objects.filter(pk__in=[]).query)
    assert of_keys() == []
    assert of_keys() == []


def test_a_number_that_no_column_holds_is_no_error(bots: list[Bot]) -> None:
    @statement
    def below(pk: int) -> QuerySet[Bot]:
        return Bot.objects.filter(pk__lt=pk).order_by("pk")

    assert len(below(LARGEST)) == len(below(LARGEST + 1)) == len(bots)


def test_what_stands_in_it_is_not_taken_for_the_place_of_a_value(bots: list[Bot]) -> None:
    @statement
    def with_a_line(pk: int) -> QuerySet[Bot]:
        return Bot.objects.filter(pk__gt=pk, name__contains="_").exclude(name__in=["%s", "%%"]).order_by("pk")

    for _ in range(3):
        assert named(with_a_line(bots[0].pk)) == ["cedar_1"]
        assert with_a_line(bots[2].pk) == []
