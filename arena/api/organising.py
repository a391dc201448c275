"""What organisers do to their tournament, and owners to their entry: every step that the pages offer too."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, permissions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from arena.api import tournament_serializers as forms
from arena.api.errors import refusing
from arena.api.members import acting
from arena.api.tournaments import OfTournament
from arena.models import Tournament, TournamentEntry, TournamentMatch
from arena.services import tournaments
from arena.services.tournaments import TournamentError


class Step(OfTournament):
    """Something done to the tournament, which is the answer."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class: type[BaseSerializer[Any]] | None = None
    is_partial = False
    """What is left out of the request stays as it is."""

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        raise NotImplementedError

    def do(self, request: Request) -> Response:
        tournament = self.tournament()
        sent = {}
        if self.serializer_class is not None:
            form = self.serializer_class(data=request.data, partial=self.is_partial)
            form.is_valid(raise_exception=True)
            sent = form.validated_data
        with refusing():
            self.act(tournament, acting(request), sent)
        shown = forms.TournamentSerializer(self.tournament(), context=self.get_serializer_context())
        return Response(shown.data)

    def require_organiser(self, tournament: Tournament, by: User) -> None:
        if not tournament.is_run_by(by):
            raise TournamentError("forbidden", _("Only the organiser and operators may do this."))

    def entry(self, tournament: Tournament) -> TournamentEntry:
        entries = TournamentEntry.objects.filter(tournament=tournament).visible_to(self.request.user)
        return generics.get_object_or_404(
            entries.select_related("bot", "tournament"), pk=self.kwargs["entry"]
        )


class Edit(Step):
    serializer_class = forms.NewTournamentSerializer
    is_partial = True

    @extend_schema(request=forms.NewTournamentSerializer(partial=True), responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Change terms before the start. What is left out stays, within `settings` too while the format is the same."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.edit_tournament(tournament=tournament, by=by, **sent)


class Withdraw(Step):
    @extend_schema(request=None, responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int, entry: int) -> Response:
        """Withdraw a bot: yours, or any as the organiser. What it was drawn for it forfeits."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.leave(entry=self.entry(tournament), by=by)


class Disqualify(Step):
    serializer_class = forms.ReasonSerializer

    @extend_schema(responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int, entry: int) -> Response:
        """Disqualify a bot, as the organiser."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.disqualify(entry=self.entry(tournament), by=by, reason=sent["reason"])


class Order(Step):
    serializer_class = forms.OrderSerializer

    @extend_schema(responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Seed all entries by hand, before the start."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.order_by_hand(tournament=tournament, order=sent["order"], by=by)


class Start(Step):
    @extend_schema(request=None, responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Close registration and begin."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.start_tournament(tournament=tournament, by=by)


class Pause(Step):
    @extend_schema(request=None, responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Let no further match begin."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.pause(tournament=tournament, by=by)


class Resume(Step):
    @extend_schema(request=None, responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Go on after a pause."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.resume(tournament=tournament, by=by)


class Cancel(Step):
    serializer_class = forms.ReasonSerializer

    @extend_schema(responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """End the tournament without a result."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.cancel(tournament=tournament, by=by, reason=sent["reason"])


class Rewind(Step):
    serializer_class = forms.RewindSerializer

    @extend_schema(responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Take back a round with all that hangs on it. The tournament is paused then."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        self.require_organiser(tournament, by)
        if not sent["confirm"]:
            links = tournaments.rewind_preview(tournament=tournament, round=sent["round"])
            named = ", ".join(str(link.match_id) for link in links)
            raise TournamentError(
                "confirm",
                _("These matches would be taken back: %(matches)s.") % {"matches": named},
                "confirm",
            )
        tournaments.rewind(tournament=tournament, round=sent["round"], by=by)


class Rerun(Step):
    serializer_class = forms.RerunSerializer

    @extend_schema(responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Make a match void and have it played again, with a new seed."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        # Before anything is said about the match, which may be under an embargo.
        self.require_organiser(tournament, by)
        link = TournamentMatch.objects.filter(tournament=tournament, match=sent["match"]).first()
        if link is None:
            raise TournamentError("unknown_match", _("The tournament has no such match."), "match")
        tournaments.rerun(link=link, by=by, reason=sent["reason"])


class Forfeit(Step):
    serializer_class = forms.ForfeitSerializer

    @extend_schema(responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Decide that entries forfeit a match."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.forfeit(tournament=tournament, key=sent["key"], forfeits=sent["forfeits"], by=by)


class Embargo(Step):
    serializer_class = forms.EmbargoSerializer

    @extend_schema(responses=forms.TournamentSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Hold results back until another time, or publish them now."""
        return self.do(request)

    def act(self, tournament: Tournament, by: User, sent: dict[str, Any]) -> None:
        tournaments.change_embargo(tournament=tournament, until=sent["until"], by=by)
