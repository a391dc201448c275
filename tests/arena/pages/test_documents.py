from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.pages.documents import documents, to_html
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


def test_short_code_stays_on_one_line_and_long_code_may_break() -> None:
    html = to_html("`--seat 1` and `.venv/bin/python -m matches.kit`\n\n    a block\n")
    assert '<code class="nowrap">--seat 1</code> and <code>.venv' in html
    assert '<pre tabindex="0"><code>a block' in html


def test_links_between_documents_lead_to_pages_and_others_lose_their_link() -> None:
    html = to_html(
        "[r](rules.md#flags) [p](protocol.md) [i](README.md#x) [s](alerts.yml) [c](../CHANGELOG.md) [h](#here)"
    )
    assert 'href="/docs/rules/#flags"' in html
    assert 'href="/protocol/"' in html
    assert 'href="/docs/#x"' in html
    assert 'href="/docs/alerts.yml"' in html
    assert "CHANGELOG" not in html
    assert 'href="#here"' in html


def test_links_are_read_from_the_folder_of_their_document() -> None:
    html = to_html("[o](../operate.md) [d](0002-beat-everywhere.md)", folder="decisions")
    assert 'href="/docs/operate/"' in html
    assert 'href="/docs/decisions/0002-beat-everywhere/"' in html


def test_every_document_is_on_the_site_and_no_link_between_them_is_broken(site: Site, client: Client) -> None:
    pages: dict[str, Markup] = {}
    waiting = ["/docs/"]
    while waiting:
        address = waiting.pop()
        response = client.get(address, follow=True)
        assert response.status_code == 200, address
        if response.headers["Content-Type"].startswith("text/html"):
            html = response.content.decode()
            pages[address] = Markup(html)
            targets = re.findall(r'href="(/docs/[^"#]*|/protocol/)', html)
            waiting += sorted(set(targets) - set(pages) - set(waiting))
    assert {f"/docs/{name}/" for name in documents() if name != "protocol"} < set(pages)
    for address, page in pages.items():
        for target in page.links:
            path, _, heading = target.partition("#")
            found = pages.get(path or address)
            assert found is None or not heading or heading in found.ids, f"{address}: {target}"


def test_what_lies_beside_the_documents_can_be_fetched(client: Client) -> None:
    schema = client.get("/docs/replay.schema.json")
    assert schema.headers["Content-Type"] == "application/json"
    assert schema.json()["title"]
    assert client.get("/docs/openapi.yaml").content.startswith(b"openapi: 3")
    assert client.get("/docs/decisions").status_code == 404


def test_the_protocol_page_shows_the_text_and_the_ladders_limits(site: Site, client: Client) -> None:
    text = words(client.get("/protocol/").content.decode())
    assert '"type":"hello"' in text.replace('"type": "hello"', '"type":"hello"')
    assert "The limits of the ladders" in text
    assert "512 MiB" in text


def test_a_document_that_is_not_shown_is_not_found(client: Client) -> None:
    for name in ("README", "nothing", "decisions", "../CHANGELOG", "decisions/..//operate"):
        assert client.get(f"/docs/{name}/").status_code == 404
