"""Finished matches in bulk: a stream of JSON lines, chunk by chunk."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import StreamingHttpResponse
from django.utils.http import urlencode
from django.utils.timezone import get_default_timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from arena.api.errors import Refused
from arena.api.filtering import LADDER, Filtered, text_parameter
from arena.api.replays import accepts_gzip
from arena.api.tries import limit
from arena.selectors.bulk import bulk_rows, chunk
from matches.models import Match

# Enough to take 100,000 matches in some minutes; a chunk is some megabytes, and some seconds of one web process.
SIZE, MAX_SIZE = 1000, 2000
CURSOR = re.compile(r"([0-9]{1,17})-([0-9]{1,15})")
EPOCH = datetime(1970, 1, 1, tzinfo=get_default_timezone())


class BulkMatches(Filtered):
    """Finished matches with participants, tally and games, a JSON object a line, in the order of finishing.

    The header `Link` names the next chunk. At the end there is none; `X-Cursor` then is where to go on another day.
    """

    queryset = Match.objects.none()

    @extend_schema(
        operation_id="matches_bulk",
        parameters=[
            LADDER,
            text_parameter("cursor", "From `Link` or `X-Cursor`; without one, from the first match on."),
            OpenApiParameter(
                "size",
                {"type": "integer", "minimum": 1, "maximum": MAX_SIZE, "default": SIZE},
                description="Lines.",
            ),
        ],
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        ladder, after, size = self.ladder(), self.cursor(), self.size()
        limit(request, action="bulk", sentence=_("Too much was downloaded to your address."))
        found = chunk(user=request.user, size=size, after=after, ladder=ladder)
        lines = (
            json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for row in bulk_rows(found.ids)
        )
        takes_gzip = accepts_gzip(request.headers.get("Accept-Encoding", ""))
        response = StreamingHttpResponse(
            packed(lines) if takes_gzip else lines, content_type="application/x-ndjson; charset=utf-8"
        )
        if takes_gzip:
            response["Content-Encoding"] = "gzip"
        response["Vary"] = "Accept-Encoding"
        response["Content-Disposition"] = 'attachment; filename="skyjo-matches.ndjson"'
        end = found.end or after
        if end is not None:
            response["X-Cursor"] = text_of(end)
        if not found.is_last and end is not None:
            asked = [
                ("cursor", text_of(end)),
                ("size", str(size)),
                *([("ladder", ladder.slug)] if ladder else []),
            ]
            address = request.build_absolute_uri(f"{request.path}?{urlencode(asked)}")
            response["Link"] = f'<{address}>; rel="next"'
        return response

    def size(self) -> int:
        size = self.number("size")
        if size is not None and not 1 <= size <= MAX_SIZE:
            raise ValidationError({"size": [_("A whole number from 1 to %(max)s.") % {"max": MAX_SIZE}]})
        return size or SIZE

    def cursor(self) -> tuple[datetime, int] | None:
        text = self.request.query_params.get("cursor")
        if text is None:
            return None
        if shaped := CURSOR.fullmatch(text):
            return EPOCH + timedelta(microseconds=int(shaped[1])), int(shaped[2])
        message = _("Unknown cursor. Take it unchanged from `Link` or `X-Cursor`.")
        raise Refused("unknown_cursor", message, field="cursor")


def text_of(end: tuple[datetime, int]) -> str:
    moment, match = end
    return f"{(moment - EPOCH) // timedelta(microseconds=1)}-{match}"


def packed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """As gzip, piece by piece."""
    packer: Any = zlib.compressobj(6, wbits=31)
    for line in lines:
        if piece := packer.compress(line):
            yield piece
    yield packer.flush()
