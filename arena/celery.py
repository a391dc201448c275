"""The Celery application; its tasks are thin doors in `arena.tasks`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
app = Celery("arena")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Celery closes Django's connections around every task unless told otherwise: one new connection a match.
app.conf.CELERY_DB_REUSE_MAX = 1_000_000
app.autodiscover_tasks(["arena"])
