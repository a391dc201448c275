"""The kit's download, wherever a page offers it."""

from __future__ import annotations

from typing import Any

from django import template

from arena.kit import kit_for

register = template.Library()


@register.inclusion_tag("arena/_kit.html", takes_context=True)
def kit_download(context: dict[str, Any]) -> dict[str, Any]:
    """Where to get it, how to begin, its version and its SHA-256."""
    return {"kit": kit_for(context["request"])}
