"""Tournaments: reading, announcing one, and entering."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, permissions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from arena.api import tournament_serializers as forms
from arena.api.errors import Refused, refusing
from arena.api.filtering import Filtered, text_parameter, visible_bot
from arena.api.keys import Stretches, stretch
from arena.api.members import MembersPost, acting
from arena.api.tries import limit
from arena.formats import FORMATS
from arena.models import ApiToken, Tournament, TournamentEntry, TournamentMatch
from arena.selectors.tournaments import N_ENTRIES
from arena.services import tournaments
from arena.statements import statement
from arena.tournaments.exports import export_csv, export_json
from arena.tournaments.reading import counting, matches_for, names_for, records_for, state_for


def described() -> QuerySet[Tournament]:
    return Tournament.objects.for_lists().annotate(n_entries=N_ENTRIES).order_by("-pk")


@statement
def _page(
    bound: int | None,
    *,
    state: str | None,
    format: str | None,
    order: tuple[str, ...],
    lookup: str,
    start: int,
    stop: int,
) -> QuerySet[Tournament]:
    found = described()
    if state is not None:
        found = found.filter(state=state)
    if format is not None:
        found = found.filter(format=format)
    return stretch(found, bound, order, lookup, start, stop)


def texts(notes: list[dict[str, Any]]) -> list[str]:
    return [note["text"] for note in notes]


class TournamentFormats(APIView):
    """The formats of tournaments, each with its settings and what they do."""

    @extend_schema(operation_id="tournament_formats_list", responses=forms.FormatSerializer(many=True))
    def get(self, request: Request) -> Response:
        return Response(forms.FormatSerializer(FORMATS.values(), many=True).data)


class TournamentEstimate(APIView):
    """What an event would come to."""

    # Nothing is made.
    token_scope = ApiToken.Scope.READ
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(request=forms.EstimateRequestSerializer, responses=forms.EstimateSerializer)
    def post(self, request: Request) -> Response:
        """Matches, games and minutes, and the chance that the best entry wins. Nothing is made."""
        form = forms.EstimateRequestSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        limit(request, action="estimate", sentence=_("Too many estimates were asked for from your address."))
        with refusing():
            found = tournaments.preview(**form.validated_data)
        return Response(forms.EstimateSerializer(found).data)


class TournamentList(MembersPost, Filtered, generics.ListCreateAPIView[Tournament]):
    """Tournaments, newest first."""

    queryset = Tournament.objects.none()
    serializer_class = forms.TournamentSerializer

    @extend_schema(
        parameters=[
            text_parameter("state", "", list(Tournament.State.values)),
            text_parameter("format", "", list(FORMATS)),
        ]
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Stretches:  # type: ignore[override]
        state, format = (
            self.choice("state", list(Tournament.State.values)),
            self.choice("format", list(FORMATS)),
        )
        return Stretches(partial(_page, state=state, format=format))

    @extend_schema(request=forms.NewTournamentSerializer, responses={201: forms.TournamentSerializer})
    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Announce a tournament of yours. Its terms are fixed from then on."""
        form = forms.NewTournamentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with refusing():
            made = tournaments.create_tournament(organiser=acting(request), **form.validated_data)
        shown = self.get_serializer(described().get(pk=made.pk))
        return Response(shown.data, status=status.HTTP_201_CREATED)


class TournamentDetail(generics.RetrieveAPIView[Tournament]):
    """One tournament: its terms and where it stands."""

    queryset = Tournament.objects.none()
    serializer_class = forms.TournamentSerializer

    def get_queryset(self) -> QuerySet[Tournament]:
        return described()


class OfTournament(generics.GenericAPIView[Any]):
    """Something of the tournament in the address."""

    queryset = Tournament.objects.none()
    pagination_class = None

    def tournament(self) -> Tournament:
        return generics.get_object_or_404(described(), pk=self.kwargs["pk"])

    def state(self) -> dict[str, Any]:
        state = state_for(self.tournament(), self.request.user)
        if state is None:
            raise Refused("no_results", _("There are no results to show yet."), status=404)
        return state


