"""Lines of the log, plain or as JSON, each with what was being done: the task, match and versions, or the request.

Whoever begins something says so by `about`; every line until its end carries the ids, whoever wrote it. Nothing else
that hangs on a record is written: a request's text or headers may hold secrets.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

_about: ContextVar[Mapping[str, object]] = ContextVar("about")


@contextmanager
def about(**ids: object) -> Iterator[None]:
    """Lines written inside the block carry these ids, beside those of the blocks around it."""
    token = _about.set({**_about.get({}), **ids})
    try:
        yield
    finally:
        _about.reset(token)


def begin(**ids: object) -> None:
    """As `about`, from now until `end`, for those who are told of beginning and end by two calls."""
    _about.set(ids)


def end() -> None:
    _about.set({})


class AddIds(logging.Filter):
    """Notes on each record what it is about, for the formatters below."""

    def filter(self, record: logging.LogRecord) -> bool:
        ids = dict(_about.get({}))
        # Django logs a refused request when its middleware has done.
        request_id = getattr(getattr(record, "request", None), "log_id", None)
        if request_id is not None:
            ids.setdefault("request", request_id)
        record.ids = ids
        return True


class Refusals(logging.Filter):
    """Lets a request that was refused be one line, and a warning: a visitor's fault is no error of the site.

    Django logs what is suspicious as an error, and both that and a bad request with a traceback.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if 400 <= getattr(record, "status_code", 0) < 500:
            record.exc_info = record.exc_text = None
            if record.levelno > logging.WARNING:
                record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        return True


class Plain(logging.Formatter):
    """A line for people: `time LEVEL logger: message [match=5 versions=1,2]`, then the traceback, if any."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        ids = " ".join(f"{name}={_as_text(value)}" for name, value in _ids_of(record).items())
        return super().formatMessage(record) + (f" [{ids}]" if ids else "")


class Json(JsonFormatter):
    """One JSON object a line: `time` (UTC), `level`, `logger`, `process`, `message`, the ids, `exception` if any."""

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        log_data |= {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": record.message,
            **_ids_of(record),
        }
        if message_dict.get("exc_info"):
            log_data["exception"] = message_dict["exc_info"]


def _ids_of(record: logging.LogRecord) -> Mapping[str, object]:
    ids: Mapping[str, object] = getattr(record, "ids", {})
    return ids


def _as_text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
