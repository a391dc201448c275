"""What a request's parts may be, as strictly as the OpenAPI document says: a number in quotes is no number."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from arena.api.errors import Refused
from arena.models import Ladder

# Larger than any number of a row, and small enough for every JSON library to keep it whole.
MAX_ID = 10**15
# Text of which something is left when spaces are cut off. PostgreSQL stores no NUL.
NOT_BLANK = r"^[^\x00]*[^\s\x00-\x1f][^\x00]*\Z"


class Text(serializers.CharField):
    """A string, taken as it is sent."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": False} | options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Title(serializers.RegexField):
    """A string of which something is to be seen."""

    def __init__(self, **options: Any) -> None:
        super().__init__(NOT_BLANK, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Whole(serializers.IntegerField):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_value": MAX_ID} | options)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, float) and data.is_integer():
            return int(data)
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        return data


class Number(serializers.FloatField):
    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=-MAX_ID, max_value=MAX_ID, **options)

    def to_internal_value(self, data: Any) -> float:
        # A whole number may be larger than any float.
        if isinstance(data, bool) or not isinstance(data, int | float) or abs(data) > MAX_ID:
            self.fail("invalid")
        return float(data)


class Id(Whole):
    """The number of a row; whether there is such a row, whoever asked finds out."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, **options)


class Moment(serializers.DateTimeField):
    """A time with its offset. Raises Refused for a string that is none: the document's `format` forbids nothing."""

    def to_internal_value(self, value: Any) -> datetime:
        if not isinstance(value, str):
            raise serializers.ValidationError(
                serializers.CharField.default_error_messages["invalid"], "invalid"
            )
        try:
            return super().to_internal_value(value)
        except serializers.ValidationError:
            message = _("This is no time: write it as in 2030-01-31T18:00:00Z.")
            raise Refused("not_a_time", message, field=str(self.field_name)) from None


class Switch(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


@extend_schema_field(OpenApiTypes.STR)
class LadderField(serializers.Field[Ladder, str, str, Any]):
    """A ladder by its slug. Raises Refused where there is none."""

    default_error_messages = {"invalid": serializers.CharField.default_error_messages["invalid"]}

    def to_internal_value(self, data: Any) -> Ladder:
        if not isinstance(data, str):
            self.fail("invalid")
        found = Ladder.objects.filter(slug=data).first() if re.fullmatch(r"[\w-]+", data) else None
        if found is None:
            raise Refused("unknown_ladder", _("There is no ladder of this name."), field=str(self.field_name))
        return found
