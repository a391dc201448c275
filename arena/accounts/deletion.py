"""Leaving the arena: everything personal goes, results stay under a name that says nothing."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef

from arena.names import free_username
from arena.services import retire_bots, revoke_all_tokens, tournaments, void_match
from bots.models import DELETED, Bot, CheckStage, Package, Version
from bots.services import lock_owner, strip_name, wipe_packages
from matches.models import GameSeat, Match


def delete_account(*, user: User) -> None:
    """Delete a person's sources, logs, tokens, e-mail address and name.

    The bots are withdrawn and renamed; results and replays of their matches stay, since they are other people's
    too. A source stays only where another account has uploaded the very same bytes.
    """
    with transaction.atomic():
        lock_owner(user)
        tournaments.abandon_tournaments(organiser=user)
        retire_bots(user=user)
        # What is being played would be stored with this person's logs.
        for match in Match.objects.filter(
            status=Match.Status.RUNNING, participants__bot__owner=user
        ).distinct():
            void_match(match=match)
        revoke_all_tokens(user=user)
        forget_sources(user)
        GameSeat.objects.filter(bot__owner=user).update(private=b"")
        for bot in Bot.objects.filter(owner=user):
            strip_name(bot=bot)
        EmailAddress.objects.filter(user=user).delete()
        user.username = free_username(f"{DELETED}{user.pk}")
        user.email = user.first_name = user.last_name = ""
        user.last_login = None
        user.is_active = user.is_staff = user.is_superuser = False
        user.set_unusable_password()
        user.save()
        user.groups.clear()
        user.user_permissions.clear()


def forget_sources(user: User) -> None:
    """Empty the packages that only this account's bots use, and what checks reported of their contents."""
    versions = Version.objects.filter(bot__owner=user)
    # Locked first: whoever submits the same bytes now waits, and then finds them wiped or us gone by.
    used = Package.objects.filter(pk__in=versions.values("package")).order_by("pk")
    locked = list(used.select_for_update(no_key=True).values_list("pk", flat=True))
    others = Version.objects.filter(package=OuterRef("pk")).exclude(bot__owner=user)
    others = others.exclude(bot__owner__username__startswith=DELETED)
    wipe_packages(packages=Package.objects.filter(pk__in=locked).exclude(Exists(others)))
    unjudged = versions.filter(
        status__in=[Version.Status.RECEIVED, Version.Status.CHECKING, Version.Status.PARKED]
    )
    unjudged.update(status=Version.Status.REJECTED, check_token=None, check_lease_until=None)
    versions.update(filename="deleted", report={}, rejection="", check_trouble="")
    CheckStage.objects.filter(version__bot__owner=user).update(facts={})
