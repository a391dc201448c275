"""The whole main job in a real browser: sign up, submit, watch the check, be rated, watch a game, verify it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from matches.replay import verify
from tests.e2e import bots
from tests.e2e.conftest import Stack

# A check plays a qualification match; a first rating waits for a match, its turn in the queue and the next fit.
CHECKED_WITHIN_MS = 180_000
RATED_WITHIN_MS = 240_000
PASSWORD = "a long enough password"


def sign_up(page: Page, name: str) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("Username").fill(name)
    page.locator("input[name=password1]").fill(PASSWORD)
    page.locator("input[name=password2]").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Sign up").click()
    expect(page).to_have_url(re.compile("/account/$"))


def log_in(page: Page, stack: Stack, name: str) -> None:
    """As somebody whom the command line has made: sign-ups are few an hour."""
    make = (
        f"from django.contrib.auth.models import User; User.objects.create_user({name!r}, None, {PASSWORD!r})"
    )
    stack.manage("shell", "-v", "0", "-c", make)
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill(name)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Log in").click()
    expect(page).to_have_url(re.compile("/account/$"))


def submit(page: Page, name: str, source: str) -> None:
    page.goto("/submit/")
    page.get_by_label("Name of the bot").fill(name)
    page.get_by_label("Code", exact=True).fill(source)
    page.locator("main").get_by_role("button", name="Submit").click()


def test_from_signing_up_to_a_verified_replay(page: Page, stack: Stack, tmp_path: Path) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    sign_up(page, "alice")
    submit(page, "careful", bots.CAREFUL)
    expect(page).to_have_url(re.compile("/bots/careful/versions/1/$"))
    check = page.locator("#check")
    expect(check).to_contain_text("Ready: it passed its check and plays.", timeout=CHECKED_WITHIN_MS)
    expect(check.locator("li.passed")).to_have_count(5)
    # Once it is known, nothing asks any more.
    assert check.get_attribute("hx-get") is None

    page.goto("/ladders/duel/")
    row = page.locator("tr.mine")

    def rated() -> bool:
        page.reload()
        return row.count() > 0

    wait_until(page, rated, RATED_WITHIN_MS)
    expect(row).to_contain_text("careful")
    expect(row).to_contain_text(re.compile(r"\d+\s±\s\d+"))

    row.get_by_role("link", name="careful").click()
    expect(page.get_by_role("heading", name="careful", exact=True, level=1)).to_be_visible()
    # The newest match may still be played.
    page.goto("/matches/?bot=careful&status=finished")
    page.locator("main th a[href^='/matches/']").first.click()
    page.locator("main a[href^='/games/']").first.click()
    viewer = page.locator("#viewer")
    place = viewer.locator("[data-part=place]")
    expect(place).to_contain_text("Round 1")
    first = viewer.locator("[data-part=said]").inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(viewer.locator("[data-part=said]")).not_to_have_text(first)
    page.keyboard.press("End")
    expect(place).to_contain_text("result")
    last = place.inner_text()
    # The address follows once the viewer rests.
    expect(page).to_have_url(re.compile(r"\?round=\d+&turn=end$"))
    page.reload()
    expect(place).to_have_text(last)

    with page.expect_download() as waiting:
        page.locator("main").get_by_role("link", name=re.compile("^Download")).first.click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    assert verify(file.read_bytes()).n_rounds

    # The file is watched too, and leads to an address of its own.
    page.goto("/watch/")
    page.get_by_label("Replay file").set_input_files(file)
    page.locator("main").get_by_role("button", name="Watch").click()
    expect(page.locator("main .notice.good")).to_contain_text("everything comes out as it says")
    # Before the viewer has begun, no key does anything.
    expect(place).to_contain_text("Round 1")
    page.keyboard.press("End")
    expect(place).to_have_text(last)
    expect(page).to_have_url(re.compile(r"/watch/\?replay=.*&round=\d+&turn=end$"))
    page.reload()
    expect(place).to_have_text(last)
    assert complaints == []

    # A dropped one is sent at once; this one is no replay.
    page.evaluate(
        """() => {
          const dragged = new DataTransfer();
          dragged.items.add(new File(["{}"], "other.json"));
          for (const name of ["dragenter", "dragover", "drop"]) {
            const event = new DragEvent(name, { dataTransfer: dragged, bubbles: true, cancelable: true });
            document.querySelector("h1").dispatchEvent(event);
          }
        }"""
    )
    expect(page.locator("main .notice.bad")).to_contain_text("other.json cannot be shown")


def wait_until(page: Page, condition, within_ms: int) -> None:
    """Asks once a second, as a person who reloads would."""
    for _ in range(within_ms // 1000):
        if condition():
            return
        page.wait_for_timeout(1000)
    pytest.fail(f"waited {within_ms // 1000} s in vain at {page.url}")


@pytest.mark.parametrize(
    ("name", "source", "sentence"),
    [
        ("crasher", bots.CRASHES, re.compile("exited with status 1")),
        ("looper", bots.LOOPS, re.compile("500 ms of CPU time")),
        ("babbler", bots.NONSENSE, re.compile("JSON")),
    ],
)
def test_a_bot_that_fails_ends_in_its_own_sentence(
    page: Page, stack: Stack, name: str, source: str, sentence: re.Pattern[str]
) -> None:
    log_in(page, stack, f"owner-of-{name}")
    submit(page, name, source)
    problem = page.locator("#check .notice.bad strong")
    expect(problem).to_have_text(sentence, timeout=CHECKED_WITHIN_MS)
    # The stage, and the verdict.
    expect(page.locator("#check li.failed")).to_have_count(2)
    # Its owner sees more: how to see it happen, and for the crash, what went to standard error.
    expect(page.locator("#check")).to_contain_text("skyjo.pyz check")
    if name == "crasher":
        expect(page.locator("#check")).to_contain_text("RuntimeError: on purpose")

    # Nobody else does.
    stranger = page.context.browser.new_context(base_url=stack.url).new_page()
    stranger.goto(f"/bots/{name}/versions/1/")
    expect(stranger.locator("#check .notice.bad strong")).to_have_text(sentence)
    expect(stranger.locator("main")).not_to_contain_text("RuntimeError")
    expect(stranger.locator("main")).not_to_contain_text("skyjo.pyz check")
    stranger.context.close()


def test_a_broken_zip_ends_in_its_own_sentence(page: Page, stack: Stack) -> None:
    log_in(page, stack, "zipper")
    page.goto("/submit/")
    page.get_by_label("Name of the bot").fill("zipped")
    page.get_by_label("Or a file").set_input_files(
        {"name": "bot.zip", "mimeType": "application/zip", "buffer": bots.broken_zip()}
    )
    page.locator("main").get_by_role("button", name="Submit").click()
    expect(page).to_have_url(re.compile("/submit/$"))
    expect(page.locator("main .errorlist")).to_contain_text("zip")
