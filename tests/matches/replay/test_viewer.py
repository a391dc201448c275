"""The replay viewer in a real browser, under the site's own content security policy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from matches.engine import Game, Rules
from matches.replay import log
from matches.replay.playing import new_game
from matches.replay.playing import play as play_again

from .games import expanded, play

# A loaded host is slow, and no viewer.
expect.set_options(timeout=30_000)

STATIC = Path(settings.BASE_DIR) / "arena" / "static"
SITE = "http://viewer.test"
POLICY = "; ".join(
    f"{name} {' '.join(values)}" for name, values in settings.CONTENT_SECURITY_POLICY["DIRECTIVES"].items()
)
TYPES = {".css": "text/css", ".js": "text/javascript"}
NAMES = ["ada v1", "bob v2", "eve v3", "<b>kim</b>", "lou v5", "max v6", "ned v7", "zoe v8"]


@dataclass
class Site:
    """A page with the viewer in it; `answer` is what a request for the replay gets (status, body)."""

    document: dict[str, Any]
    answer: tuple[int, str]
    notes: dict[int, str] = field(default_factory=dict)
    mine: list[int] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    policy: str = POLICY

    def serve(self, route: Route) -> None:
        path = route.request.url.removeprefix(SITE).partition("?")[0]
        headers = {"Content-Security-Policy": self.policy}
        if path == "/replay":
            status, body = self.answer
            route.fulfill(status=status, body=body, content_type="application/json", headers=headers)
        elif path.startswith("/static/"):
            file = STATIC / path.removeprefix("/static/")
            route.fulfill(body=file.read_text(), content_type=TYPES[file.suffix], headers=headers)
        else:
            route.fulfill(body=self.page(), content_type="text/html; charset=utf-8", headers=headers)

    def page(self) -> str:
        names = NAMES[: len(self.document["seats"])]
        viewer = render_to_string(
            "arena/_viewer.html",
            {
                "replay_url": "/replay",
                "seat_names": names,
                "my_seats": self.mine,
                "log": log(self.document, names, notes=self.notes),
            },
        )
        links = {
            "page_url": "https://arena.test/games/1/",
            "embed_url": "https://arena.test/embed/",
            "embed_code": '<iframe src="https://arena.test/embed/"></iframe>',
        }
        viewer += render_to_string("arena/_share.html", links)
        styles = "".join(
            f'<link rel="stylesheet" href="/static/arena/{name}.css">' for name in ("base", "viewer/viewer")
        )
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Game</title>'
            '<link rel="icon" href="data:,">'
            f'<meta name="viewport" content="width=device-width">{styles}</head><body><main>{viewer}</main>'
            '<script type="module" src="/static/arena/viewer/viewer.js"></script></body></html>'
        )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()


Opened = tuple[Page, Site]


@pytest.fixture
def show(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Opens a replay in the viewer. Whatever the browser complains about fails the test."""
    opened = []

    def show(
        document: dict[str, Any],
        query: str = "",
        *,
        answer: tuple[int, str] | None = None,
        context: dict[str, Any] | None = None,
        **more: Any,
    ) -> Opened:
        site = Site(document, answer or (200, json.dumps(document)), **more)
        surroundings = browser.new_context(**{"reduced_motion": "reduce"} | (context or {}))
        page = surroundings.new_page()
        page.route("**/*", site.serve)
        page.on("console", lambda message: site.complaints.append(message.text))
        page.on("pageerror", lambda error: site.complaints.append(str(error)))
        opened.append((surroundings, site))
        page.goto(f"{SITE}/{query}")
        if answer is None and "java_script_enabled" not in (context or {}):
            expect(page.locator(".viewer.is-ready")).to_be_visible()
        return page, site

    yield show
    for surroundings, site in opened:
        surroundings.close()
        assert site.complaints == []


def steps_of(document: dict[str, Any]) -> int:
    return sum(len(round["decisions"]) + 2 for round in document["rounds"])


def numbers(text: str) -> str:
    return text.replace("−", "-")


