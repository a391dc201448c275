"""The documents, from the same text files that the repository shows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from markdown_it import MarkdownIt
from markdown_it.token import Token

from arena.models import Ladder
from arena.pages.doors import methods
from arena.pages.errors import NotThere

# Where a document's neighbours are read on the site; all other relative links lose their link.
PAGES = {
    "rules.md": "/docs/rules/",
    "protocol.md": "/protocol/",
    "replay.md": "/docs/replay/",
    "sandbox.md": "/docs/sandbox/",
    "api.md": "/docs/api/",
    "pairing.md": "/docs/pairing/",
    "ratings.md": "/docs/ratings/",
    "trials.md": "/docs/trials/",
}
TITLES = {
    "rules": gettext_lazy("The exact rules"),
    "replay": gettext_lazy("Replays"),
    "sandbox": gettext_lazy("The sandbox"),
    "api": gettext_lazy("The API"),
    "pairing": gettext_lazy("Pairing"),
    "ratings": gettext_lazy("Ratings"),
    "trials": gettext_lazy("Trials, and matches on request"),
}


@cache
def rendered(name: str) -> SafeString:
    """`docs/NAME` as HTML. Markup in the text is shown, not obeyed; nothing carries a style."""
    text = (settings.BASE_DIR / "docs" / name).read_text(encoding="utf-8")
    return mark_safe(to_html(text))  # noqa: S308 - markup from the text is escaped


def to_html(text: str) -> str:
    """Markdown without HTML and images: headings get ids to link to, wide tables scroll in themselves."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = markdown.parse(text)
    _give_ids(tokens)
    _mend_headers(tokens)
    for token in [*tokens, *(child for parent in tokens for child in parent.children or ())]:
        # Alignment comes as a style, which the Content-Security-Policy forbids.
        style = token.attrs.pop("style", "")
        if style == "text-align:right":
            token.attrSet("class", "num")
        if token.type == "link_open":
            _follow(token)
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    # What may be wider than a phone scrolls in itself, by keyboard too.
    html = html.replace("<pre>", '<pre tabindex="0">')
    return html.replace("<table>", '<div class="scroll" tabindex="0"><table>').replace(
        "</table>", "</table></div>"
    )


def _give_ids(tokens: Sequence[Token]) -> None:
    """The ids that code hosts give, so that a link to a heading works in the repository and on the site."""
    used: set[str] = set()
    for opening, inline in itertools.pairwise(tokens):
        if opening.type == "heading_open":
            plain = re.sub(r"[^\w\- ]", "", inline.content.lower()).replace(" ", "-")
            slug = plain
            for number in itertools.count(1):
                if slug not in used:
                    break
                slug = f"{plain}-{number}"
            used.add(slug)
            opening.attrSet("id", slug)


def _mend_headers(tokens: Sequence[Token]) -> None:
    """A heading of a column says that it is one; the empty corner of a table is none."""
    for opening, inline, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "th_open":
            if inline.content:
                opening.attrSet("scope", "col")
            else:
                opening.tag = closing.tag = "td"


def _follow(token: Token) -> None:
    target = str(token.attrs.get("href", ""))
    page, _hash, fragment = target.partition("#")
    if page in PAGES:
        token.attrSet("href", PAGES[page] + (f"#{fragment}" if fragment else ""))
    elif page and not page.startswith(("http://", "https://", "/")):
        token.attrs.pop("href")


@methods("GET")
def protocol(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "arena/protocol.html",
        {"text": rendered("protocol.md"), "ladders": list(Ladder.objects.all())},
    )


@methods("GET")
def document(request: HttpRequest, name: str) -> HttpResponse:
    if name not in TITLES:
        raise NotThere(_("There is no document “%(name)s”.") % {"name": name})
    return render(
        request, "arena/document.html", {"text": rendered(f"{name}.md"), "title": TITLES[name], "name": name}
    )
