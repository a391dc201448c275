"""What an account may be called: the same as a bot, but nothing that looks like the arena's own.

Every door asks here: the sign-up, the operators' forms, `createsuperuser` and `api_token`.
"""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from bots.models import DELETED, validate_name

RESERVED = {"admin", "api", "arena", "house", "skyjo", "staff"}


def validate_not_reserved(name: str) -> None:
    if name.lower() in RESERVED or name.lower().startswith(DELETED):
        raise ValidationError(_("This name is reserved."))


username_validators: list[Callable[[str], None]] = [validate_name, validate_not_reserved]


def validate_username(name: str) -> None:
    """Raises ValidationError for what a new account may not be called."""
    for validate in username_validators:
        validate(name)


def free_username(name: str) -> str:
    """This name, or the first of name-2, name-3, … that no account has in any case."""
    candidate, number = name, 1
    while User.objects.filter(username__iexact=candidate).exists():
        number += 1
        candidate = f"{name}-{number}"
    return candidate
