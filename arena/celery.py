"""The Celery application; its tasks are thin doors in `arena.tasks`."""

import logging.config
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
app = Celery("arena")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Celery closes Django's connections around every task unless told otherwise: one new connection a match.
app.conf.CELERY_DB_REUSE_MAX = 1_000_000
app.autodiscover_tasks(["arena"])


@setup_logging.connect
def log_as_everywhere(**kwargs: Any) -> None:
    """Else Celery sets up logging of its own, in workers and beat."""
    from django.conf import settings

    logging.config.dictConfig(settings.LOGGING)
