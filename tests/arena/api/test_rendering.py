"""Answers are sent as the framework would send them."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy
from rest_framework.renderers import JSONRenderer
from rest_framework.serializers import Serializer
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList

from arena.api.rendering import QuickRenderer
from matches.models import Match

VALUES: list[Any] = [
    {"results": [{"id": 1, "elo": 1512.25, "rank": None, "is_house": False}], "next": None},
    ReturnDict(
        {"name": "ärger “quoted”", "rows": ReturnList([1, 2], serializer=Serializer())},
        serializer=Serializer(),
    ),
    'a line\u2028and\u2029another, "quoted" with \\ and \x00 and 🂡',
    {"\u2028": "a name"},
    datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    [date(2026, 1, 2), timedelta(seconds=90), Decimal("1.50"), uuid.UUID(int=7)],
    (1, (2, [3])),
    {1: "by a number", None: "by nothing"},
    10**25,
    [-0.0, 0.1, 1 / 3, 1500.0],
    Match.Status.FINISHED,
    mark_safe("text"),
    gettext_lazy("running"),
    [],
    None,
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("accepted", ["application/json", "application/json; indent=2"])
def test_an_answer_has_the_bytes_that_the_framework_would_send(value: Any, accepted: str) -> None:
    assert QuickRenderer().render(value, accepted, {}) == JSONRenderer().render(value, accepted, {})
