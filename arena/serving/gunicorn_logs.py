"""Lets gunicorn's own lines look like all others: `gunicorn --logger-class arena.serving.gunicorn_logs.Logger`."""

from __future__ import annotations

import logging
import logging.config
import os
from typing import Any

from gunicorn import glogging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")


class Logger(glogging.Logger):
    def setup(self, cfg: Any) -> None:
        from django.conf import settings

        super().setup(cfg)
        logging.config.dictConfig(settings.LOGGING)
        # Level and form are those of all other lines.
        for logger in (self.error_log, self.access_log):
            logger.handlers.clear()
            logger.propagate = True
        self.error_log.setLevel(logging.NOTSET)
