"""A person's own page: bots, quotas, API tokens, the export of everything, and the way out."""

from __future__ import annotations

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from arena import accounts, services
from arena.pages.doors import MemberRequest, methods
from arena.pages.errors import NotThere
from arena.pages.forms import DeleteForm, TokenForm
from arena.selectors import account as selectors
from arena.selectors.match_lists import requested_matches
from arena.selectors.trials import latest_by
from arena.tries import may_try


@methods("GET")
@login_required
def account_page(request: MemberRequest) -> HttpResponse:
    return _show(request, TokenForm(user=request.user))


def _show(request: MemberRequest, form: TokenForm, *, status: int = 200) -> HttpResponse:
    return render(
        request,
        "arena/account.html",
        {
            "bots": selectors.bots_of(request.user.pk),
            "quotas": [*selectors.quota_rows(request.user), *selectors.play_quota_rows(request.user)],
            "trials": latest_by(request.user),
            "requested": requested_matches(request.user),
            "tokens": list(selectors.tokens_of(request.user)),
            "now": timezone.now(),
            "form": form,
        },
        status=status,
    )


@methods("POST")
@login_required
@never_cache
def create_token(request: MemberRequest) -> HttpResponse:
    """Answers with the page that shows the token, the only time that anybody sees it."""
    form = TokenForm(request.POST, user=request.user)
    if not form.is_valid():
        return _show(request, form, status=422)
    token, secret = services.create_api_token(
        user=request.user,
        name=form.cleaned_data["name"],
        expiry=form.expiry,
        scope=form.cleaned_data["scope"],
    )
    return render(request, "arena/token.html", {"token": token, "secret": secret}, status=201)


@methods("POST")
@login_required
def revoke_token(request: MemberRequest, digest: str) -> HttpResponse:
    token = selectors.tokens_of(request.user).filter(digest=digest).first()
    if token is None:
        raise NotThere(_("You have no such token; it may be revoked already."))
    services.revoke_api_token(user=request.user, digest=digest)
    messages.success(request, _("The token “%(name)s” is revoked.") % {"name": token.name})
    return redirect("account")


@methods("POST")
@login_required
@never_cache
def export(request: MemberRequest) -> HttpResponseBase:
    if not may_try(request, action="export", user=request.user):
        return ratelimit.respond_429(request)
    pieces = accounts.export_account(user=request.user)
    response = StreamingHttpResponse(pieces, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="skyjo-arena-{request.user.username}.zip"'
    return response


@methods("GET", "POST")
@login_required
@never_cache
def delete(request: MemberRequest) -> HttpResponse:
    """Asks for the user name and the password first; guesses are limited like log-ins."""
    user = request.user
    form = DeleteForm(request.POST if request.method == "POST" else None, user=user)
    if request.method == "POST":
        if not may_try(request, action="reauthenticate", user=user):
            return ratelimit.respond_429(request)
        if form.is_valid():
            accounts.delete_account(user=user)
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("home")
    return render(request, "arena/account_delete.html", {"form": form}, status=422 if form.is_bound else 200)
