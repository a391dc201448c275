"""What an account's name may be: the same as a bot's."""

from bots.models import validate_name

username_validators = [validate_name]
