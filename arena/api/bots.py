"""Bots: their list, one of them, and submitting."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from arena import services
from arena.api import pagination, serializers
from arena.api.errors import Refused, refusing
from arena.api.filtering import Filtered, text_parameter, visible_bot
from arena.api.members import MembersPost, acting
from arena.api.parsers import JSONParser
from arena.api.tries import limit
from arena.api.versions import described_versions
from arena.models import ApiToken
from arena.runtimes import not_offered, offered
from arena.selectors.bots import beginning_with, by_author
from bots.models import Bot
from bots.sandbox.runtimes import NODE

# What checks wrote of a version, which may be long.
NOT_TOLD = [f"current_version__{name}" for name in ("report", "rejection", "check_trouble")]


class BotList(MembersPost, Filtered, generics.ListCreateAPIView[Bot]):
    """Bots by name."""

    queryset = Bot.objects.none()
    serializer_class = serializers.BotSerializer
    pagination_class = pagination.ByName
    parser_classes = [JSONParser, MultiPartParser]
    token_scope = ApiToken.Scope.SUBMIT

    @extend_schema(
        parameters=[
            text_parameter("q", "Only bots whose names begin so, in any case."),
            text_parameter("author", "Only the bots of this person."),
        ]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Bot]:
        bots: QuerySet[Bot] = Bot.objects.visible_to(self.request.user)
        bots = bots.select_related("owner", "current_version").defer(*NOT_TOLD)
        if text := self.request.query_params.get("q"):
            bots = beginning_with(bots, text)
        if author := self.request.query_params.get("author"):
            bots = by_author(bots, author)
        return bots

    def paginate_queryset(self, queryset: Any) -> Any:
        page = super().paginate_queryset(queryset)
        for bot in page or []:
            if bot.current_version is not None:
                bot.current_version.bot = bot
        return page

    @extend_schema(
        request={
            "application/json": serializers.SourceSerializer,
            "multipart/form-data": serializers.SubmissionSerializer,
        },
        responses={200: serializers.VersionSerializer, 201: serializers.VersionSerializer},
    )
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Submit a bot, or a further version of your bot of this name.

        201 with the new version, which is checked next; 200 when this very package was submitted before: its
        version plays again.
        """
        owner = acting(request)
        limit(request, action="submit", user=owner, sentence=_("You submitted too often."))
        is_form = isinstance(request.data, MultiValueDict)
        kind = serializers.SubmissionSerializer if is_form else serializers.SourceSerializer
        form = kind(data=request.data)
        form.is_valid(raise_exception=True)
        runtime = form.validated_data.get("runtime")
        if runtime is not None and runtime not in offered():
            raise Refused("unknown_runtime", not_offered(runtime), field="runtime")
        filename, content = _uploaded(form.validated_data)
        with refusing():
            submission = services.submit_version(
                owner=owner,
                name=form.validated_data["name"],
                filename=filename,
                content=content,
                runtime=runtime,
            )
        version = described_versions(request).get(pk=submission.version.pk)
        body = serializers.VersionSerializer(version, context=self.get_serializer_context()).data
        return Response(body, status=status.HTTP_201_CREATED if submission.created else status.HTTP_200_OK)


def _uploaded(data: dict[str, Any]) -> tuple[str, bytes]:
    """The file's name and bytes; one byte over the limit is enough to be refused for its size."""
    file, source = data.get("file"), data.get("source")
    if file is not None and source is None:
        return file.name, file.read(settings.MAX_UPLOAD_BYTES + 1)
    if source is None or file is not None:
        raise Refused("source_or_file", _("Send the code once: as `source` or as `file`."), field="source")
    return "bot.js" if data.get("runtime") == NODE else "bot.py", source.encode()


class BotDetail(generics.RetrieveAPIView[Bot]):
    """One bot, by its name."""

    queryset = Bot.objects.none()
    serializer_class = serializers.BotSerializer
    lookup_url_kwarg = "name"

    def get_object(self) -> Bot:
        bot = visible_bot(self.request, self.kwargs["name"])
        if bot is None:
            raise Refused("not_found", _("There is no bot of this name."), status=404)
        return bot
