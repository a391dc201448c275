"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from arena.pages import (
    account,
    bots,
    documents,
    games,
    health,
    home,
    ladders,
    matches,
    status,
    submit,
    versions,
)

urlpatterns = [
    path("", home.home, name="home"),
    path("ladders/", ladders.first_ladder, name="ladders"),
    path("ladders/<slug:slug>/", ladders.ladder_page, name="leaderboard"),
    path("bots/<slug:name>/", bots.bot_page, name="bot"),
    path("bots/<slug:name>/withdraw/", bots.withdraw, name="bot_withdraw"),
    path("bots/<slug:name>/reactivate/", bots.reactivate, name="bot_reactivate"),
    path("bots/<slug:name>/publish/", bots.publish, name="bot_publish"),
    path("bots/<slug:name>/unpublish/", bots.unpublish, name="bot_unpublish"),
    path("bots/<slug:name>/ladders/<slug:slug>/enter/", bots.enter, name="bot_enter"),
    path("bots/<slug:name>/ladders/<slug:slug>/leave/", bots.leave, name="bot_leave"),
    path("bots/<slug:name>/versions/<int:number>/", versions.version_page, name="version"),
    path("bots/<slug:name>/versions/<int:number>/activate/", bots.activate, name="version_activate"),
    path("bots/<slug:name>/versions/<int:number>/stages/", versions.stages, name="version_stages"),
    path("bots/<slug:name>/versions/<int:number>/source/", versions.source, name="version_source"),
    path("bots/<slug:name>/versions/<int:number>/download/", versions.download, name="version_download"),
    path("submit/", submit.submit, name="submit"),
    path("matches/", matches.match_list, name="matches"),
    path("matches/<int:pk>/", matches.match_page, name="match"),
    path("matches/<int:pk>/live/", matches.live, name="match_live"),
    path("games/<int:pk>/", games.game_page, name="game"),
    path("games/<int:pk>/replay/", games.replay, name="game_replay"),
    path("rules/", documents.rules, name="rules"),
    path("protocol/", documents.protocol, name="protocol"),
    path("docs/<slug:name>/", documents.document, name="document"),
    path("status/", status.status_page, name="status"),
    path("status/live/", status.live, name="status_live"),
    path("account/", account.account_page, name="account"),
    path("account/tokens/", account.create_token, name="token_create"),
    path("account/tokens/<slug:digest>/revoke/", account.revoke_token, name="token_revoke"),
    path("account/export/", account.export, name="account_export"),
    path("account/delete/", account.delete, name="account_delete"),
    path("accounts/", include("allauth.account.urls")),
    path("api/v1/", include("arena.api.urls")),
    path("admin/", admin.site.urls),
    path("healthz", health.healthz, name="healthz"),
]

handler400 = "arena.pages.errors.bad_request"
handler403 = "arena.pages.errors.forbidden"
handler404 = "arena.pages.errors.not_found"
handler500 = "arena.pages.errors.server_error"
