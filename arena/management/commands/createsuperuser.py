"""Make an administrator: Django's command, under a name such as everybody has."""

from __future__ import annotations

from django.contrib.auth.management.commands import createsuperuser
from django.core.exceptions import ValidationError

from arena.names import validate_username


class Command(createsuperuser.Command):
    def _validate_username(self, username: str, verbose_field_name: str, database: str) -> str | None:
        """Django's own test, then ours; what is wrong, in words."""
        error: str | None = super()._validate_username(  # type: ignore[misc]  # unknown to its stubs
            username, verbose_field_name, database
        )
        if error is None:
            try:
                validate_username(username)
            except ValidationError as refusal:
                error = f"{username!r}: {refusal.messages[0]}"
        return error
