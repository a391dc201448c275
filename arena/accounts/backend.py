"""Accounts and their permissions, as Django keeps them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.db.models import Exists, OuterRef, Q, QuerySet

from arena.statements import statement


class Backend(ModelBackend):
    """Reads a person's own permissions and those of their groups at once: every page asks for them."""

    def get_all_permissions(self, user_obj: User | AnonymousUser, obj: Any = None) -> set[str]:
        if user_obj.is_anonymous or not user_obj.is_active or obj is not None:
            return set()
        found: set[str] | None = getattr(user_obj, "_perm_cache", None)
        if found is None:
            names = _all_permissions() if user_obj.is_superuser else _permissions_of(user_obj.pk)
            found = {f"{app}.{codename}" for app, codename in names}
            _keep(user_obj, found)
        return found

    def get_user(self, user_id: int) -> User | None:
        user = next(iter(_user(user_id)), None)
        if user is not None and not (user.is_superuser or user.has_permissions):  # type: ignore[attr-defined]
            _keep(user, set())
        return user if self.user_can_authenticate(user) else None


def _keep(user: User, permissions: set[str]) -> None:
    """Where Django keeps them too: allauth's backend, which is asked next, finds them there."""
    setattr(user, "_perm_cache", permissions)  # noqa: B010 - no attribute that the type knows of


@statement
def _user(pk: int) -> QuerySet[User]:
    """The person of this key, and whether there are permissions to ask for: most have none."""
    own = User.user_permissions.through.objects.filter(user=OuterRef("pk"))
    of_groups = Group.permissions.through.objects.filter(group__user=OuterRef("pk"))
    return User.objects.filter(pk=pk).annotate(has_permissions=Exists(own) | Exists(of_groups))


@statement
def _permissions_of(user: int) -> QuerySet[Permission, tuple[str, str]]:
    found = Permission.objects.filter(Q(user=user) | Q(group__user=user))
    return found.order_by().values_list("content_type__app_label", "codename")


@statement
def _all_permissions() -> QuerySet[Permission, tuple[str, str]]:
    return Permission.objects.order_by().values_list("content_type__app_label", "codename")
