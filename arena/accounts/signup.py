"""The sign-up form, with a limit on accounts made from one address."""

from __future__ import annotations

from typing import Any

from allauth.account import forms
from allauth.core import ratelimit
from django.http import HttpRequest
from django.utils.translation import gettext as _

from arena.mail import sends_mail
from arena.tries import may_try


class SignupForm(forms.SignupForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = _(
            "It is shown beside your bots: 2 to 32 letters, digits, “-” and “_”."
        )
        self.fields["email"].help_text = (
            _("For resetting the password only; nobody sees it.")
            if sends_mail()
            else _("This arena sends no e-mail now, so an address is of no use yet; nobody sees it.")
        )

    def try_save(self, request: HttpRequest) -> Any:
        """The user, or the answer that there were too many. Only accounts that are made count, not typing errors."""
        if not may_try(request, action="account_made"):
            return None, ratelimit.respond_429(request)
        return super().try_save(request)
