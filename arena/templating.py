"""Django's templates, which say the same, sooner: what is constant is put together once, and what is plain is looked up
in the plain way. Whatever is neither is left to Django.
"""

from __future__ import annotations

from html import escape
from types import MethodType
from typing import Any

from django.conf import settings
from django.template import Context, Node, Template
from django.template.base import (
    FilterExpression,
    Lexer,
    NodeList,
    Parser,
    TextNode,
    Variable,
    VariableDoesNotExist,
    VariableNode,
    render_value_in_context,
)
from django.template.context import BaseContext
from django.template.loaders import cached
from django.templatetags.i18n import TranslateNode
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from arena.templatetags.addresses import KnownURLNode


class Loader(cached.Loader):
    """The cached loader, with templates of ours."""

    def get_template(self, template_name: str, skip: Any = None) -> Template:
        template = super().get_template(template_name, skip)
        if not isinstance(template, QuickTemplate):
            template = QuickTemplate(template.source, template.origin, template.name, template.engine)
            self.get_template_cache[self.cache_key(template_name, skip)] = template
        return template


class QuickTemplate(Template):
    def compile_nodelist(self) -> NodeList:
        # In the debug mode Django tells where in a template something failed, by its own nodes.
        if self.engine.debug:
            return super().compile_nodelist()
        engine = self.engine
        tokens = Lexer(self.source).tokenize()
        parser = QuickParser(tokens, engine.template_libraries, engine.template_builtins, self.origin)
        nodes = parser.parse()
        self.extra_data = getattr(parser, "extra_data", {})
        return nodes


class QuickParser(Parser):
    def compile_filter(self, token: str) -> FilterExpression:
        return QuickExpression(token, self)

    def extend_nodelist(self, nodelist: NodeList, node: Node, token: Any) -> None:
        if type(node) is VariableNode:
            node = Value(node.filter_expression)
        last = nodelist[-1] if nodelist else None
        if last is None or not (is_constant(last) and is_constant(node)):
            super().extend_nodelist(nodelist, node, token)
        elif isinstance(last, Constant):
            last.nodes.append(node)
        else:
            del nodelist[-1]
            super().extend_nodelist(nodelist, Constant([last, node]), token)


def is_constant(node: Node) -> bool:
    """Whether a node says the same on every page in one language."""
    if isinstance(node, TranslateNode):
        return not node.asvar and not node.message_context and is_literal(node.filter_expression)
    if isinstance(node, KnownURLNode):
        return not node.asvar and not node.kwargs and all(map(is_literal, (node.view_name, *node.args)))
    return isinstance(node, (TextNode, Constant))


def is_literal(value: FilterExpression) -> bool:
    return not value.filters and (not value.is_var or value.var.literal is not None)


class Constant(Node):
    """Constant nodes that follow each other, put together once for each language."""

    child_nodelists = ()

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self.known: dict[str | None, str] = {}

    def render_annotated(self, context: Context) -> str:
        language = get_language()
        known = self.known.get(language)
        if known is None:
            known = self.known[language] = "".join(str(node.render(context)) for node in self.nodes)
        return known

    render = render_annotated


class Value(VariableNode):
    """A value on the page."""

    def render_annotated(self, context: Context) -> str:
        value = self.filter_expression.resolve(context)
        kind = type(value)
        if kind is SafeString:
            return str(value)
        if kind is str and context.autoescape:
            return escape(value)
        if kind is int and not settings.USE_THOUSAND_SEPARATOR:
            return str(value)
        return str(render_value_in_context(value, context))

    render = render_annotated


class QuickExpression(FilterExpression):
    __slots__ = ()

    def __init__(self, token: str, parser: Parser) -> None:
        super().__init__(token, parser)
        self.var = quick(self.var)
        self.filters = [
            (function, [(is_variable, quick(value)) for is_variable, value in args])
            for function, args in self.filters
        ]

    def resolve(self, context: Context, ignore_failures: bool = False) -> Any:
        if self.is_var and not self.filters:
            try:
                return self.var.resolve(context)
            except VariableDoesNotExist:
                pass
        return super().resolve(context, ignore_failures)


def quick(value: Any) -> Any:
    return QuickVariable(value.var) if isinstance(value, Variable) and value.lookups else value


class QuickVariable(Variable):
    """Names are keys of dicts or attributes, as they nearly always are."""

    __slots__ = ()

    def _resolve_lookup(self, context: Any) -> Any:
        if isinstance(context, BaseContext):
            first, *others = self.lookups or ()
            for names in reversed(context.dicts):  # type: ignore[attr-defined]
                if first in names:
                    try:
                        return followed(names[first], others)
                    except Unusual:
                        break
        return super()._resolve_lookup(context)  # type: ignore[misc]


class Unusual(Exception):
    """Something that Django looks up in other ways, too."""


def followed(value: Any, names: list[str]) -> Any:
    if callable(value):
        value = called(value)
    for name in names:
        kind = type(value)
        if kind is dict:
            if name not in value:
                raise Unusual
            value = value[name]
        elif hasattr(kind, "__getitem__"):
            raise Unusual
        else:
            try:
                value = getattr(value, name)
            except (AttributeError, TypeError):
                raise Unusual from None
        if callable(value):
            value = called(value)
    return value


def called(value: Any) -> Any:
    """What a method without arguments gives, such as `get_status_display`."""
    if isinstance(value, MethodType) and not hasattr(value, "alters_data"):
        try:
            return value()
        except TypeError:
            pass
    raise Unusual
