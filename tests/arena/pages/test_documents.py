from __future__ import annotations

import pytest
from django.test import Client

from arena.pages.documents import to_html
from tests.arena.pages.markup import Markup, words
from tests.arena.pages.staging import Site

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def test_markup_in_a_document_is_shown_and_not_obeyed() -> None:
    html = to_html("A <script>alert(1)</script> [x](javascript:alert(1)) ![i](http://elsewhere/x.png)")
    assert "<script" not in html
    assert 'href="javascript' not in html
    assert "<img" not in html


def test_headings_can_be_linked_to_and_equal_ones_differ() -> None:
    html = to_html("# Bot protocol\n\n## Time\n\n## Time\n")
    assert Markup(html).ids == ["bot-protocol", "time", "time-1"]


def test_an_aligned_table_needs_no_inline_style() -> None:
    html = to_html("| a | b |\n| --- | ---: |\n| 1 | 2 |\n")
    assert "style" not in html
    assert '<td class="num">2</td>' in html


def test_a_tables_headings_say_what_they_head_and_its_empty_corner_is_none() -> None:
    html = to_html("| | a |\n| --- | --- |\n| 1 | 2 |\n")
    assert '<td></td>\n<th scope="col">a</th>' in html


def test_links_between_documents_lead_to_pages_and_others_lose_their_link() -> None:
    html = to_html("[r](rules.md#flags) [p](protocol.md) [a](architecture.md) [h](#here)")
    assert 'href="/docs/rules/#flags"' in html
    assert 'href="/protocol/"' in html
    assert "architecture" not in html
    assert 'href="#here"' in html


def test_the_protocol_page_shows_the_text_and_the_ladders_limits(site: Site, client: Client) -> None:
    text = words(client.get("/protocol/").content.decode())
    assert '"type":"hello"' in text.replace('"type": "hello"', '"type":"hello"')
    assert "The limits of the ladders" in text
    assert "512 MiB" in text


def test_a_document_that_is_not_shown_is_not_found(client: Client) -> None:
    for name in ("operate", "nothing"):
        assert client.get(f"/docs/{name}/").status_code == 404