def tables_on(page: Page, presses: int) -> list[dict[str, Any]]:
    """What the page shows now and after each press of "Step on": grids ("?" face-down, "x" removed) and piles."""
    return page.evaluate(
        """(presses) => {
          const card = (node) => node.classList.contains("is-gone") ? "x"
            : node.classList.contains("is-down") ? "?" : node.dataset.value.replace("−", "-");
          const pile = (name) => document.querySelector(`[data-pile=${name}]`);
          const look = () => ({
            grids: [...document.querySelectorAll(".viewer-grid")].map((grid) => [...grid.children].map(card)),
            discard: card(pile("discard").querySelector(".viewer-card")),
            discards: pile("discard").querySelector("b").textContent,
            drawn: card(pile("hand").querySelector(".viewer-card")),
            drawPile: pile("draw").querySelector("b").textContent,
          });
          const looks = [look()];
          for (let i = 0; i < presses; i++) {
            document.querySelector("[data-do=on]").click();
            looks.push(look());
          }
          return looks;
        }""",
        presses,
    )


def table_in(game: Game) -> dict[str, Any]:
    table = game.current

    def cell(value: object) -> str:
        return "?" if value is None else str(value)

    return {
        "grids": [[cell(value) for value in grid] for grid in table.grids],
        "discard": str(table.discard[-1]) if table.discard else "x",
        "discards": str(len(table.discard)),
        "drawn": "x" if table.drawn is None else str(table.drawn),
        "drawPile": str(table.n_draw_pile),
    }


GAMES = {
    "two seats": play(Rules(target=40), seed=2),
    "five seats, extra rounds, late discard": play(
        Rules(target=1, final_tie="extra_round", turn_cap=4, open_discard="after_reveal"), 5, seed=564
    ),
    "eight seats, faults": play(Rules(target=20), 8, seed=5, faults={2: (0, "start"), 6: (90, "illegal")}),
}


@pytest.mark.parametrize("recorder", GAMES.values(), ids=GAMES)
def test_the_table_is_the_engines_after_every_decision(show, recorder):
    document = expanded(recorder)
    page, _ = show(document)
    shown = iter(tables_on(page, steps_of(document) - 1))
    core = recorder.core()
    game = new_game(core)
    assert next(shown) == table_in(game)
    for played in play_again(core, game):
        table = next(shown)
        if game.round == played.round and game.outcome is None:
            assert table == table_in(game), played
        else:
            # The engine is at the next round, or at the end, at once; a viewer shows the result first.
            result = next(shown)
            assert result["grids"] == [[str(card) for card in grid] for grid in game.rounds[-1].grids]
            assert result["discards"] == str(len(game.rounds[-1].discard))
            assert next(shown, None) == (None if game.outcome else table_in(game))
    totals = [int(numbers(cell.inner_text())) for cell in page.locator(".viewer-total").all()]
    assert totals == document["outcome"]["totals"]


@pytest.fixture
def game() -> dict[str, Any]:
    return expanded(GAMES["two seats"])


def moments_of(document: dict[str, Any], event: str) -> list[int]:
    """The steps with such an event."""
    found, step = [], 0
    for round in document["rounds"]:
        for part in ([], *(decision["events"] for decision in round["decisions"]), round["result"]["events"]):
            if any(each["event"] == event for each in part):
                found.append(step)
            step += 1
    return found


def at(page: Page, step: int) -> None:
    expect(page.locator("[data-part=scrubber]")).to_have_value(str(step))


