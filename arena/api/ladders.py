"""The standing ladders."""

from __future__ import annotations

from rest_framework import generics

from arena.api import pagination, serializers
from arena.models import Ladder


class LadderList(generics.ListAPIView[Ladder]):
    """The standing ladders, with their rules and limits."""

    queryset = Ladder.objects.select_related("current_run")
    serializer_class = serializers.LadderSerializer
    pagination_class = pagination.ByPosition


class LadderDetail(generics.RetrieveAPIView[Ladder]):
    """One ladder."""

    queryset = Ladder.objects.select_related("current_run")
    serializer_class = serializers.LadderSerializer
    lookup_field = "slug"
