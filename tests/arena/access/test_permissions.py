"""The site's own backend gives the permissions that Django's gives, and asks once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, Group, Permission, User

from tests.people import make_operator

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def clerk(**fields: object) -> User:
    """With a permission of its own, one of a group, and one by both ways."""
    own, shared, both = Permission.objects.filter(codename__startswith="view_").order_by("pk")[:3]
    user = User.objects.create_user("clerk", **fields)
    user.user_permissions.set([own, both])
    group = Group.objects.create(name="crew")
    group.permissions.set([shared, both])
    user.groups.add(group)
    return user


def as_django(user: User) -> set[str]:
    return ModelBackend().get_all_permissions(User.objects.get(pk=user.pk))


def test_permissions_are_ones_own_and_those_of_ones_groups(
    django_assert_num_queries: Callable[..., object],
) -> None:
    user = clerk()
    with django_assert_num_queries(1):
        found = user.get_all_permissions()
        assert not user.has_perm("bots.change_bot")
    assert len(found) == 3
    assert found == as_django(user)


def test_who_is_no_longer_active_has_none() -> None:
    user = clerk(is_active=False)
    assert user.get_all_permissions() == as_django(user) == set()


def test_who_may_do_everything_has_all() -> None:
    user = make_operator()
    assert user.get_all_permissions() == as_django(user)


def test_nobody_in_particular_has_none() -> None:
    assert AnonymousUser().get_all_permissions() == set()