def test_keys_step_and_jump(show, game):
    page, _ = show(game)
    last = steps_of(game) - 1
    second_round = len(game["rounds"][0]["decisions"]) + 2
    for key, step in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("Shift+ArrowRight", 1),  # the first cards
        ("Shift+ArrowRight", 3),  # the first turn
        ("r", 3),  # a letter is nobody's while the focus is elsewhere
    ]:
        page.keyboard.press(key)
        at(page, step)
    page.get_by_role("button", name="Step on").focus()
    moments = {kind: moments_of(game, kind) for kind in ("clear", "close")}
    turns = [decision["turn"] for decision in game["rounds"][0]["decisions"]]
    last_turn = 1 + turns.index(turns[-1])
    for key, step in [
        ("r", second_round),
        ("ArrowRight", second_round + 1),
        ("Shift+R", second_round),
        ("Shift+ArrowLeft", second_round - 1),
        ("Shift+ArrowLeft", last_turn),
        ("Shift+R", 0),
        *(("c", step) for step in (*moments["clear"], moments["clear"][0])),
        ("Shift+C", moments["clear"][-1]),
        ("Home", 0),
        *(("t", step) for step in moments["close"]),
        ("f", moments["close"][-1]),  # nobody faulted
    ]:
        page.keyboard.press(key)
        at(page, step)
    help = page.locator("[data-part=help]")
    page.keyboard.press("?")
    expect(help).to_have_attribute("open", "")
    expect(help.locator("summary")).to_be_focused()


def test_space_plays_and_pauses(show, game):
    page, _ = show(game)
    page.locator("[data-part=speed]").select_option("8")
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("[data-part=caption]")).to_have_attribute("aria-live", "off")
    expect(page.locator("[data-part=scrubber]")).to_have_value(re.compile(r"^([3-9]|\d\d)$"))
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator("[data-part=caption]")).to_have_attribute("aria-live", "polite")


def test_playing_ends_with_the_game(show, game):
    page, _ = show(game, f"?step={steps_of(game) - 3}")
    page.locator("[data-part=speed]").select_option("8")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".viewer")).to_have_class("viewer is-ready is-playing")
    at(page, steps_of(game) - 1)
    expect(page.locator(".viewer")).to_have_class("viewer is-ready")


def test_keys_meant_for_a_field_are_left_to_it(show, game):
    page, _ = show(game, "?step=5")
    page.locator("[data-part=speed]").focus()
    page.keyboard.press("End")
    at(page, 5)


def test_the_address_opens_any_place(show, game):
    page, _ = show(game)
    first, *_, last = (len(round["decisions"]) for round in game["rounds"])
    turns = [decision["turn"] for decision in game["rounds"][1]["decisions"]]
    end = steps_of(game) - 1
    for query, step in [
        ("?step=12", 12),
        (f"?step={end + 9}", end),
        ("?step=x", 0),
        ("?step=-1", 0),
        ("?decision=17", 18),
        (f"?decision={first}", first + 3),
        (f"?decision={first + last}", end),
        ("?decision=17#viewer", 18),
        ("#d17", 18),
        ("?round=2", first + 2),
        ("?round=2&turn=4", first + 3 + turns.index(4)),
        (f"?round=1&turn={first}", first + 1),
        ("?round=1&turn=end", first + 1),
        ("?round=2&turn=4&decision=17", 18),
        ("?round=9&turn=1", 0),
        ("?turn=3", 0),
    ]:
        page.goto("about:blank")
        page.goto(f"{SITE}/{query}")
        at(page, step)


def test_the_address_follows_and_reload_and_back_come_back(show, game):
    page, _ = show(game, "?view=seat1&round=1&turn=2&mine=kept")
    (second,) = [d["decision"] for d in game["rounds"][0]["decisions"] if d["turn"] == 2][1:]
    page.keyboard.press("ArrowRight")
    place = f"round=1&turn=2&decision={second}&view=seat1"
    page.wait_for_url(f"**/?mine=kept&{place}")
    page.reload()
    at(page, second + 1)
    expect(page.locator("[data-part=view]")).to_have_value("seat1")
    # A jump is a page of its own to Back and Forward; a step is not.
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="R2").click()
    page.wait_for_url("**/?mine=kept&round=2&view=seat1")
    page.go_back()
    at(page, second + 2)
    page.go_forward()
    at(page, len(game["rounds"][0]["decisions"]) + 2)
    page.keyboard.press("End")
    page.wait_for_url(f"**&round={len(game['rounds'])}&turn=end&view=seat1")


