"""Cursor pagination: newest first, no counting, so that long lists cost what their page costs."""

from __future__ import annotations

import re
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

from arena.api.errors import Refused

# As many as the pages show of matches: what most who ask look at. A crawl of 100,000 rows takes some hundred requests
# of the largest size.
PAGE_SIZE = 30
MAX_PAGE_SIZE = 200
CURSOR = re.compile(r"[A-Za-z0-9+/=]*\Z")


class Newest(CursorPagination):
    """`?cursor=` (opaque, from `next` and `previous`) and `?page_size=` (1 to 200)."""

    ordering: Any = "-id"
    page_size = PAGE_SIZE
    max_page_size = MAX_PAGE_SIZE
    page_size_query_param = "page_size"
    position_shape = re.compile(r"[0-9]{1,18}\Z")

    def get_page_size(self, request: Request) -> int | None:
        text = request.query_params.get("page_size")
        if text is None:
            return self.page_size
        if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_PAGE_SIZE:
            return int(text)
        raise ValidationError(
            {"page_size": [_("A whole number from 1 to %(max)s.") % {"max": MAX_PAGE_SIZE}]}
        )

    def decode_cursor(self, request: Request) -> Any:
        text = request.query_params.get(self.cursor_query_param, "")
        try:
            cursor = super().decode_cursor(request)
        except (NotFound, UnicodeError):
            cursor = None
        else:
            # Base64 is decoded leniently, so that much nonsense would pass for the first page; and what stands
            # in a cursor reaches the database: it must be of the ordering's own type.
            position = cursor.position if cursor else None
            if CURSOR.match(text) and (position is None or self.position_shape.match(str(position))):
                return cursor
        message = _("Unknown cursor. Take it unchanged from `next` or `previous`.")
        raise Refused("unknown_cursor", message, field="cursor")

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        cursor, size = super().get_schema_operation_parameters(view)
        size["schema"] |= {"minimum": 1, "maximum": self.max_page_size, "default": self.page_size}
        return [cursor, size]


class ByKey(Newest):
    """Of rows with a `key` (`arena.selectors.matches.keyed`)."""

    ordering = "-key"


class ByRank(Newest):
    ordering = ("rank", "id")


class ByName(Newest):
    ordering = "name"
    position_shape = re.compile(r"[A-Za-z0-9_-]{2,32}\Z")


class ByPosition(Newest):
    ordering = ("position", "id")
