"""A ladder's published ratings, as JSON page by page and as one CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins
from rest_framework.request import Request

from arena.api import pagination, rows, serializers
from arena.api.filtering import ID, Filtered, text_parameter
from arena.api.keys import Stretches, stretch
from arena.models import Ladder, Rating
from arena.selectors.leaderboard import Wanted, every_ladder, ratings_wanted
from arena.selectors.trends import rises
from arena.statements import statement

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

COLUMNS = [
    "rank", "rank_low", "rank_high", "place", "place_low", "place_high", "bot", "version", "version_id", "owner",
    "is_house", "elo", "standard_error", "is_provisional", "n_games", "n_matches", "n_opponents", "win_share",
    "mean_points", "round_points", "n_faults", "submitted_at",
]  # fmt: skip


class RatingList(mixins.ListModelMixin, Filtered):
    """The published ratings of a ladder, best first: of the versions that play, or of all that ever did."""

    queryset = Rating.objects.none()
    serializer_class = serializers.RatingSerializer
    pagination_class = pagination.ByRank

    @extend_schema(
        parameters=[
            text_parameter("versions", "Default `current`.", ["current", "all"]),
            text_parameter("author", "Only the bots of this person."),
            text_parameter("q", "Only bots whose names begin so, in any case."),
            text_parameter("provisional", "Only ratings that are, or are not, provisional.", ["yes", "no"]),
            text_parameter("house", "Only house bots, or none.", ["only", "none"]),
            OpenApiParameter("games", ID, description="Only versions with so many games at least."),
            text_parameter("format", "`csv`: all rows at once, as a file.", ["json", "csv"]),
        ],
        responses={
            (200, "application/json"): serializers.RatingSerializer(many=True),
            (200, "text/csv"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if self.choice("format", ["json", "csv"]) != "csv":
            return self.list(request, *args, **kwargs)
        response = StreamingHttpResponse(
            csv_lines(ratings_wanted(self.ladder_of(), request.user, self.wanted())),
            content_type="text/csv; charset=utf-8",
        )
        response["Content-Disposition"] = f'attachment; filename="skyjo-ratings-{self.ladder_of().slug}.csv"'
        return response

    def ladder_of(self) -> Ladder:
        for ladder in every_ladder():
            if ladder.slug == self.kwargs["slug"]:
                return ladder
        raise Http404

    def get_queryset(self) -> Stretches:  # type: ignore[override]
        self.shown = self.ladder_of()
        return Stretches(partial(_page, self.shown.current_run_id, self.request.user, wanted=self.wanted()))

    def wanted(self) -> Wanted:
        text = self.request.query_params
        return Wanted(
            all_versions=self.choice("versions", ["current", "all"]) == "all",
            author=text.get("author", ""),
            name=text.get("q", ""),
            is_provisional={"yes": True, "no": False}.get(self.choice("provisional", ["yes", "no"]) or ""),
            is_house={"only": True, "none": False}.get(self.choice("house", ["only", "none"]) or ""),
            least_games=self.number("games"),
        )

    def paginate_queryset(self, queryset: Any) -> Any:
        found = super().paginate_queryset(queryset) or []
        page = [rows.RatingRow._make(row) for row in found]
        self.rises = rises(self.shown, page)
        return page

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "rises": getattr(self, "rises", {})}


@statement
def _page(
    run: int | None,
    user: User | AnonymousUser,
    bound: int | None,
    *,
    wanted: Wanted,
    order: tuple[str, ...],
    lookup: str,
    start: int,
    stop: int,
) -> QuerySet[Rating, tuple[Any, ...]]:
    found = rows.ratings(ratings_wanted(Ladder(current_run_id=run), user, wanted))
    return stretch(found, bound, order, lookup, start, stop)


class _Line:
    """What a csv.writer takes for a file: it hands the line on."""

    def write(self, text: str) -> str:
        return text


def csv_lines(ratings: QuerySet[Rating]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(COLUMNS)
    for rating in ratings.iterator(chunk_size=1000):
        version = rating.version
        figures = {
            "bot": version.bot.name,
            "version": version.number,
            "owner": version.bot.owner.username,
            "is_house": version.bot.is_house,
            "submitted_at": version.created_at.isoformat(),
        }
        yield writer.writerow(
            [figures[name] if name in figures else getattr(rating, name) for name in COLUMNS]
        )
