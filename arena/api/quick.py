"""Serializers that work out once how each field is read: lists are long, and the framework asks anew for each value."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from rest_framework import serializers
from rest_framework.fields import empty

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


# Without a docstring, which would become each one's description in the API's document.
class QuickSerializer(serializers.Serializer[Any]):
    def to_representation(self, instance: Any) -> dict[str, Any]:
        return {name: read(instance) for name, read in self._readers}

    @cached_property
    def _readers(self) -> list[tuple[str, Reader]]:
        return [(str(field.field_name), self._reader(field)) for field in self._readable_fields]

    def _reader(self, field: serializers.Field[Any, Any, Any, Any]) -> Reader:
        if isinstance(field, serializers.SerializerMethodField):
            method: Reader = getattr(self, field.method_name)
            return method
        value: Reader = attrgetter(str(field.source))
        if field.default is not empty:
            value = _or_else(value, field.default)
        if type(field) in PLAIN:
            return value
        represent = field.to_representation

        def read(instance: Any) -> Any:
            found = value(instance)
            return None if found is None else represent(found)

        return represent if field.source == "*" else read


def _or_else(value: Reader, default: Any) -> Reader:
    def read(instance: Any) -> Any:
        try:
            return value(instance)
        except (AttributeError, ObjectDoesNotExist):
            return default

    return read
