"""Static files under names that tell their content, so that browsers may keep them for ever."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class Storage(CompressedManifestStaticFilesStorage):
    """Modules name the modules that they import in the same way, or a page would mix those of two releases."""

    support_js_module_import_aggregation = True
