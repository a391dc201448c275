"""Trials and matches on request: what the pages offer, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, permissions, status
from rest_framework.request import Request
from rest_framework.response import Response

from arena import services
from arena.api import trial_serializers as forms
from arena.api.errors import Refused, refusing
from arena.api.filtering import BOT, Filtered, text_parameter
from arena.api.keys import Stretches, stretch
from arena.api.members import MembersPost, acting
from arena.models import Trial
from arena.selectors.trials import described_trials, trials_with
from arena.statements import statement
from bots.models import Version

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


def visible_version(request: Request, pk: int, field: str) -> Version:
    visible = Version.objects.visible_to(request.user).select_related("bot")
    found = visible.filter(pk=pk).first()
    if found is None:
        raise Refused("unknown_version", _("There is no such version."), field=field)
    return found


@statement
def _page(
    user: User | AnonymousUser,
    bound: int | None,
    *versions: int,
    is_of_bot: bool,
    state: str | None,
    order: tuple[str, ...],
    lookup: str,
    start: int,
    stop: int,
) -> QuerySet[Trial]:
    found = trials_with(versions, user) if is_of_bot else described_trials(user)
    if state is not None:
        found = found.filter(state=state)
    return stretch(found, bound, order, lookup, start, stop)


class TrialList(MembersPost, Filtered, generics.ListCreateAPIView[Trial]):
    """Trials, newest first."""

    queryset = Trial.objects.none()
    serializer_class = forms.TrialSerializer

    @extend_schema(parameters=[BOT, text_parameter("state", "", list(Trial.State.values))])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Stretches:  # type: ignore[override]
        bot, state = self.bot(), self.choice("state", list(Trial.State.values))
        versions = [] if bot is None else bot.version_ids
        return Stretches(
            lambda bound, **how: _page(
                self.request.user, bound, *versions, is_of_bot=bot is not None, state=state, **how
            )
        )

    @extend_schema(request=forms.NewTrialSerializer, responses={201: forms.TrialSerializer})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Start a trial: is this version of yours better than that one?"""
        form = forms.NewTrialSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        sent = dict(form.validated_data)
        version = visible_version(request, sent.pop("version"), "version")
        opponent = visible_version(request, sent.pop("opponent"), "opponent")
        with refusing():
            made = services.trials.start_trial(
                owner=acting(request), version=version, opponent=opponent, **sent
            )
        shown = self.get_serializer(described_trials(request.user).get(pk=made.pk))
        return Response(shown.data, status=status.HTTP_201_CREATED)


class TrialDetail(generics.RetrieveAPIView[Trial]):
    """One trial: what it asks, and how far it has come."""

    queryset = Trial.objects.none()
    serializer_class = forms.TrialSerializer

    def get_queryset(self) -> QuerySet[Trial]:
        return described_trials(self.request.user)


class StopTrial(generics.GenericAPIView[Trial]):
    queryset = Trial.objects.none()
    permission_classes = [permissions.IsAuthenticated]

    def get_queryset(self) -> QuerySet[Trial]:
        return described_trials(self.request.user)

    @extend_schema(request=None, responses=forms.TrialSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """End a trial of yours without a verdict."""
        with refusing():
            services.trials.stop_trial(trial=self.get_object(), by=acting(request))
        return Response(forms.TrialSerializer(self.get_object(), context=self.get_serializer_context()).data)
