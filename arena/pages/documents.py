"""The documents, from the same text files that the repository shows."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.token import Token

from arena.models import Ladder
from arena.pages.doors import methods
from arena.pages.errors import NotThere

FOLDER: Path = settings.BASE_DIR / "docs"
FILES = {
    "openapi.yaml": "text/plain; charset=utf-8",
    "replay.schema.json": "application/json",
    "alerts.yml": "text/plain; charset=utf-8",
}
"""What lies beside the documents and is not for reading."""
WHOLE_CHARACTERS = 16
"""Code in a line of text stays on one line up to this length, which fits beside others on a phone."""


@cache
def documents() -> dict[str, str]:
    """Each document's name (its path under `docs/` without `.md`) with its title; the index is none of them."""
    found = {}
    for path in sorted(FOLDER.rglob("*.md")):
        name = path.relative_to(FOLDER).with_suffix("").as_posix()
        if name != "README":
            found[name] = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return found


@cache
def rendered(name: str) -> SafeString:
    """`docs/NAME.md` as HTML. Markup in the text is shown, not obeyed; nothing carries a style."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return mark_safe(to_html(text, folder=posixpath.dirname(name)))  # noqa: S308 - markup from the text is escaped


def to_html(text: str, folder: str = "") -> str:
    """Markdown without HTML and images: headings get ids to link to, wide tables scroll in themselves.

    `folder` under `docs/` is where its relative links start. Links that leave `docs/` lose their link.
    """
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
            _follow(token, folder)
        # Lines break after a hyphen: `--seat` would be `--` and `seat`.
        if token.type == "code_inline" and len(token.content) <= WHOLE_CHARACTERS:
            token.attrSet("class", "nowrap")
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


def _follow(token: Token, folder: str) -> None:
    target = str(token.attrs.get("href", ""))
    page, hash_, fragment = target.partition("#")
    if not page or page.startswith(("http://", "https://", "/")):
        return
    path = posixpath.normpath(posixpath.join(folder, page))
    name = path.removesuffix(".md")
    if path == "README.md":
        address = reverse("documents")
    elif name == "protocol":
        address = reverse("protocol")
    elif path.endswith(".md") and name in documents():
        address = reverse("document", args=[name])
    elif path in FILES:
        address = reverse("document_file", args=[path])
    else:
        token.attrs.pop("href")
        return
    token.attrSet("href", address + hash_ + fragment)


@methods("GET")
def protocol(request: HttpRequest) -> HttpResponse:
    return render(
        request,
        "arena/protocol.html",
        {"text": rendered("protocol"), "ladders": list(Ladder.objects.all())},
    )


@methods("GET")
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "arena/document.html", {"text": rendered("README"), "title": _("Documents")})


@methods("GET")
def document(request: HttpRequest, name: str) -> HttpResponse:
    if name == "protocol":
        return redirect("protocol")
    if name not in documents():
        raise NotThere(_("There is no document “%(name)s”.") % {"name": name})
    html = rendered(name)
    end = html.index("</h1>") + len("</h1>")
    context = {
        # Apart, for what the site has to say between them.
        "heading": mark_safe(html[:end]),  # noqa: S308 - as `rendered` has made it
        "text": mark_safe(html[end:]),  # noqa: S308 - the same
        "title": documents()[name],
        "name": name,
    }
    return render(request, "arena/document.html", context)


@methods("GET")
def document_file(request: HttpRequest, name: str) -> HttpResponse:
    if name not in FILES:
        raise NotThere(_("There is no document “%(name)s”.") % {"name": name})
    return HttpResponse((FOLDER / name).read_bytes(), content_type=FILES[name])
