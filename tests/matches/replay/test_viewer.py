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

STATIC = Path(settings.BASE_DIR) / "arena" / "static" / "arena"
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

    def serve(self, route: Route) -> None:
        path = route.request.url.removeprefix(SITE).partition("?")[0]
        headers = {"Content-Security-Policy": POLICY}
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
        styles = "".join(f'<link rel="stylesheet" href="/static/{name}.css">' for name in ("base", "viewer"))
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Game</title>'
            '<link rel="icon" href="data:,">'
            f'<meta name="viewport" content="width=device-width">{styles}</head><body><main>{viewer}</main>'
            '<script type="module" src="/static/viewer.js"></script></body></html>'
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
        ("Shift+ArrowRight", second_round),
        ("ArrowRight", second_round + 1),
        ("Shift+ArrowLeft", second_round),
        ("Shift+ArrowLeft", 0),
    ]:
        page.keyboard.press(key)
        at(page, step)


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
        ("?round=9&turn=1", 0),
        ("?turn=3", 0),
    ]:
        page.goto("about:blank")
        page.goto(f"{SITE}/{query}")
        at(page, step)


def test_the_address_follows_and_reload_comes_back(show, game):
    page, _ = show(game, "?view=1&round=1&turn=2")
    for _press in range(5):
        page.keyboard.press("ArrowRight")
    step = page.locator("[data-part=scrubber]").input_value()
    page.wait_for_url(f"**/?view=1&step={step}")
    page.reload()
    at(page, int(step))


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


def test_face_down_cards_are_shown_on_request(show, game):
    page, _ = show(game)
    card = page.locator(".viewer-grid .viewer-card").first
    grid = page.locator(".viewer-grid").first
    assert "is-known" not in card.get_attribute("class")
    assert "face-down, face-down" in grid.get_attribute("aria-label")
    page.get_by_label("Show face-down cards").check()
    assert "is-known" in card.get_attribute("class")
    dealt = game["rounds"][0]["dealt"][0][0]
    assert numbers(card.get_attribute("data-value")) == str(dealt)
    assert f"face-down {dealt}" in numbers(grid.get_attribute("aria-label"))


def test_faults_and_autopilot_are_marked_from_the_fault_on(show):
    document = expanded(GAMES["eight seats, faults"])
    page, _ = show(document, "?decision=89")
    badge = page.locator(".viewer-seat").nth(6).locator(".viewer-badge")
    expect(badge).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(badge).to_have_text("autopilot: illegal")
    expect(page.locator("[data-part=said]")).to_contain_text("ned v7 tried an illegal action.")
    expect(page.locator(".viewer-marks .is-fault")).to_have_count(2)
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
