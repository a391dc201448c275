"""The addresses under /api/v1/."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from arena.api import views
from arena.api.errors import not_found

urlpatterns = [
    path("ladders/", views.LadderList.as_view(), name="api-ladders"),
    path("ladders/<slug:slug>/", views.LadderDetail.as_view(), name="api-ladder"),
    path("ladders/<slug:slug>/ratings/", views.RatingList.as_view(), name="api-ratings"),
    path("bots/", views.BotList.as_view(), name="api-bots"),
    path("bots/<slug:name>/", views.BotDetail.as_view(), name="api-bot"),
    path("versions/", views.VersionList.as_view(), name="api-versions"),
    path("versions/<int:pk>/", views.VersionDetail.as_view(), name="api-version"),
    path("matches/", views.MatchList.as_view(), name="api-matches"),
    path("matches/<int:pk>/", views.MatchDetail.as_view(), name="api-match"),
    path("games/", views.GameList.as_view(), name="api-games"),
    path("games/<int:pk>/", views.GameDetail.as_view(), name="api-game"),
    path("games/<int:pk>/replay/", views.Replay.as_view(), name="api-replay"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api-schema"), name="api-docs"),
    re_path(r"^(?P<path>.*)$", not_found),
]
