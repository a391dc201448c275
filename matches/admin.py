"""Matches and the tries at them, for operators to look at. `arena.admin` adds what may be done to matches."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from bots.admin import ReadOnlyAdmin
from matches.models import Attempt, Participant


class ParticipantInline(admin.TabularInline):
    model = Participant
    readonly_fields = ("number", "version")
    fields = readonly_fields
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class AttemptInline(admin.TabularInline):
    model = Attempt
    readonly_fields = ("number", "worker", "outcome", "cause", "detail", "started_at", "ended_at")
    fields = readonly_fields
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class MatchAdmin(ReadOnlyAdmin):
    list_display = ["id", "status", "preset", "seats", "deals", "n_attempts", "created_at", "finished_at"]
    list_filter = ["status", "seats", "preset"]
    # The seed is a secret until the match is finished, for operators too: they may have bots.
    fields = [
        "status", "preset", "seats", "deals", "start_ms", "decision_ms", "bank_ms", "memory_mib", "commitment",
        "published_seed", "n_attempts", "n_failures", "lease_until", "created_at", "started_at", "finished_at",
    ]  # fmt: skip
    inlines = [ParticipantInline, AttemptInline]
    show_full_result_count = False


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ["id", "match", "number", "worker", "outcome", "cause", "started_at", "ended_at"]
    list_filter = ["outcome", "cause"]
    list_select_related = ["match"]
    raw_id_fields = ["match"]
    search_fields = ["match__id", "worker"]
    show_full_result_count = False
