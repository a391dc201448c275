"""Serializers that work out once how each field is read: lists are long, and the framework asks anew for each value.

What comes out is what the framework would make of the same fields: `tests/arena/crowd/test_quick.py` compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.reverse import reverse

Reader = Callable[[Any], Any]
# What stands in a row of these is what is sent.
PLAIN = (
    serializers.CharField,
    serializers.IntegerField,
    serializers.FloatField,
    serializers.BooleanField,
    serializers.ChoiceField,
    serializers.JSONField,
)
# In an address that is made once, where each row's own key goes. Every kind of key in our addresses may look so.
KEY = "909090909090909"


# Without a docstring, which would become each one's description in the API's document.
class QuickSerializer(serializers.Serializer[Any]):
    def to_representation(self, instance: Any) -> dict[str, Any]:
        names, plain, values, others = self._plan
        shown = dict.fromkeys(names)
        shown.update(zip(plain, values(instance), strict=True))
        for name, read in others:
            shown[name] = read(instance)
        return shown

    def address(self, name: str, key: object) -> str:
        """The whole address of what this pattern has under the key, a number or a bot's name."""
        if name not in self._addresses:
            made = reverse(name, args=[KEY], request=self.context["request"])
            self._addresses[name] = made.split(KEY)
        beginning, end = self._addresses[name]
        return f"{beginning}{key}{end}"

    @cached_property
    def _addresses(self) -> dict[str, list[str]]:
        return {}

    @cached_property
    def _plan(self) -> tuple[list[str], list[str], Callable[[Any], Any], list[tuple[str, Reader]]]:
        """All names in their order, those whose values are sent as they are, how these are read, and how the rest."""
        fields = {str(field.field_name): field for field in self._readable_fields}
        plain = {name: str(field.source) for name, field in fields.items() if _is_plain(field)}
        if len(plain) < 2:
            # One alone would be read without a tuple around it.
            plain = {}
        others = [(name, self._reader(field)) for name, field in fields.items() if name not in plain]
        values = attrgetter(*plain.values()) if plain else lambda instance: ()
        return list(fields), list(plain), values, others

    def _reader(self, field: serializers.Field[Any, Any, Any, Any]) -> Reader:
        if isinstance(field, serializers.SerializerMethodField):
            method: Reader = getattr(self, field.method_name)
            return method
        if field.source == "*":
            return field.to_representation
        value: Reader = attrgetter(str(field.source))
        if field.default is not empty:
            value = _or_else(value, field.default)
        if type(field) in PLAIN:
            return value
        represent = _moment if type(field) is serializers.DateTimeField else field.to_representation

        def read(instance: Any) -> Any:
            found = value(instance)
            return None if found is None else represent(found)

        return read


def _is_plain(field: serializers.Field[Any, Any, Any, Any]) -> bool:
    return type(field) in PLAIN and field.source != "*" and field.default is empty


def _moment(at: datetime) -> str:
    """All our times are in UTC."""
    return f"{at.isoformat().removesuffix('+00:00')}Z"


def _or_else(value: Reader, default: Any) -> Reader:
    def read(instance: Any) -> Any:
        try:
            return value(instance)
        except (AttributeError, ObjectDoesNotExist):
            return default

    return read
