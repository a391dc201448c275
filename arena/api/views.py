"""The API's endpoints: thin doors to querysets and services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, permissions, status
from rest_framework.exceptions import Throttled, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from arena import services
from arena.api import keys, pagination, rows, serializers
from arena.api.auth import acting
from arena.api.errors import Refused, refusing
from arena.api.fields import MAX_ID
from arena.api.keys import Keys
from arena.api.parsers import JSONParser
from arena.api.replays import FORMATS, replay_response
from arena.api.trial_serializers import RequestSerializer
from arena.models import ApiToken, Ladder, Notice
from arena.runtimes import not_offered, offered
from arena.selectors.bots import beginning_with, bots_named, by_author
from arena.selectors.matches import Outcome, keyed
from arena.tries import may_try
from bots.models import Bot, Version, is_name
from bots.sandbox.runtimes import NODE
from matches.models import Game, Match, Participant


def text_parameter(name: str, description: str, enum: list[str] | None = None) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.STR, description=description, enum=enum)


BOT = text_parameter("bot", "Only those of the bot of this name.")
ID = {"type": "integer", "minimum": 0, "maximum": MAX_ID}
LADDER = text_parameter("ladder", "Only those of the ladder with this slug.")


class Filtered(generics.GenericAPIView[Any]):
    """Query parameters that narrow a list; a value that cannot be is refused with what can."""

    def choice(self, name: str, choices: list[str]) -> str | None:
        value = self.request.query_params.get(name)
        if value is not None and value not in choices:
            raise ValidationError({name: [_("One of: %(choices)s.") % {"choices": ", ".join(choices)}]})
        return value

    def bot(self, field: str = "bot") -> Bot | None:
        name = self.request.query_params.get(field)
        if name is None:
            return None
        bot = visible_bot(self.request, name)
        if bot is None:
            raise Refused("unknown_bot", _("There is no bot of this name."), field=field)
        return bot

    def ladder(self) -> Ladder | None:
        slug = self.request.query_params.get("ladder")
        if slug is None:
            return None
        ladders = {ladder.slug: ladder for ladder in Ladder.objects.all()}
        if slug not in ladders:
            message = _("There is no such ladder; there are: %(slugs)s.") % {"slugs": ", ".join(ladders)}
            raise Refused("unknown_ladder", message, field="ladder")
        return ladders[slug]

    def number(self, name: str) -> int | None:
        text = self.request.query_params.get(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and int(text[:18]) <= MAX_ID and len(text) <= 18):
            raise ValidationError({name: [_("A whole number.")]})
        return int(text)


def visible_bot(request: Request, name: str) -> Bot | None:
    # The characters are checked first: a NUL would reach PostgreSQL as an error of ours.
    if not is_name(name):
        return None
    return bots_named([name], request.user).get(name.lower())


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


# What checks wrote of a version, which may be long.
NOT_TOLD = [f"current_version__{name}" for name in ("report", "rejection", "check_trouble")]


class BotList(Filtered, generics.ListCreateAPIView[Bot]):
    """Bots by name."""

    queryset = Bot.objects.none()
    serializer_class = serializers.BotSerializer
    pagination_class = pagination.ByName
    parser_classes = [JSONParser, MultiPartParser]
    token_scope = ApiToken.Scope.SUBMIT

    def get_permissions(self) -> list[Any]:
        return [permissions.IsAuthenticated() if self.request.method == "POST" else permissions.AllowAny()]

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
        if not may_try(request, action="submit", user=owner):
            raise Throttled(wait=60)
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
        version = _versions(request).get(pk=submission.version.pk)
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


def _versions(request: Request) -> QuerySet[Version]:
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
        return _versions(self.request)


class NoticeList(generics.ListAPIView[Notice]):
    """What the arena has told you about your bots, newest first."""

    queryset = Notice.objects.none()
    serializer_class = serializers.NoticeSerializer
    permission_classes = [permissions.IsAuthenticated]

    def get_queryset(self) -> QuerySet[Notice]:
        own = Notice.objects.filter(bot__in=Bot.objects.owned_by(self.request.user))
        return own.select_related("bot", "version")


def _key(found: Ladder | Bot | None) -> int | None:
    return None if found is None else found.pk


class KeysFirst(Filtered):
    """A list whose page is found by its keys before all that belongs to it is read: if all were joined at once, the
    database would read long tables whole."""

    pagination_class = pagination.ByKey

    def listed(self, keys: Sequence[int]) -> Mapping[int, Any]:
        """By key, all that is told of these rows."""
        raise NotImplementedError

    def paginate_queryset(self, queryset: Any) -> Any:
        found: Any = queryset if isinstance(queryset, Keys) else keyed(queryset).values("key")
        page = [row["key"] for row in super().paginate_queryset(found) or []]
        told = self.listed(page) if page else {}
        return [told[key] for key in page]


class MatchList(KeysFirst, generics.ListCreateAPIView[Match]):
    """Matches, newest first."""

    queryset = Match.objects.none()
    serializer_class = serializers.MatchSummarySerializer

    def get_permissions(self) -> list[Any]:
        return [permissions.IsAuthenticated() if self.request.method == "POST" else permissions.AllowAny()]

    @extend_schema(
        parameters=[
            BOT,
            LADDER,
            text_parameter("against", "Only those in which the bot of this name plays too."),
            text_parameter("status", "", list(Match.Status.values)),
            text_parameter("outcome", "By bot faults, or by infrastructure faults of ours.", Outcome.values),
            OpenApiParameter("seats", ID, description="Only those with so many seats."),
            text_parameter("rated", "Only those that count for a ladder, or that do not.", ["yes", "no"]),
            OpenApiParameter("trial", ID, description="Only those of this trial."),
        ]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Keys:  # type: ignore[override]
        ladder, bot, against = self.ladder(), self.bot(), self.bot("against")
        return Keys(
            partial(
                keys.matches,
                self.request.user,
                _key(ladder),
                _key(bot),
                _key(against),
                self.number("seats"),
                self.number("trial"),
                status=self.choice("status", list(Match.Status.values)),
                outcome=self.choice("outcome", Outcome.values),
                is_rated={"yes": True, "no": False}.get(self.choice("rated", ["yes", "no"]) or ""),
            )
        )

    def listed(self, keys: Sequence[int]) -> Mapping[int, Any]:
        return rows.listed_matches(keys)

    @extend_schema(request=RequestSerializer, responses={201: serializers.MatchSummarySerializer})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Have your bot play an unrated match against another, now."""
        form = RequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        sides = {
            name: _playing_version(request, form.validated_data[field], field)
            for name, field in (("version", "bot"), ("opponent", "against"))
        }
        with refusing(version="bot", opponent="against"):
            made = services.trials.request_match(by=acting(request), **sides)
        shown = self.get_serializer(rows.matches(Match.objects.all()).get(pk=made.pk))
        return Response(shown.data, status=status.HTTP_201_CREATED)


