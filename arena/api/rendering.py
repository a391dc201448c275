"""What the API sends, as bytes: lists have hundreds of values, which orjson writes many times as fast as `json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

# Where the framework sends them escaped, so that its answers are JavaScript too.
LINE_SEPARATORS = (("\u2028".encode(), rb"\u2028"), ("\u2029".encode(), rb"\u2029"))


class QuickRenderer(JSONRenderer):
    """Sends what the framework's renderer sends; but indented, where `Accept` asks for that, and what orjson does not
    write, such as whole numbers beyond 64 bits, by that one itself."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        if data is None or self.get_indent(accepted_media_type or "", renderer_context or {}) is not None:
            return super().render(data, accepted_media_type, renderer_context)
        try:
            # Times are the encoder's: orjson has another way to write them.
            sent = orjson.dumps(
                data,
                default=_encoder.default,
                option=orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS,
            )
        except TypeError:
            return super().render(data, accepted_media_type, renderer_context)
        for written, escaped in LINE_SEPARATORS:
            sent = sent.replace(written, escaped)
        return sent


_encoder: Any = JSONEncoder()
