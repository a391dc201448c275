"""Reads a page's HTML as a strict browser would judge it."""

from __future__ import annotations

from html.parser import HTMLParser

ADDRESSES = {"src", "href", "action", "srcset", "data", "poster", "hx-get", "hx-post", "formaction"}


class Markup(HTMLParser):
    """What a page holds: `problems` with our own rules, `text` outside of tags, ids, headings and forms."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.problems: list[str] = []
        self.text: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.labelled: set[str] = set()
        self.inputs: list[dict[str, str | None]] = []
        self.n_labels = 0
        self.links: list[str] = []
        self.feed(html)
        self.close()
        self.problems += [f"id {each} twice" for each in set(self.ids) if self.ids.count(each) > 1]
        for each in self.inputs:
            if each.get("type") not in {"hidden", "submit"} and not (
                each.get("id") in self.labelled or each.get("aria-label")
            ):
                self.problems.append(f"input {each.get('name')} without a label")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"] or "")
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"] or "")
        if tag == "label":
            self.labelled.add(attributes.get("for") or "")
            self.n_labels += 1
        if tag in {"input", "select", "textarea"} and not self.n_labels:
            self.inputs.append(attributes)
        if tag == "style" or "style" in attributes:
            self.problems.append(f"<{tag}> with an inline style")
        if tag == "script" and not attributes.get("src"):
            self.problems.append("inline script")
        for name, value in attributes.items():
            if name.startswith("on") or name.startswith("hx-on"):
                self.problems.append(f"<{tag}> with {name}")
            # A link may lead elsewhere; nothing may be fetched from there.
            foreign = ("javascript:", "data:") if tag == "a" else ("http:", "https:", "//", "javascript:")
            if name in ADDRESSES and (value or "").startswith(foreign):
                self.problems.append(f"<{tag}> refers to {value}")
        if tag == "img" and "alt" not in attributes:
            self.problems.append("<img> without alt")
        if tag == "th" and "scope" not in attributes:
            self.problems.append("<th> without scope")

    def handle_endtag(self, tag: str) -> None:
        self.n_labels -= tag == "label"

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def words(html: str) -> str:
    """The text of a page with all white space as single spaces."""
    return " ".join(" ".join(Markup(html).text).split())
