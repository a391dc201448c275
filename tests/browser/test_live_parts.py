"""Parts of pages that renew themselves do so in place: nothing on the page jumps."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.urls import resolve
from django.utils import timezone
from playwright.sync_api import Response

from arena.models import Trial
from bots.models import CheckStage
from tests.browser.conftest import Site
from tests.browser.looking import LOOKS, SETTLED, Look
from tests.browser.scene import OWNER, Page

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

LIVE = [
    "/",
    "/matches/",
    "/matches/{running}/",
    "/bots/mine/versions/3/",
    "/trials/{trial}/",
    "/tournaments/{swiss}/",
    "/status/",
]
RENEWED = re.compile(r"""<[^<]*hx-get="{% url '(\w+)'[^<]*hx-trigger="every [^<]*>""")
# Shifts below it nobody sees.
LEAST = 0.001


def parts_that_renew_themselves() -> set[str]:
    templates = (settings.BASE_DIR / "arena" / "templates").rglob("*.html")
    return {name for template in templates for name in RENEWED.findall(template.read_text())}


def go_on(site: Site) -> None:
    """What is shown changes: a stage of a check has passed, a trial has counted another pair."""
    with site.door.lock:
        stages = CheckStage.objects.filter(version__bot__name="mine", version__number=3)
        now = timezone.now()
        stages.filter(name="start").update(status="passed", finished_at=now)
        stages.filter(name="qualification").update(status="running", started_at=now)
        Trial.objects.filter(pk=site.scene.places["trial"]).update(counts=[6, 2, 16, 3, 17])


def test_nothing_jumps_when_live_parts_are_renewed(site: Site) -> None:
    looks: list[tuple[str, Look, list[str]]] = []
    for look in LOOKS:
        for address in LIVE:
            seen = site.look(Page(address, OWNER), look)
            renewed: list[str] = []

            def note(response: Response, renewed: list[str] = renewed) -> None:
                if response.request.headers.get("hx-request"):
                    renewed.append(resolve(urlsplit(response.url).path).url_name)

            seen.page.on("response", note)
            seen.page.evaluate("Object.assign(seen, {shift: 0, moved: []})")
            looks.append((f"{look} {address}", seen, renewed))
    go_on(site)
    before = [len(renewed) for _, _, renewed in looks]
    try:
        for (_, seen, renewed), n in zip(looks, before, strict=True):
            while len(renewed) < n + 2:
                seen.page.wait_for_event("response")
            seen.page.bring_to_front()
            seen.page.evaluate(SETTLED)
        jumps = [
            f"{name}: {shift:.4f}: {seen.page.evaluate('seen.moved.slice(0, 6)')}"
            for name, seen, _ in looks
            if (shift := seen.page.evaluate("seen.shift")) > LEAST
        ]
        assert not jumps, "\n".join(jumps)
        assert {name for _, _, renewed in looks for name in renewed} == parts_that_renew_themselves()
    finally:
        for _, seen, _ in looks:
            seen.page.close()
