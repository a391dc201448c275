"""The sign-up form, with a limit on accounts made from one address."""

from __future__ import annotations

from typing import Any

from allauth.account import forms
from allauth.core import ratelimit
from django.http import HttpRequest

from arena.tries import may_try


class SignupForm(forms.SignupForm):
    def try_save(self, request: HttpRequest) -> Any:
        """The user, or the answer that there were too many. Only accounts that are made count, not typing errors."""
        if not may_try(request, action="account_made"):
            return None, ratelimit.respond_429(request)
        return super().try_save(request)
