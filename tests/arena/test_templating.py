"""Our templates say what Django's say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from django.template import Context, Template, engines
from django.utils import translation
from django.utils.safestring import SafeString

from arena.templating import Constant, QuickTemplate


@dataclass
class Thing:
    name: str = "Fish & <chips>"
    n: int = 1234567
    share: float = 0.5
    nothing: None = None

    def shout(self) -> str:
        return self.name.upper()

    def needs(self, more: str) -> str:
        return more

    def delete(self) -> str:
        raise AssertionError("a template must not delete anything")

    delete.alters_data = True  # type: ignore[attr-defined]

    @property
    def broken(self) -> str:
        raise AttributeError("of the property itself")


def facts() -> dict[str, Any]:
    return {
        "thing": Thing(),
        "things": [Thing("one"), Thing("two")],
        "known": {"a": 1, "items": "a key, no method", "deep": {"b": [3, 4]}},
        "text": "<b>",
        "safe": SafeString("<b>"),
        "number": 1234567,
        "yes": True,
        "at": datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC),
        "klass": Thing,
        "say": lambda: "called",
    }


SAME = [
    "{{ text }}{{ safe }}{{ number }}{{ yes }}{{ at }}{{ thing.share }}{{ thing.nothing }}",
    "{{ thing.name }} {{ thing.n }} {{ thing.shout }} [{{ thing.needs }}] [{{ thing.delete }}]",
    "{{ known.a }} {{ known.items }} {{ known.deep.b.1 }} {{ known.keys }} [{{ known.none }}]",
    "{{ things.0.name }} {{ things.1.shout }} [{{ things.7.name }}] {{ text.upper }} {{ klass.name }} {{ say }}",
    "[{{ absent }}] [{{ absent.more }}] [{{ thing.absent }}] {{ absent|default:'–' }} {{ thing.nothing|default:text }}",
    "{% autoescape off %}{{ text }}{{ thing.name }}{{ number }}{% endautoescape %}",
    "{% for each in things %}{{ forloop.counter }}{{ each.name }}{% if not forloop.last %}, {% endif %}{% endfor %}",
    "{% with n=thing.n name=thing.name %}{{ n }}{{ name|upper }}{{ name|slice:':3' }}{% endwith %}{{ n }}",
    "{% if thing.n > 3 and thing.nothing is None and absent != 'x' %}yes{% elif text %}no{% endif %}",
    "{% load i18n %}{% trans 'Log in' %} {% trans '5 %' %} {% trans text %}{% trans 'Log in' as said %}{{ said }}",
    "{% load i18n %}{% blocktrans with name=thing.name %}of {{ name }}{% endblocktrans %}",
    "{% load i18n %}{% blocktrans count n=number %}{{ n }} game{% plural %}{{ n }} games{% endblocktrans %}",
    "{% url 'bots' %} {% url 'bot' 'greedy' %} {% url 'bot' thing.n as there %}{{ there }}",
    "{% url 'none' as nowhere %}[{{ nowhere }}]",
    "{% comment %}{{ thing.delete }}{% endcomment %}{# {{ x }} #}{{ 'a<b' }}{{ 5 }}{{ 1.5 }}{{ _('Log in') }}",
]


@pytest.mark.parametrize("source", SAME)
def test_it_says_what_djangos_own_says(source: str) -> None:
    engine = engines["django"].engine  # type: ignore[attr-defined]
    own = Template(source, engine=engine).render(Context(facts()))
    quick = QuickTemplate(source, engine=engine)
    assert [quick.render(Context(facts())) for _ in range(2)] == [own, own]


def test_a_property_that_fails_fails_as_it_does_in_django() -> None:
    with pytest.raises(AttributeError, match="of the property itself"):
        QuickTemplate("{{ thing.broken }}").render(Context(facts()))


def test_what_is_constant_is_one_node_and_said_in_each_language() -> None:
    source = (
        "{% load i18n %}<a href=\"{% url 'bots' %}\">{% trans 'Log out' %}</a>{% if text %}<b>{% endif %}"
    )
    template = QuickTemplate(source)
    assert [type(node).__name__ for node in template.nodelist] == ["LoadNode", "Constant", "IfNode"]
    said = {}
    for language in ("en", "de", "en"):
        with translation.override(language):
            said[language] = template.render(Context(facts()))
    assert said["en"] == '<a href="/bots/">Log out</a><b>'
    assert said["de"] == '<a href="/bots/">Abmelden</a><b>'


def test_the_pages_are_made_of_it() -> None:
    base = engines["django"].get_template("base.html").template  # type: ignore[attr-defined]
    assert isinstance(base, QuickTemplate)
    assert any(isinstance(node, Constant) for node in base.nodelist)
