"""Operators' pages: what may be done to bots, versions, matches and people are actions that call the services.

Log-in is the site's own, with its rate limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from arena import services
from arena.accounts.forms import NewPersonForm, PersonForm
from arena.models import (
    Host,
    Ladder,
    LadderEntry,
    LadderMatch,
    Notice,
    Pulse,
    RatingRun,
    RequestedMatch,
    Tournament,
    TournamentEntry,
    TournamentMatch,
    TournamentRecord,
    Trial,
    TrialMatch,
)
from arena.selectors.outstanding import outstanding_pairs
from bots.admin import BotAdmin, ReadOnlyAdmin, VersionAdmin
from bots.models import Bot, Version
from matches.admin import MatchAdmin
from matches.models import Match

admin.site.site_header = _("Skyjo Arena: operators")
admin.site.site_title = _("Skyjo Arena")
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


def each(request: HttpRequest, rows: QuerySet[Any], action: Callable[[Any], object]) -> None:
    """Do it to every row and say to how many it was done; False says that there was nothing to do."""
    n_done = sum(action(row) is not False for row in rows)
    level = messages.SUCCESS if n_done else messages.WARNING
    messages.add_message(request, level, ngettext("Done to %(n)d.", "Done to %(n)d.", n_done) % {"n": n_done})


@admin.action(description=_("Queue parked matches again"), permissions=["change"])
def requeue(_admin: MatchAdmin, request: HttpRequest, matches: QuerySet[Match]) -> None:
    each(request, matches, lambda match: services.requeue_match(match=match))


@admin.action(description=_("Void, and rate without them"), permissions=["change"])
def void(_admin: MatchAdmin, request: HttpRequest, matches: QuerySet[Match]) -> None:
    each(request, matches, lambda match: services.void_match(match=match))


@admin.action(description=_("Play void matches once more, with a new seed"), permissions=["change"])
def rerun(_admin: MatchAdmin, request: HttpRequest, matches: QuerySet[Match]) -> None:
    own = matches.filter(status=Match.Status.VOID, tournament_match=None, trial_match=None)
    each(request, own, lambda match: services.rerun_match(match=match))


@admin.action(description=_("Hide from everybody but owner and operators"), permissions=["change"])
def hide(_admin: BotAdmin, request: HttpRequest, bots: QuerySet[Bot]) -> None:
    each(request, bots.filter(is_hidden=False), lambda bot: services.hide_bot(bot=bot, is_hidden=True))


@admin.action(description=_("Show again"), permissions=["change"])
def show(_admin: BotAdmin, request: HttpRequest, bots: QuerySet[Bot]) -> None:
    each(request, bots.filter(is_hidden=True), lambda bot: services.hide_bot(bot=bot, is_hidden=False))


@admin.action(description=_("Withdraw"), permissions=["change"])
def withdraw(_admin: BotAdmin, request: HttpRequest, bots: QuerySet[Bot]) -> None:
    each(request, bots.filter(withdrawn_at=None), lambda bot: services.withdraw_bot(bot=bot))


@admin.action(description=_("Check parked versions again"), permissions=["change"])
def check_again(_admin: VersionAdmin, request: HttpRequest, versions: QuerySet[Version]) -> None:
    each(request, versions, lambda version: services.requeue_check(version=version))


@admin.action(description=_("End the suspension"), permissions=["change"])
def end_suspension(_admin: VersionAdmin, request: HttpRequest, versions: QuerySet[Version]) -> None:
    suspended = versions.exclude(suspended_at=None)
    each(request, suspended, lambda version: services.end_suspension(version=version))


@admin.action(description=_("Ban: no log-in, no tokens, no bot in play"), permissions=["change"])
def ban(_admin: UserAdmin, request: HttpRequest, users: QuerySet[User]) -> None:
    if request.user in users:
        messages.error(request, gettext("You would ban yourself."))
        return
    if not request.user.is_superuser and users.filter(Q(is_staff=True) | Q(is_superuser=True)).exists():
        messages.error(request, gettext("Only a superuser may ban somebody of the staff."))
        return
    if users.filter(bots__is_house=True).exists():
        messages.error(
            request,
            gettext("The house is not banned: its bots measure all others. Withdraw them one by one."),
        )
        return
    each(request, users.filter(is_active=True), lambda user: services.ban_user(user=user))


@admin.action(description=_("Quarantine: no matches for this host"), permissions=["change"])
def quarantine(_admin: HostAdmin, request: HttpRequest, hosts: QuerySet[Host]) -> None:
    each(request, hosts, lambda host: services.quarantine_host(name=host.name))


@admin.action(description=_("Let it play again; what was reported is settled"), permissions=["change"])
def release(_admin: HostAdmin, request: HttpRequest, hosts: QuerySet[Host]) -> None:
    each(request, hosts, lambda host: services.release_host(name=host.name))


@admin.register(Match)
class ActingMatchAdmin(MatchAdmin):
    actions = [requeue, void, rerun]


@admin.register(Bot)
class ActingBotAdmin(BotAdmin):
    actions = [hide, show, withdraw]


@admin.register(Version)
class ActingVersionAdmin(VersionAdmin):
    actions = [end_suspension, check_again]


admin.site.unregister(User)
admin.site.unregister(Group)
# An address is where a new password is sent to: it is its owner's to change, on the account's own page.
admin.site.unregister(EmailAddress)


@admin.register(User)
class PeopleAdmin(UserAdmin):
    """Who may change people may not raise anybody's rights, or take over the account of somebody who has more."""

    form = PersonForm
    add_form = NewPersonForm
    actions = [ban]
    rights = ("is_staff", "is_superuser", "groups", "user_permissions")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        own = super().get_readonly_fields(request, obj)
        return own if request.user.is_superuser else (*own, *self.rights)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_above = obj is not None and (obj.is_staff or obj.is_superuser) and not request.user.is_superuser
        # Without its owner the house's bots count no longer, and all ratings hang on one of them.
        is_house = obj is not None and obj.bots.filter(is_house=True).exists()
        return not (is_above or is_house) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Results name their owners: an account is banned, or deleted by its owner, which keeps the results."""
        return False


@admin.register(Group)
class RightsAdmin(GroupAdmin):
    """Only superusers say what a group may do: whoever else could, could give themselves everything."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)