def test_every_place_has_an_address_that_leads_back_to_it(show):
    """At a table where turns are taken, cards cleared and rounds won in every way."""
    document = expanded(GAMES["five seats, extra rounds, late discard"])
    page, _ = show(document)
    assert page.evaluate(
        """async (replay) => {
          const { stepsOf, addressOf, stepInAddress } = await import("/static/arena/viewer/steps.js");
          const steps = stepsOf(replay);
          const addresses = steps.map((_, i) => new URLSearchParams(addressOf(steps, i)).toString());
          const found = addresses.map((query) => stepInAddress(steps, new URL(`http://x/?${query}`)));
          return [new Set(addresses).size, found];
        }""",
        document,
    ) == [steps_of(document), list(range(steps_of(document)))]


def test_the_words_keep_step_with_the_table(show, game):
    page, _ = show(game)
    for step in (0, 1, 9, len(game["rounds"][0]["decisions"]) + 1, steps_of(game) - 1):
        page.locator(f"[data-step='{step}']").evaluate("line => line.click()")
        current = page.locator("[aria-current=step]")
        expect(current).to_have_attribute("data-step", str(step))
        expect(current).to_be_in_viewport()
        said = current.locator(".viewer-said").inner_text()
        expect(page.locator("[data-part=said]")).to_have_text(said)
    assert page.evaluate("scrollY") == 0


def test_every_step_has_its_line(show, game):
    page, _ = show(game)
    lines = page.locator(".viewer-log [data-step]")
    assert [line.get_attribute("data-step") for line in lines.all()] == [
        str(i) for i in range(steps_of(game))
    ]


def test_the_active_seat_and_the_last_move_are_marked(show, game):
    take = next(
        decision
        for decision in game["rounds"][0]["decisions"]
        if decision["phase"] == "place" and "swap" in decision["action"]
    )
    page, _ = show(game, f"?decision={take['decision']}")
    seats = page.locator(".viewer-seat")
    assert [seat for seat in range(2) if "is-active" in seats.nth(seat).get_attribute("class")] == [
        take["seat"]
    ]
    cell = seats.nth(take["seat"]).locator(".viewer-card").nth(take["action"]["swap"])
    assert "is-touched" in cell.get_attribute("class")
    for way in ("there", "back"):
        assert page.locator(f"[data-way={way}]").get_attribute("d").startswith("M")


def test_each_view_shows_what_its_reader_could_know(show, game):
    draw = next(
        d for d in game["rounds"][0]["decisions"] if d["phase"] == "draw" and d["seat"] == 0 and d["turn"] > 2
    )
    card = str(draw["events"][0]["card"])
    assert draw["events"][0]["event"] == "draw"
    page, _ = show(game, f"?decision={draw['decision']}")
    view = page.locator("[data-part=view]")
    hand = page.locator("[data-pile=hand] .viewer-card")
    said = page.locator("[data-part=said]")
    hidden = page.locator(".viewer-grid .is-down")
    n_hidden = hidden.count()
    for name, knows_hand, knows_all in (
        ("Everything", True, True),
        ("Open cards only", False, False),
        ("As ada v1 saw it (seat 0)", True, False),
        ("As bob v2 saw it (seat 1)", False, False),
    ):
        view.select_option(label=name)
        assert numbers(hand.get_attribute("data-value")) == (card if knows_hand else "")
        expect(said).to_have_text(f"ada v1 draws {card if knows_hand else 'a card'}.".replace("-", "−"))
        current = page.locator("[aria-current=step]")
        assert (numbers(current.inner_text()).find(card + ".") > 0) is knows_hand
        known = [node.get_attribute("data-value") for node in hidden.all()]
        assert len(known) == n_hidden
        assert ("" not in known) is knows_all
        assert set(known) == {""} or knows_all
        labels = " ".join(grid.get_attribute("aria-label") for grid in page.locator(".viewer-grid").all())
        assert bool(re.search(r"face-down −?\d", labels)) is knows_all
    expect(page.locator(".viewer-seat").nth(1)).to_contain_text("view")
    # What was chosen is kept for other games, a seat is not.
    page.wait_for_url("**view=seat1")
    page.goto("about:blank")
    page.goto(f"{SITE}/")
    expect(view).to_have_value("open")
    # Nobody sees which cells the others choose before all have chosen.
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("ada v1 chooses what to turn over.")
    expect(page.locator(".is-chosen")).to_have_count(0)
    view.select_option("seat0")
    expect(said).to_contain_text("ada v1 chooses to turn over cells")
    expect(page.locator(".is-chosen")).to_have_count(2)