class Entries(MembersPost, OfTournament):
    """Who is entered, by seed once there are seeds."""

    @extend_schema(
        operation_id="tournaments_entries_list", responses=forms.TournamentEntrySerializer(many=True)
    )
    def get(self, request: Request, pk: int) -> Response:
        """All entries; there are 128 at most."""
        entries = TournamentEntry.objects.filter(tournament=self.tournament()).visible_to(request.user)
        return Response(forms.TournamentEntrySerializer(entries.with_names(), many=True).data)

    @extend_schema(request=forms.EnteringSerializer, responses={201: forms.TournamentEntrySerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Enter a bot of yours. The version that is in play at the start will play."""
        form = forms.EnteringSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        bot = visible_bot(request, form.validated_data["bot"])
        if bot is None:
            raise Refused("unknown_bot", _("There is no bot of this name."), field="bot")
        with refusing():
            entry = tournaments.enter(tournament=self.tournament(), bot=bot, by=acting(request))
        return Response(forms.TournamentEntrySerializer(entry).data, status=status.HTTP_201_CREATED)


class EntryDetail(OfTournament):
    """One entry: its version, its place, and its pairings."""

    @extend_schema(operation_id="tournaments_entries_retrieve", responses=forms.EntryDetailSerializer)
    def get(self, request: Request, pk: int, entry: int) -> Response:
        """`standing` is null and `pairings` are empty where there are no results to show."""
        tournament = self.tournament()
        entries = TournamentEntry.objects.filter(tournament=tournament).visible_to(request.user)
        found = generics.get_object_or_404(entries.with_names(), pk=entry)
        state = state_for(tournament, request.user)
        standing, pairings, links = None, [], []
        if state is not None:
            rows = standing_rows(state, names_for(tournament, request.user))
            standing = next((row for row in rows if row["entry"] == found.pk), None)
            pairings = pairings_of(state, found.pk)
            links = [link for link in links_of(tournament, request.user) if found.pk in link.entry_ids]
        context = {
            "standing": standing,
            "pairings": pairings,
            "matches": matches_as_json(state, links),
        }
        return Response(forms.EntryDetailSerializer(found, context=context).data)


def pairings_of(state: dict[str, Any], entry: int) -> list[dict[str, Any]]:
    """Every pairing that this entry has come to, and its byes as pairings of one, with the key of their round."""
    found = []
    for part in state["parts"]:
        for round in part["rounds"]:
            for pairing in round["pairings"]:
                if any(slot["entry"] == entry for slot in pairing["slots"]):
                    found.append(
                        {"round": round["key"], "title": round["title"], "bye": False, "pairing": pairing}
                    )
            if entry in round["byes"]:
                found.append({"round": round["key"], "title": round["title"], "bye": True, "pairing": None})
    return found


def standing_rows(state: dict[str, Any], names: dict[int, str]) -> list[dict[str, Any]]:
    criteria = [criterion["name"] for criterion in state["criteria"]]
    return [
        {
            **row,
            "bot": names[row["entry"]],
            "values": dict(zip(criteria, row["values"], strict=True)),
            "notes": texts(row["notes"]),
        }
        for row in state["standings"]
    ]


def links_of(tournament: Tournament, user: User | AnonymousUser) -> list[TournamentMatch]:
    links = [link for found in matches_for(tournament, user).values() for link in found]
    return sorted(links, key=lambda link: link.match_id)


def matches_as_json(state: dict[str, Any] | None, links: Sequence[TournamentMatch]) -> list[dict[str, Any]]:
    count = counting(state, links)
    return [
        {
            "key": link.key,
            "match": link.match_id,
            "entries": link.entry_ids,
            "status": link.match.status,
            "counts": link.match_id in count,
        }
        for link in links
    ]


class Standings(OfTournament):
    """The standings, with the value of every tie-break."""

    @extend_schema(responses=forms.StandingsSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """404 before the start, and under an embargo for all but the organiser and operators."""
        state = self.state()
        rows = standing_rows(state, names_for(self.tournament(), request.user))
        found = {**state, "standings": rows, "notes": texts(state["notes"])}
        return Response(forms.StandingsSerializer(found).data)


class Bracket(OfTournament):
    """Rounds and pairings, and the matches played for them."""

    @extend_schema(responses=forms.BracketSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """404 before the start, and under an embargo for all but the organiser and operators."""
        state, tournament = self.state(), self.tournament()
        matches = matches_as_json(state, links_of(tournament, request.user))
        names = {str(pk): name for pk, name in names_for(tournament, request.user).items()}
        return Response(forms.BracketSerializer({**state, "names": names, "matches": matches}).data)


class Records(OfTournament):
    """Who did what to the tournament, and when."""

    @extend_schema(
        operation_id="tournaments_records_list", responses=forms.TournamentRecordSerializer(many=True)
    )
    def get(self, request: Request, pk: int) -> Response:
        found = records_for(self.tournament(), request.user)
        return Response(forms.TournamentRecordSerializer(found, many=True).data)


class Export(Filtered, OfTournament):
    """The tournament as a file."""

    @extend_schema(
        parameters=[
            text_parameter("format", "Default `json`: everything. `csv`: the standings.", ["json", "csv"])
        ],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, "text/csv"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, pk: int) -> HttpResponse:
        tournament = self.tournament()
        form = self.choice("format", ["json", "csv"]) or "json"
        response: HttpResponse = (
            HttpResponse(export_csv(tournament, request.user), content_type="text/csv; charset=utf-8")
            if form == "csv"
            else Response(export_json(tournament, request.user))
        )
        response["Content-Disposition"] = f'attachment; filename="skyjo-tournament-{tournament.pk}.{form}"'
        return response
