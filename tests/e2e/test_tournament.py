"""Tournaments in a real browser, played for real: created, entered, started and watched to the end.

With SOAK=1 in the environment the large ones are played too, and their workers are killed on the way.
"""

import json
import os
import re
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import bots
from tests.e2e.conftest import Stack
from tests.e2e.test_main_job import PASSWORD, wait_until
from tests.ops.processes import end, family

pytestmark = pytest.mark.usefixtures("closed_ladders")

HOUSE_BOTS = 5
CHECKED_WITHIN_MS = 180_000

# Each bot has an owner of its own: how much an account may submit at a time is limited.
PREPARE = """
from django.contrib.auth.models import User
from arena.services import submit_version
User.objects.create_superuser({organiser!r}, None, {password!r})
for name, source in {sources!r}.items():
    owner = User.objects.create_user("owner-of-" + name)
    submit_version(owner=owner, name=name, filename="bot.py", content=source.encode())
"""


@dataclass(frozen=True)
class Event:
    """What is created, and how long it may take. `settings` are by the words of the form; so often are all workers
    killed while matches are played."""

    name: str
    format: str
    n_entries: int
    within_ms: int
    settings: dict[str, str] = field(default_factory=dict)
    n_kills: int = 0


SMALL = Event(
    "Six at the table",
    "Double elimination",
    6,
    400_000,
    {
        "Deals a pairing": "1",
        "Deals of the final": "1",
        "Deals of an extra match": "1",
        "Extra matches at most": "1",
    },
)
LARGE = [
    Event(
        "Sixteen twice",
        "Double elimination",
        16,
        1_200_000,
        {"Deals a pairing": "5", "Deals of the final": "10"},
        n_kills=3,
    ),
    Event(
        "Twelve in pods",
        "Swiss in pods",
        12,
        1_200_000,
        {"Deals a pairing": "2", "Seats at a table": "4"},
        n_kills=2,
    ),
]
EVENTS = [SMALL, *(LARGE if os.environ.get("SOAK") else [])]


RUNNING = "SELECT count(*) FROM matches_match WHERE status = 'running'"
LOST = "SELECT count(*) FROM matches_attempt WHERE outcome = 'lost'"
ASKED_FOR = """SELECT count(*), count(r.match_id), count(DISTINCT (t.key, t.entries)) FROM arena_tournamentmatch t
               LEFT JOIN matches_result r ON r.match_id = t.match_id WHERE t.tournament_id = %s"""


def kill_workers(page: Page, stack: Stack) -> None:
    """End all that play matches at once, in the middle of one, and wait until others have found what was lost."""
    ((lost_before,),) = stack.query(LOST)
    wait_until(page, lambda: stack.query(RUNNING) != [(0,)], CHECKED_WITHIN_MS)
    doomed = {found for pid in stack.pids("celery", "-Q matches") for found in family(pid)}
    assert doomed
    end(doomed)
    wait_until(page, lambda: stack.query(LOST) > [(lost_before,)], CHECKED_WITHIN_MS)


def variants(event: Event) -> dict[str, str]:
    """Bots besides those of the house: each keeps other cards."""
    word = re.sub("[^a-z]", "", event.name.lower())[:10]
    return {
        f"{word}-{number}": bots.CAREFUL.replace("card <= 4", f"card <= {number % 9}")
        + f"# {word} {number}\n"
        for number in range(event.n_entries - HOUSE_BOTS)
    }


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)
def test_an_event_is_created_entered_started_and_watched_to_its_end(
    page: Page, stack: Stack, event: Event
) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    organiser = f"organiser-of-{event.n_entries}"
    prepare = PREPARE.format(organiser=organiser, password=PASSWORD, sources=variants(event))
    stack.manage("shell", "-v", "0", "-c", prepare)
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill(organiser)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Log in").click()
    expect(page).to_have_url(re.compile("/account/$"))

    # Create it, with an eye on the estimate.
    page.goto("/tournaments/")
    page.get_by_role("link", name="New tournament").click()
    page.get_by_label("Name", exact=True).fill(event.name)
    page.get_by_label(event.format, exact=True).check()
    chosen = page.locator(".format-choice", has=page.locator(":scope > input:checked"))
    for label, value in event.settings.items():
        chosen.get_by_label(label, exact=True).fill(value)
    page.get_by_label("Entries that you expect").fill(str(event.n_entries))
    page.get_by_label("Seeding").select_option("lot")
    estimate = page.locator("#estimate")
    expect(estimate).to_contain_text(f"{event.format}, {event.n_entries} entries")
    expect(estimate).to_contain_text("The best entry wins")
    page.get_by_role("button", name="Create the tournament").click()
    expect(page.locator("h1")).to_have_text(event.name)
    address = page.url

    # Enter everybody whose version is ready, as soon as it is.
    names = ["random", "greedy", "threshold", "ev", "collector", *variants(event)]
    for name in names:
        option = page.locator(f"#enter-bot option[value='{name}']")

        def offered(option=option) -> bool:
            if option.count() == 0:
                page.reload()
            return option.count() == 1

        wait_until(page, offered, CHECKED_WITHIN_MS)
        page.locator("#enter-bot").select_option(name)
        page.get_by_role("button", name="Enter", exact=True).click()
        expect(
            page.locator("#event .entry-row", has=page.get_by_role("link", name=name, exact=True))
        ).to_have_count(1)
    page.get_by_role("button", name="Close registration and start").click()

    # Watch: the page follows by itself, without a reload, until there is nothing more to come.
    event_part = page.locator("#event")
    expect(event_part.locator(".pairing").first).to_be_visible()
    for _ in range(event.n_kills):
        kill_workers(page, stack)
    expect(event_part.get_by_role("status")).to_contain_text("has won", timeout=event.within_ms)
    assert page.url == address
    assert event_part.get_attribute("hx-get") is None
    expect(page.get_by_role("heading", name="Final standings")).to_be_visible()
    table = page.get_by_role("region", name="Table: Standings", exact=True)
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(event.n_entries)
    winner = rows.first.get_by_role("link").inner_text()
    assert winner in names
    expect(rows.first.locator("td").first).to_have_text("1")
    expect(event_part.get_by_role("status")).to_contain_text(f"{winner} has won")

    # Each match that it asked for was made once and has one result, whatever was killed.
    number = int(address.rstrip("/").rpartition("/")[2])
    ((n_matches, n_results, n_asked),) = stack.query(ASKED_FOR, number)
    assert n_matches == n_results == n_asked

    # Every pairing that was played leads to its match, and that to its games.
    page.locator(".pairing .outcome a").last.click()
    expect(page.locator("h1")).to_contain_text("Match")
    page.locator("main a[href^='/games/']").first.click()
    expect(page.locator("#viewer")).to_be_visible()

    # Anybody reads it, and what is exported says the same.
    stranger = page.context.browser.new_context(base_url=stack.url).new_page()
    stranger.goto(address)
    expect(stranger.locator("#event").get_by_role("status")).to_contain_text(f"{winner} has won")
    exported = json.loads(stranger.request.get(f"{address}json/").text())
    assert exported["result"]["is_finished"] is True
    first = exported["result"]["standings"][0]["entry"]
    assert next(entry["bot"] for entry in exported["entries"] if entry["id"] == first) == winner
    stranger.context.close()
    assert complaints == []
