"""Versions and their checks, and what the arena has told their owners."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, permissions
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api import serializers
from arena.api.filtering import BOT, Filtered, text_parameter
from arena.models import Notice
from bots.models import Bot, Version


def described_versions(request: Request) -> QuerySet[Version]:
    return (
        Version.objects.visible_to(request.user)
        .select_related("bot")
        .defer("package__content")
        .prefetch_related("stages")
    )


class VersionList(Filtered, generics.ListAPIView[Version]):
    """Versions, newest first."""

    queryset = Version.objects.none()
    serializer_class = serializers.VersionSummarySerializer

    @extend_schema(parameters=[BOT, text_parameter("status", "", list(Version.Status.values))])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Version]:
        versions = Version.objects.visible_to(self.request.user).select_related("bot")
        if bot := self.bot():
            versions = versions.filter(bot=bot)
        if state := self.choice("status", list(Version.Status.values)):
            versions = versions.filter(status=state)
        return versions


class VersionDetail(generics.RetrieveAPIView[Version]):
    """One version with the stages of its check; the report is its owner's alone."""

    queryset = Version.objects.none()
    serializer_class = serializers.VersionSerializer

    def get_queryset(self) -> QuerySet[Version]:
        return described_versions(self.request)


class NoticeList(generics.ListAPIView[Notice]):
    """What the arena has told you about your bots, newest first."""

    queryset = Notice.objects.none()
    serializer_class = serializers.NoticeSerializer
    permission_classes = [permissions.IsAuthenticated]

    def get_queryset(self) -> QuerySet[Notice]:
        own = Notice.objects.filter(bot__in=Bot.objects.owned_by(self.request.user))
        return own.select_related("bot", "version")