def test_times_are_bars_and_a_table_that_leads_to_the_slowest_decision(show, game):
    page, _ = show(game)
    decisions = [decision for round in game["rounds"] for decision in round["decisions"]]
    bars = page.locator("[data-part=bars] path")
    n_bars = sum(bar.get_attribute("d").count("M") for bar in bars.all())
    assert n_bars == len(decisions)
    page.get_by_text("CPU time of the decisions").click()
    own = [decision for decision in decisions if decision["seat"] == 0]
    slowest = max(decision["cpu_ms_below"] for decision in own)
    row = page.locator("[data-part=times] tr").first
    expect(row.locator("td").first).to_have_text(str(len(own)))
    row.get_by_role("button").click()
    expect(page.locator("[data-part=place]")).to_contain_text(f"took under {slowest} ms")
    expect(page.locator(".viewer-seat").first).to_have_class(re.compile("is-active"))


def test_faults_and_autopilot_are_marked_from_the_fault_on(show):
    document = expanded(GAMES["eight seats, faults"])
    page, _ = show(document, "?decision=89")
    badge = page.locator(".viewer-seat").nth(6).locator(".viewer-badge")
    expect(badge).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(badge).to_have_text("bot fault: illegal action")
    expect(page.locator("[data-part=said]")).to_contain_text("ned v7 tried an illegal action.")
    expect(page.locator(".viewer-marks .is-fault")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(badge).to_have_text("autopilot")
    page.get_by_role("button", name="Bot fault 2").click()
    at(page, 1)
    expect(page.locator("[data-part=said]")).to_contain_text("eve v3 did not start.")
    page.keyboard.press("End")
    places = page.locator(".viewer-badge.is-placed").all_inner_texts()
    assert places == [f"place {place}" for place in document["outcome"]["placing"]]


def test_closer_and_doubling_are_marked_at_the_end_of_a_round(show):
    for seed in range(40):
        document = expanded(play(Rules(target=30), seed=seed))
        result = document["rounds"][0]["result"]
        if result["doubled"] is not None:
            break
    page, _ = show(document, f"?step={len(document['rounds'][0]['decisions']) + 1}")
    closer = result["closer"]
    expect(page.locator(".viewer-seat").nth(closer)).to_contain_text("closed")
    points = str(result["points"][closer])
    expect(page.locator("[data-part=scores] tr").nth(closer).locator("td").first).to_have_text(
        f"closed ×2 {points}"
    )
    expect(page.locator("[data-part=said]")).to_contain_text(f"doubled to {points}")


def test_names_and_notes_are_shown_as_text(show):
    document = expanded(play(Rules(target=1), 4, seed=3))
    page, _ = show(document, "?decision=3", notes={3: "<i>hm</i>"}, mine=[3])
    expect(page.locator(".viewer-seat h3").nth(3)).to_have_text("<b>kim</b>")
    expect(page.locator("[data-part=note]")).to_have_text("Noted: <i>hm</i>")
    expect(page.locator(".viewer-badge.is-mine")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-part=note]")).to_be_hidden()


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ((500, "{}"), "the server answered 500"),
        ((200, "no JSON"), "this viewer reads format 1"),
        ((200, '{"replay":"expanded","format":2}'), "this viewer reads format 1"),
        ((200, '{"replay":"compact"}'), "this viewer reads format 1"),
    ],
)
def test_a_replay_that_cannot_be_shown_says_why_and_can_be_tried_again(show, game, answer, text):
    page, site = show(game, answer=answer)
    expect(page.get_by_role("status")).to_contain_text(text)
    expect(page.locator(".viewer-stage")).to_be_hidden()
    expect(page.locator("[data-step='0']")).to_be_visible()
    site.answer = (200, json.dumps(game))
    site.complaints.clear()  # the browser reports the 500 by itself
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".viewer-stage")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_be_hidden()


