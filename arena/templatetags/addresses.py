"""The tag `url`, for all templates, which knows the addresses that were asked for before."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as framework_url
from django.urls import NoReverseMatch
from django.utils.html import conditional_escape

from arena.links import address

register = template.Library()


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
