"""What an account may be called: the same as a bot, but nothing that looks like the arena's own."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from bots.models import validate_name

# Names of deleted accounts begin so.
DELETED = "deleted-"
RESERVED = {"admin", "api", "arena", "house", "skyjo", "staff"}


def validate_not_reserved(name: str) -> None:
    if name.lower() in RESERVED or name.lower().startswith(DELETED):
        raise ValidationError(_("This name is reserved."))


username_validators = [validate_name, validate_not_reserved]