@admin.register(Ladder)
class LadderAdmin(admin.ModelAdmin):
    """The terms of a ladder never change; what it is called and whether it is open may."""

    list_display = ["name", "slug", "seats", "deals", "preset", "is_open", "pairs"]
    readonly_fields = [
        "slug", "preset", "seats", "deals", "start_ms", "decision_ms", "bank_ms", "memory_mib", "current_run",
    ]  # fmt: skip

    @admin.display(description=_("outstanding pairs"))
    def pairs(self, ladder: Ladder) -> str:
        return format_html(
            '<a href="{}">{}</a>', reverse("admin:arena_ladder_pairs", args=[ladder.pk]), gettext("look")
        )

    def get_urls(self) -> list[Any]:
        look = self.admin_site.admin_view(self.pairs_view)
        return [path("<int:pk>/pairs/", look, name="arena_ladder_pairs"), *super().get_urls()]

    def pairs_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Pairs of bots and of owners whose results against each other stand out."""
        if not request.user.has_perm("bots.change_bot"):
            raise PermissionDenied
        ladder = get_object_or_404(Ladder, pk=pk)
        bots, owners = outstanding_pairs(ladder)
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Outstanding pairs on %(ladder)s") % {"ladder": ladder.title},
            "ladder": ladder,
            "tables": [(gettext("Bots"), bots), (gettext("Owners"), owners)],
        }
        return render(request, "admin/arena/ladder/pairs.html", context)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(LadderEntry)
class LadderEntryAdmin(ReadOnlyAdmin):
    list_display = ["bot", "ladder", "is_active", "created_at"]
    list_filter = ["ladder", "is_active"]
    list_select_related = ["bot", "ladder"]
    search_fields = ["bot__name"]


@admin.register(LadderMatch)
class LadderMatchAdmin(ReadOnlyAdmin):
    list_display = ["id", "ladder", "match"]
    list_filter = ["ladder"]
    list_select_related = ["ladder", "match"]
    show_full_result_count = False


@admin.register(RatingRun)
class RatingRunAdmin(ReadOnlyAdmin):
    is_public = True
    list_display = ["id", "ladder", "algorithm", "n_matches", "n_left_out", "duration_ms", "created_at"]
    list_filter = ["ladder"]
    list_select_related = ["ladder"]


@admin.register(Tournament)
class TournamentAdmin(admin.ModelAdmin):
    """Words may be changed here; all else is decided on the event's page, where it is recorded."""

    fields = ["name", "description"]
    list_display = ["name", "organiser", "state", "format", "created_at", "started_at", "finished_at"]
    list_filter = ["state", "format"]
    list_select_related = ["organiser"]
    search_fields = ["name", "organiser__username"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(TournamentEntry)
class TournamentEntryAdmin(ReadOnlyAdmin):
    list_display = ["tournament", "bot", "version", "seed", "departure"]
    list_select_related = ["tournament", "bot", "version__bot"]
    search_fields = ["tournament__name", "bot__name"]


@admin.register(TournamentMatch)
class TournamentMatchAdmin(ReadOnlyAdmin):
    list_display = ["match", "tournament", "key", "entries", "is_current"]
    list_filter = ["is_current"]
    list_select_related = ["tournament", "match"]
    show_full_result_count = False


@admin.register(TournamentRecord)
class TournamentRecordAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "tournament", "action", "by", "detail"]
    list_filter = ["action"]
    list_select_related = ["tournament", "by"]


