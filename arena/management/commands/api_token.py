"""Make an API token, for scripts and operators."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from arena.models import ApiToken
from arena.names import validate_not_reserved
from arena.services import create_api_token
from bots.models import validate_name


class Command(BaseCommand):
    help = (
        "Makes an API token for USER, making the user if need be (without a password: set one with "
        "`manage.py changepassword`), and prints the token alone on standard output."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument("--name", default="command line", help="What the account page calls the token.")
        parser.add_argument("--days", type=int, default=90, help="Days until it expires (1 to 3650).")

        parser.add_argument(
            "--scope",
            choices=ApiToken.Scope.values,
            default=ApiToken.Scope.ALL,
            help="What it may: read, submit bots too, or all that its user may.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name, days = options["user"], options["days"]
        if not 1 <= days <= 3650:
            raise CommandError(f"--days {days}: give 1 to 3650.")
        users = get_user_model().objects
        try:
            # The characters first: a NUL would reach PostgreSQL as an error of ours.
            validate_name(name)
            user = users.filter(username__iexact=name).first()
            if user is None:
                validate_not_reserved(name)
        except ValidationError as error:
            raise CommandError(f"{name!r}: {error.messages[0]}") from None
        if user is None:
            user = users.create_user(name)
            self.stderr.write(f"Made the user {name}.")
        elif not user.is_active:
            raise CommandError(f"The user {user.username} is banned; a token would be of no use.")
        _, token = create_api_token(
            user=user, name=options["name"], expiry=timedelta(days=days), scope=options["scope"]
        )
        self.stdout.write(token)