def _playing_version(request: Request, name: str, field: str) -> Version:
    bot = visible_bot(request, name)
    if bot is None or bot.current_version is None:
        raise Refused("unknown_bot", _("There is no bot of this name that plays now."), field=field)
    return bot.current_version


class MatchDetail(generics.RetrieveAPIView[Match]):
    """One match with its games."""

    queryset = Match.objects.none()
    serializer_class = serializers.MatchSerializer

    def get_queryset(self) -> QuerySet[Match]:
        visible = Match.objects.visible_to(self.request.user)
        players = Participant.objects.select_related("version__bot")
        told = rows.matches(visible.select_related("result", "ladder_match__ladder"), players)
        return told.prefetch_related(Prefetch("games", rows.games(Game.objects.all())))


class GameList(KeysFirst, generics.ListAPIView[Game]):
    """Stored games, newest first."""

    queryset = Game.objects.none()
    serializer_class = serializers.GameSerializer

    @extend_schema(parameters=[BOT, OpenApiParameter("match", ID, description="Only those of this match.")])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Keys:  # type: ignore[override]
        bot = self.bot()
        return Keys(partial(keys.games, self.request.user, _key(bot), self.number("match")))

    def listed(self, keys: Sequence[int]) -> Mapping[int, Any]:
        return rows.listed_games(keys)


class GameDetail(generics.RetrieveAPIView[Game]):
    """One game: seats, placings, totals, faults."""

    queryset = Game.objects.none()
    serializer_class = serializers.GameSerializer

    def get_queryset(self) -> QuerySet[Game]:
        return rows.games(Game.objects.visible_to(self.request.user))


class Replay(Filtered):
    """A game's replay: everything needed to watch it and to play it again."""

    queryset = Game.objects.none()

    @extend_schema(
        parameters=[text_parameter("format", "Default `expanded`.", list(FORMATS))],
        responses={200: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, pk: int) -> HttpResponse:
        form = self.choice("format", list(FORMATS)) or "expanded"
        game = generics.get_object_or_404(Game.objects.visible_to(request.user), pk=pk)
        if game.is_forfeit:
            raise Refused(
                "forfeit", _("This game was forfeited without being played; it has no replay."), status=404
            )
        return replay_response(request._request, game, form)
