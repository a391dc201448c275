"""The tag `url`, for all templates: an address that was asked for before is not put together again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django import template
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as framework_url
from django.urls import NoReverseMatch, reverse
from django.utils.html import conditional_escape

register = template.Library()

# A page of a list asks for hundreds, most of them of few things.
KEPT = 20_000


@lru_cache(maxsize=KEPT)
def address(name: str, *args: Any) -> str:
    return reverse(name, args=args)


class KnownURLNode(URLNode):
    def render(self, context: template.Context) -> str:
        if self.kwargs:
            return super().render(context)
        args = [arg.resolve(context) for arg in self.args]
        try:
            found = address(self.view_name.resolve(context), *args)
        except NoReverseMatch:
            if not self.asvar:
                raise
            found = ""
        if self.asvar:
            context[self.asvar] = found
            return ""
        return str(conditional_escape(found)) if context.autoescape else found


@register.tag
def url(parser: Any, token: Any) -> KnownURLNode:
    node = framework_url(parser, token)
    return KnownURLNode(node.view_name, node.args, node.kwargs, node.asvar)
