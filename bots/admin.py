"""Bots, their versions and checks, for operators to look at. `arena.admin` registers them, with what may be done."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from bots.models import CheckStage, Version


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that are looked at, never added, edited or deleted; what may be done to them are actions.

    A permission to view opens the pages; which rows they show, `visible_to` says here too, unless all are public.
    """

    is_public = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: Any = super().get_queryset(request)
        found: QuerySet[Any] = rows if self.is_public else rows.visible_to(request.user)
        return found

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # Actions need it; without an object it stands for the list.
        return obj is None and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class VersionInline(admin.TabularInline):
    model = Version
    fk_name = "bot"
    readonly_fields = ("number", "status", "rejection", "created_at")
    fields = readonly_fields
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class CheckStageInline(admin.TabularInline):
    model = CheckStage
    readonly_fields = ("name", "status", "facts", "started_at", "finished_at")
    fields = readonly_fields
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class BotAdmin(ReadOnlyAdmin):
    list_display = ["name", "owner", "current_version", "is_house", "is_hidden", "withdrawn_at", "created_at"]
    list_filter = ["is_house", "is_hidden"]
    list_select_related = ["owner", "current_version__bot"]
    search_fields = ["name", "owner__username"]
    inlines = [VersionInline]


class VersionAdmin(ReadOnlyAdmin):
    # What quotes the upload, and what its bot wrote: for those alone who may read it on the version's own page.
    private = ("filename", "report")

    list_display = ["__str__", "status", "rejection", "suspended_at", "check_attempts", "created_at"]
    list_filter = ["status", ("suspended_at", admin.EmptyFieldListFilter)]
    list_select_related = ["bot"]
    search_fields = ["bot__name", "package__sha256"]
    fields = [
        "bot", "number", "sha256", "filename", "status", "rejection", "report", "suspended_at", "cleared_at",
        "check_attempts", "check_trouble", "check_worker", "check_started_at", "check_lease_until", "created_at",
        "checked_at",
    ]  # fmt: skip
    inlines = [CheckStageInline]

    def get_fields(self, request: HttpRequest, obj: Version | None = None) -> list[Any]:
        shown = Version.objects.filter(pk=obj.pk) if obj is not None else Version.objects.none()
        may_read = shown.with_private_visible_to(request.user).exists()
        return [name for name in self.fields if may_read or name not in self.private]
