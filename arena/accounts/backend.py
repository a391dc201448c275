"""Accounts and their permissions, as Django keeps them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.db.models import Q


class Backend(ModelBackend):
    """Reads a person's own permissions and those of their groups at once: every page asks for them."""

    def get_all_permissions(self, user_obj: User | AnonymousUser, obj: Any = None) -> set[str]:
        if user_obj.is_anonymous or not user_obj.is_active or obj is not None:
            return set()
        found: set[str] | None = getattr(user_obj, "_perm_cache", None)
        if found is None:
            permissions = Permission.objects.all()
            if not user_obj.is_superuser:
                permissions = permissions.filter(Q(user=user_obj) | Q(group__user=user_obj))
            names = permissions.order_by().values_list("content_type__app_label", "codename")
            found = {f"{app}.{codename}" for app, codename in names}
            # Where Django keeps them too: allauth's backend, which is asked next, finds them there.
            setattr(user_obj, "_perm_cache", found)  # noqa: B010 - no attribute that the type knows of
        return found