def test_a_replay_without_rounds_is_called_empty(show, game):
    page, _ = show(game, answer=(200, json.dumps(game | {"rounds": []})))
    expect(page.get_by_role("status")).to_contain_text("There is nothing to show")


def test_without_javascript_the_game_stands_in_words(show, game):
    page, _ = show(game, context={"java_script_enabled": False})
    expect(page.locator("noscript")).to_be_visible()
    expect(page.locator("[data-step='0']")).to_be_visible()
    expect(page.locator(".viewer-stage")).to_be_hidden()


@pytest.mark.parametrize("recorder", GAMES.values(), ids=GAMES)
def test_nothing_is_wider_than_the_screen_and_targets_are_large(show, recorder):
    page, _ = show(expanded(recorder), "?step=30")
    expect(page.locator("[data-part=stage]")).to_be_visible()
    for width in (320, 390, 800, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # Waited for: the stage is shown, and laid out anew for this width, when the browser comes to it.
        page.wait_for_function(
            """() => Math.min(...[...document.querySelectorAll(
              ".viewer-stage button, .viewer-stage select, .viewer-stage input[type=range], .viewer-stage label"
            )].map((each) => each.getBoundingClientRect()).flatMap(({ width, height }) => [width, height])) >= 44"""
        )


def test_a_frame_on_another_site_shows_the_viewer_and_its_place(show, game):
    """Of what the frame's page says itself, `tests/arena/pages/test_embedding.py` tells."""
    page, site = show(game)
    site.policy = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
    frame = f'<iframe src="{SITE}/embed?round=2&amp;turn=3&amp;view=open" width="700" height="800"></iframe>'
    page.route("http://elsewhere.test/", lambda route: route.fulfill(body=frame, content_type="text/html"))
    page.goto("http://elsewhere.test/")
    inside = page.frame_locator("iframe")
    expect(inside.locator("[data-part=place]")).to_contain_text("Round 2 of 2 · turn 3")
    inside.get_by_role("button", name="Next turn").click()
    expect(inside.locator("[data-part=place]")).to_contain_text("turn 4")
    expect(inside.locator("[data-part=view]")).to_have_value("open")


def test_the_links_to_copy_lead_to_what_is_shown(show, game):
    page, _ = show(game, "?round=1&turn=2", context={"permissions": ["clipboard-read", "clipboard-write"]})
    page.get_by_text("Link and embed").click()
    link, code = page.get_by_label("Link to what is shown"), page.get_by_label("For a page of yours")
    expect(link).to_have_value("https://arena.test/games/1/?round=1&turn=2")
    page.get_by_role("button", name="R2").click()
    expect(link).to_have_value("https://arena.test/games/1/?round=2")
    page.locator("[data-part=view]").select_option("seat1")
    expect(code).to_have_value('<iframe src="https://arena.test/embed/?round=2&amp;view=seat1"></iframe>')
    # The page has no TLS, so no clipboard: the text is selected instead.
    page.get_by_role("button", name="Copy the embed code").click()
    expect(page.locator("[data-share] [role=status]")).to_contain_text("Selected")
    assert page.evaluate("getSelection().toString()").startswith("<iframe")


def test_motion_is_short_and_none_where_it_is_unwanted(show, game):
    for wish, most in (("no-preference", 200), ("reduce", 0)):
        page, _ = show(game, "?step=4", context={"reduced_motion": wish})
        at(page, 4)
        durations = page.evaluate(
            """() => {
              document.querySelector("[data-do=on]").click();
              const moves = document.getAnimations().filter((each) => !(each instanceof CSSTransition));
              return moves.map((each) => each.effect.getTiming().duration);
            }"""
        )
        assert (durations == []) == (most == 0)
        assert all(duration <= most for duration in durations)
