"""Static files under names that tell their content, so that browsers may keep them for ever."""

from __future__ import annotations

from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.storage import CompressedManifestStaticFilesStorage


class Files(StaticFilesConfig):
    """In place of Django's own, which also collects what no page of ours asks for: half of all bytes."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "redoc", "rest_framework"]


class Storage(CompressedManifestStaticFilesStorage):
    """Modules name the modules that they import in the same way, or a page would mix those of two releases."""

    support_js_module_import_aggregation = True