@admin.action(description=_("Stop running trials"), permissions=["change"])
def stop(_admin: ReadOnlyAdmin, request: HttpRequest, trials: QuerySet[Trial]) -> None:
    operator = get_object_or_404(User, pk=request.user.pk)
    running = Trial.objects.running().filter(pk__in=trials)
    each(request, running, lambda trial: services.trials.stop_trial(trial=trial, by=operator))


@admin.register(Trial)
class TrialAdmin(ReadOnlyAdmin):
    list_display = ["id", "version", "opponent", "owner", "state", "n_pairs", "created_at", "finished_at"]
    list_filter = ["state"]
    list_select_related = ["version__bot", "opponent__bot", "owner"]
    search_fields = ["owner__username", "version__bot__name"]
    actions = [stop]


@admin.register(TrialMatch)
class TrialMatchAdmin(ReadOnlyAdmin):
    list_display = ["match", "trial"]
    list_select_related = ["trial", "match"]
    show_full_result_count = False


@admin.register(RequestedMatch)
class RequestedMatchAdmin(ReadOnlyAdmin):
    list_display = ["match", "by", "created_at"]
    list_select_related = ["match", "by"]
    show_full_result_count = False


@admin.register(Host)
class HostAdmin(ReadOnlyAdmin):
    is_public = True
    list_display = ["name", "quarantined_at", "reported_at", "report", "cleared_at"]
    list_filter = [
        ("quarantined_at", admin.EmptyFieldListFilter),
        ("reported_at", admin.EmptyFieldListFilter),
    ]
    fields = ["name", "quarantined_at", "reported_at", "report", "cleared_at"]
    actions = [quarantine, release]


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "kind", "bot", "version", "text"]
    list_filter = ["kind"]
    list_select_related = ["bot", "version__bot"]
    search_fields = ["bot__name"]


@admin.register(Pulse)
class PulseAdmin(ReadOnlyAdmin):
    is_public = True
    list_display = ["name", "kind", "is_well", "seen_at"]
