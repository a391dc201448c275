"""Serializers that work out once how each field is read: lists are long, and the framework asks anew for each value.

What comes out is what the framework would make of the same fields: `tests/arena/crowd/test_quick.py` compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
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


@dataclass(frozen=True)
class Plan:
    """All names in their order; those whose values are sent as they are, and how these are read; how the others are
    read: by a function of the instance, a method of the serializer, or a serializer of their own."""

    names: list[str]
    plain: list[str]
    values: Callable[[Any], Any]
    readers: dict[str, Reader]
    methods: dict[str, str]
    nested: dict[str, serializers.BaseSerializer[Any]]


# Without a docstring, which would become each one's description in the API's document.
class QuickSerializer(serializers.Serializer[Any]):
    def to_representation(self, instance: Any) -> dict[str, Any]:
        names, plain, values, others = self._way
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
    def _way(self) -> tuple[list[str], list[str], Callable[[Any], Any], list[tuple[str, Reader]]]:
        """Names, plain ones and their values as the class has planned them, and how this serializer reads the rest."""
        plan = _plan(type(self))
        others = dict(plan.readers)
        for name, method in plan.methods.items():
            others[name] = getattr(self, method)
        for name, field in plan.nested.items():
            others[name] = _nested(field, self)
        return plan.names, plan.plain, plan.values, list(others.items())


# The fields of a class do not change, and making them takes as long as reading dozens of rows.
@cache
def _plan(kind: type[QuickSerializer]) -> Plan:
    fields = {str(field.field_name): field for field in kind()._readable_fields}
    plain = {name: str(field.source) for name, field in fields.items() if _is_plain(field)}
    if len(plain) < 2:
        # One alone would be read without a tuple around it.
        plain = {}
    values = attrgetter(*plain.values()) if plain else lambda instance: ()
    others = {name: field for name, field in fields.items() if name not in plain}
    methods = {
        name: field.method_name
        for name, field in others.items()
        if isinstance(field, serializers.SerializerMethodField)
    }
    nested = {name: field for name, field in others.items() if isinstance(field, serializers.BaseSerializer)}
    readers = {name: _reader(field) for name, field in others.items() if name not in methods | nested}
    return Plan(list(fields), list(plain), values, readers, methods, nested)


def _nested(planned: serializers.BaseSerializer[Any], parent: QuickSerializer) -> Reader:
    """A reader by a serializer like the planned one, which knows the request by its parent."""
    field = copy(planned)
    field.parent = parent
    if isinstance(field, serializers.ListSerializer):
        child: Any = copy(field.child)
        field.child, child.parent = child, field
    return _reader(field)


def _reader(field: serializers.Field[Any, Any, Any, Any]) -> Reader:
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
