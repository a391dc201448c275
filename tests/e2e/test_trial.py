"""A trial in a real browser, played for real: started on a bot's page, watched, stopped; and a match on request.

With SOAK=1 in the environment another one is watched to its verdict.
"""

import os
import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import bots
from tests.e2e.conftest import Stack
from tests.e2e.test_main_job import CHECKED_WITHIN_MS, log_in, submit, wait_until

pytestmark = pytest.mark.usefixtures("closed_ladders")

DECIDED_WITHIN_MS = 280_000
PLAYED_WITHIN_MS = 240_000
ENDINGS = ["stopped", *(["decided"] if os.environ.get("SOAK") else [])]

# Version 1 throws good cards away; version 2 keeps them.
WASTEFUL = bots.CAREFUL.replace("if card <= 4", "if card <= -2").replace("view.discard <= 2", "False")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_new_version_is_tried_before_the_eyes_of_its_owner(page: Page, stack: Stack, ending: str) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    bot = f"thrifty-{ending}"
    log_in(page, stack, f"owner-of-{bot}")
    # Equals are not told apart before somebody has stopped their trial.
    for number, source in enumerate((WASTEFUL if ending == "decided" else bots.CAREFUL, bots.CAREFUL), 1):
        submit(page, bot, source + f"# {bot} {number}\n")
        expect(page.locator("#check")).to_contain_text(
            "Ready: it passed its check", timeout=CHECKED_WITHIN_MS
        )

    # Start it: the newest version against the one before is what the form offers by itself.
    page.goto(f"/bots/{bot}/")
    expect(page.get_by_label("Version", exact=True).locator("option:checked")).to_have_text(f"{bot} v2")
    expect(page.get_by_label("Against", exact=True).locator("option:checked")).to_have_text(f"{bot} v1")
    page.get_by_label("Question").select_option("quick")
    page.get_by_role("button", name="Start the trial").click()
    expect(page).to_have_url(re.compile(r"/trials/\d+/$"))
    address = page.url
    trial = page.locator("#trial")
    expect(trial.locator("h1")).to_have_text(f"{bot} v2 against {bot} v1")

    # Watch: the page follows by itself, without a reload.
    picture = trial.get_by_role("img")
    expect(picture).to_have_attribute("aria-label", re.compile("after [1-9]"), timeout=PLAYED_WITHIN_MS)
    expect(trial).to_contain_text(re.compile(r"[+−]?\d+\s±\s\d+"))
    path = picture.locator("polyline").get_attribute("points")
    assert path is not None
    assert len(path.split()) >= 2
    if ending == "stopped":
        page.get_by_role("button", name="Stop the trial").click()
        expect(trial.get_by_role("status")).to_contain_text(
            "Stopped without a verdict: its owner stopped it."
        )
    else:
        expect(trial.get_by_role("status")).to_contain_text(
            f"{bot} v2 is better than {bot} v1.", timeout=DECIDED_WITHIN_MS
        )
    assert page.url == address
    assert trial.get_attribute("hx-get") is None

    # Nothing of it is rated, and anybody reads it, by the API too.
    found = page.request.get(f"/api/v1/trials/{address.rstrip('/').rpartition('/')[2]}/").json()
    assert (found["state"], found["games_left"]) == ("better" if ending == "decided" else "stopped", None)
    assert sum(found["counts"]) == found["n_pairs"] >= found["deals"]
    matches = page.request.get(f"/api/v1/matches/?trial={found['id']}&status=finished").json()["results"]
    assert matches
    assert {match["ladder"] for match in matches} == {None}

    # A match on request, from the page of the other bot.
    page.goto("/bots/greedy/")
    page.get_by_role("button", name="Play a match now, unrated").click()
    match = page.locator("#match")
    expect(match).to_contain_text("asked for by owner-of-thrifty")
    wait_until(page, lambda: match.locator(".title .badge.finished").count() > 0, PLAYED_WITHIN_MS)
    expect(page.get_by_role("link", name=re.compile("Watch")).first).to_be_visible()
    assert complaints == []
