"""A version's page with the stages of its check, and its source for those who may read it."""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _

from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.pages.listings import listings
from arena.selectors import bots as selectors
from arena.selectors.checks import waiting
from arena.selectors.match_lists import version_matches
from bots.models import Package, Version
from bots.packages import PackageError, read_package
from bots.sandbox.faults import SandboxError
from bots.words import refusal, rejection

logger = logging.getLogger(__name__)


def get_version(request: HttpRequest, name: str, number: int) -> Version:
    version = selectors.described_version(name, number, request.user)
    if version is None:
        raise NotThere(
            _("There is no version %(number)s of a bot “%(name)s”.") % {"number": number, "name": name}
        )
    return version


def may_read_private(request: HttpRequest, version: Version) -> bool:
    return Version.objects.filter(pk=version.pk).with_private_visible_to(request.user).exists()


def may_read_source(request: HttpRequest, version: Version) -> bool:
    return Version.objects.filter(pk=version.pk).with_source_visible_to(request.user).exists()


def described(request: HttpRequest, version: Version) -> dict[str, Any]:
    """What the live part of the page shows."""
    is_private = may_read_private(request, version)
    plays = version.pk == version.bot.current_version_id
    return {
        "version": version,
        "bot": version.bot,
        "is_on_ladder": plays and selectors.is_on_a_ladder(version.bot),
        "is_owner": version.bot.owner_id == request.user.pk,
        "may_read_private": is_private,
        "may_read_source": may_read_source(request, version),
        "rejection": rejection(version, is_private=is_private),
        "waiting": waiting(version),
    }


@methods("GET")
def version_page(request: HttpRequest, name: str, number: int) -> HttpResponse:
    version = get_version(request, name, number)
    is_finished = not version.is_being_checked
    return render(
        request,
        "arena/version.html",
        {
            **described(request, version),
            "ratings": selectors.ratings_of_version(version.pk) if is_finished else [],
            "latest": version_matches(request.user, version) if is_finished else [],
        },
    )


@methods("GET")
def stages(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """The live part of the version's page; it asks for itself again until the check is done."""
    response = render(
        request,
        "arena/_check.html",
        {**described(request, get_version(request, name, number)), "is_live": True},
    )
    patch_cache_control(response, no_store=True)
    return response


def readable_package(request: HttpRequest, version: Version) -> Package:
    if not may_read_source(request, version):
        raise PermissionDenied(_("The source of this bot is private. Its owner may publish it."))
    package = Package.objects.get(pk=version.package_id)
    if package.wiped_at is not None:
        raise NotThere(_("The source of this version was deleted."))
    return package


def only_text(version: Version, content: bytes) -> str | None:
    """The package as a text area holds it, if it is one file of text."""
    if version.suffix == "zip" or version.is_binary:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


@methods("GET")
def source(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """The code as text on a page of ours; what cannot be shown as text is named with its size."""
    version = get_version(request, name, number)
    package = readable_package(request, version)
    content = bytes(package.content)
    try:
        files = read_package(version.filename, content, version.runtime or None).files
        problem = ""
    except PackageError as error:
        files, problem = {}, refusal(error)
    except SandboxError:
        logger.exception("%s: its package could not be read", version)
        files, problem = {}, _("something broke on our side. Try again later, or download it.")
    return render(
        request,
        "arena/source.html",
        {
            "version": version,
            "bot": version.bot,
            "files": listings(files),
            "problem": problem,
            "size": len(content),
            "may_download": not version.is_binary or may_read_private(request, version),
        },
    )


@methods("GET")
def download(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """The package byte for byte, under a name of ours and a type that no browser renders.

    A program of somebody else's, which nobody can read before it runs, is not for the public to fetch.
    """
    version = get_version(request, name, number)
    if version.is_binary and not may_read_private(request, version):
        raise PermissionDenied(_("A program is for its owner alone to download."))
    package = readable_package(request, version)
    response = HttpResponse(bytes(package.content), content_type="application/octet-stream")
    response["Content-Disposition"] = (
        f'attachment; filename="{version.bot.name}-v{version.number}.{version.suffix}"'
    )
    return response
