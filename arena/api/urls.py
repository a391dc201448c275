"""The addresses under /api/v1/."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from arena.api import faults, presets, ratings, statistics, tournaments, trials, views
from arena.api.errors import not_found

urlpatterns = [
    path("ladders/", views.LadderList.as_view(), name="api-ladders"),
    path("ladders/<slug:slug>/", views.LadderDetail.as_view(), name="api-ladder"),
    path("ladders/<slug:slug>/ratings/", ratings.RatingList.as_view(), name="api-ratings"),
    path("presets/", presets.PresetList.as_view(), name="api-presets"),
    path("bots/", views.BotList.as_view(), name="api-bots"),
    path("bots/<slug:name>/", views.BotDetail.as_view(), name="api-bot"),
    path("bots/<slug:name>/statistics/", statistics.BotStatistics.as_view(), name="api-bot-statistics"),
    path("bots/<slug:name>/faults/", faults.FaultList.as_view(), name="api-bot-faults"),
    path("versions/", views.VersionList.as_view(), name="api-versions"),
    path("versions/<int:pk>/", views.VersionDetail.as_view(), name="api-version"),
    path("notices/", views.NoticeList.as_view(), name="api-notices"),
    path("matches/", views.MatchList.as_view(), name="api-matches"),
    path("matches/<int:pk>/", views.MatchDetail.as_view(), name="api-match"),
    path("games/", views.GameList.as_view(), name="api-games"),
    path("games/<int:pk>/", views.GameDetail.as_view(), name="api-game"),
    path("games/<int:pk>/replay/", views.Replay.as_view(), name="api-replay"),
    path("tournament-formats/", tournaments.TournamentFormats.as_view(), name="api-tournament-formats"),
    path("tournament-estimate/", tournaments.TournamentEstimate.as_view(), name="api-tournament-estimate"),
    path("tournaments/", tournaments.TournamentList.as_view(), name="api-tournaments"),
    path("tournaments/<int:pk>/", tournaments.TournamentDetail.as_view(), name="api-tournament"),
    path("tournaments/<int:pk>/edit/", tournaments.Edit.as_view()),
    path("tournaments/<int:pk>/entries/", tournaments.Entries.as_view(), name="api-tournament-entries"),
    path("tournaments/<int:pk>/entries/<int:entry>/", tournaments.EntryDetail.as_view()),
    path("tournaments/<int:pk>/entries/<int:entry>/withdraw/", tournaments.Withdraw.as_view()),
    path("tournaments/<int:pk>/entries/<int:entry>/disqualify/", tournaments.Disqualify.as_view()),
    path("tournaments/<int:pk>/standings/", tournaments.Standings.as_view(), name="api-tournament-standings"),
    path("tournaments/<int:pk>/bracket/", tournaments.Bracket.as_view(), name="api-tournament-bracket"),
    path("tournaments/<int:pk>/records/", tournaments.Records.as_view(), name="api-tournament-records"),
    path("tournaments/<int:pk>/export/", tournaments.Export.as_view(), name="api-tournament-export"),
    path("tournaments/<int:pk>/start/", tournaments.Start.as_view()),
    path("tournaments/<int:pk>/pause/", tournaments.Pause.as_view()),
    path("tournaments/<int:pk>/resume/", tournaments.Resume.as_view()),
    path("tournaments/<int:pk>/cancel/", tournaments.Cancel.as_view()),
    path("tournaments/<int:pk>/order/", tournaments.Order.as_view()),
    path("tournaments/<int:pk>/rewind/", tournaments.Rewind.as_view()),
    path("tournaments/<int:pk>/rerun/", tournaments.Rerun.as_view()),
    path("tournaments/<int:pk>/forfeit/", tournaments.Forfeit.as_view()),
    path("tournaments/<int:pk>/embargo/", tournaments.Embargo.as_view()),
    path("trials/", trials.TrialList.as_view(), name="api-trials"),
    path("trials/<int:pk>/", trials.TrialDetail.as_view(), name="api-trial"),
    path("trials/<int:pk>/stop/", trials.StopTrial.as_view()),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api-schema"), name="api-docs"),
    re_path(r"^(?P<path>(?s:.*))\Z", not_found),
]
