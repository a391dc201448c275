"""The score pad and the cheat sheet in a real browser; the pad's points are the engine's."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from matches.engine import PRESETS
from matches.engine.game import MAX_EXTRA_ROUNDS
from tests.e2e.scored_games import Told, games_of_drawn_points, games_played

pytestmark = pytest.mark.usefixtures("closed_ladders")

# As text both ways: Playwright takes long over objects.
RECKON = """async (text) => {
  const { games, maxExtraRounds } = JSON.parse(text);
  const { reckon } = await import(document.querySelector("script[type=module]").src);
  const last = ({ rounds, ...found }) => ({ ...found, last: rounds.at(-1) });
  return JSON.stringify(games.map(({ rules, n, rounds }) =>
    rounds.map((_, i) => last(reckon(rules, n, rounds.slice(0, i + 1), maxExtraRounds)))));
}"""
TARGETS = """() => [...document.querySelectorAll(".pad button, .pad input[type=text], .pad select, .pad-closed")]
  .filter((each) => each.offsetParent).map((each) => each.getBoundingClientRect())
  .filter(({ width, height }) => width < 44 || height < 44).length"""


@pytest.fixture
def pad(page: Page) -> Iterator[Page]:
    """The pad of somebody who has never been here; no script fails, and the policy forbids nothing."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/rules/score-pad/")
    yield page
    assert complaints == []


def begin(pad: Page, *names: str, preset: str = "official") -> None:
    fields = pad.get_by_label("Name of player")
    while fields.count() < len(names):
        pad.get_by_role("button", name="Add a player").click()
    while fields.count() > len(names):
        pad.get_by_role("button", name="Remove").last.click()
    for number, name in enumerate(names):
        fields.nth(number).fill(name)
    pad.get_by_label("Rules", exact=True).select_option(preset)
    pad.get_by_role("button", name="Start").click()


def enter(pad: Page, points: dict[str, int], closer: str) -> None:
    for name, value in points.items():
        pad.get_by_label(f"Points of {name}").fill(str(value))
    pad.get_by_label(f"{closer} closed the round").check()


def write_down(pad: Page, points: dict[str, int], closer: str) -> None:
    enter(pad, points, closer)
    pad.get_by_role("button", name="Write down").click()


def status(pad: Page) -> Any:
    return expect(pad.locator("[data-part=status]"))


def totals(pad: Page) -> list[str]:
    return pad.locator("tfoot tr").first.locator("td").all_inner_texts()


def as_the_engine_says(found: dict[str, Any], expected: dict[str, Any], closer: int | None) -> None:
    last = found["last"]
    assert found["flaw"] is None
    assert (last["points"], last["doubled"]) == (expected["points"], expected["doubled"])
    assert (found["totals"], found["outcome"]) == (expected["totals"], expected["outcome"])
    if found["outcome"] is None:
        assert found["table"] == expected["table"]
        # Who started a first round that was broken off, nobody has told the pad.
        assert found["starter"] == expected["starter"] or (closer is None and found["starter"] is None)


def test_the_pad_scores_as_the_engine_does_by_every_preset(pad: Page) -> None:
    games: list[Told] = [
        *games_of_drawn_points(40, random.Random("score pad")),
        *games_played(2, random.Random("played")),
    ]
    facts = {"games": [asdict(game) for game in games], "maxExtraRounds": MAX_EXTRA_ROUNDS}
    for game, found in zip(games, json.loads(pad.evaluate(RECKON, json.dumps(facts))), strict=True):
        for round, reckoned, expected in zip(game.rounds, found, game.after, strict=True):
            as_the_engine_says(reckoned, expected, round["closer"])
    # What is compared holds what is hard: shared wins, extra rounds, points below zero that double, rounds broken off.
    outcomes = [game.after[-1]["outcome"] for game in games]
    assert any(outcome["placing"].count(1) > 1 for outcome in outcomes)
    assert {outcome["reason"] for outcome in outcomes} == {"target", "round_cap"}
    rounds = [(round, after) for game in games for round, after in zip(game.rounds, game.after, strict=True)]
    assert any(None in round["points"] for round, _ in rounds)
    assert any(after["doubled"] is not None and min(after["points"]) < -17 for _, after in rounds)
    assert any(round["closer"] is None for round, _ in rounds)


def test_a_game_is_kept_through_reload_correction_and_undo_to_its_winner(pad: Page) -> None:
    begin(pad, "Ada", "Bo", "Cy")
    write_down(pad, {"Ada": 9, "Bo": 9, "Cy": 40}, "Ada")
    status(pad).to_contain_text("Ada closed without being lowest: 9 became 18.")
    status(pad).to_contain_text("Ada starts.")
    assert totals(pad) == ["18", "9", "40"]

    enter(pad, {"Ada": -3, "Bo": 21}, "Bo")
    pad.reload()
    expect(pad.get_by_label("Points of Bo")).to_have_value("21")
    expect(pad.get_by_label("Bo closed the round")).to_be_checked()
    write_down(pad, {"Cy": 60}, "Bo")
    # Exactly 100 ends a game.
    assert totals(pad) == ["15", "51", "100"]
    status(pad).to_have_text("Bo closed without being lowest: 21 became 42.Ada wins with 15.")
    expect(pad.get_by_role("heading", name="Round 3")).to_be_hidden()

    pad.get_by_role("button", name="Edit round 1").click()
    expect(pad.get_by_role("heading", name="Round 1, corrected")).to_be_focused()
    write_down(pad, {"Ada": 8, "Cy": 39}, "Ada")
    assert totals(pad) == ["5", "51", "99"]
    status(pad).to_contain_text("Ada leads with 5.")
    pad.get_by_role("button", name="Undo").click()
    pad.get_by_role("button", name="Undo").click()
    assert totals(pad) == ["15", "51", "100"]

    pad.get_by_role("button", name="New game").click()
    expect(pad.get_by_label("Name of player 2")).to_have_value("Bo")
    pad.reload()
    pad.get_by_role("button", name="Undo").click()
    assert totals(pad) == ["15", "51", "100"]


def test_a_correction_that_ends_the_game_earlier_says_what_no_longer_counts(pad: Page) -> None:
    begin(pad, "Ada", "Bo")
    write_down(pad, {"Ada": 10, "Bo": 60}, "Ada")
    write_down(pad, {"Ada": 10, "Bo": 20}, "Ada")
    pad.get_by_role("button", name="Edit round 1").click()
    write_down(pad, {"Bo": 101}, "Ada")
    status(pad).to_contain_text("The game was over after round 1.")
    status(pad).to_contain_text("Ada wins with 10.")
    assert totals(pad) == ["10", "101"]
    expect(pad.locator("tbody tr.is-void")).to_have_count(1)


@pytest.mark.parametrize(
    ("preset", "sentence"),
    [
        ("official", "Ada and Bo share the win with 10."),
        ("guide-2026", "Ada and Bo are level at 10 and play another round. The others sit out."),
    ],
)
def test_a_tie_ends_as_the_preset_says(pad: Page, preset: str, sentence: str) -> None:
    begin(pad, "Ada", "Bo", "Cy", preset=preset)
    write_down(pad, {"Ada": 10, "Bo": 10, "Cy": 120}, "Cy")
    status(pad).to_contain_text(sentence)
    if preset == "official":
        return
    expect(pad.get_by_label("Points of Cy")).to_have_count(0)
    write_down(pad, {"Ada": 7, "Bo": 5}, "Bo")
    status(pad).to_contain_text("Bo wins with 15.")
    assert pad.locator("tfoot tr").nth(1).locator("td").all_inner_texts() == ["2", "1", "3"]


def test_what_is_wrong_is_named_where_it_is_and_nothing_typed_is_lost(pad: Page) -> None:
    begin(pad, "Ada", "Bo")
    pad.get_by_label("Points of Ada").fill("12.5")
    pad.get_by_role("button", name="Write down").click()
    error = expect(pad.get_by_role("alert").filter(visible=True))
    error.to_contain_text("Ada: “12.5” cannot be. Enter a whole number from −17 to 142.")
    error.to_contain_text("Bo: no points yet.")
    error.to_contain_text("Say who closed the round.")
    field = expect(pad.get_by_label("Points of Ada"))
    field.to_be_focused()
    field.to_have_attribute("aria-invalid", "true")
    field.to_have_value("12.5")
    write_down(pad, {"Ada": 143, "Bo": -18}, "Bo")
    error.to_contain_text("Ada: “143” cannot be.")
    error.to_contain_text("Bo: “-18” cannot be.")
    pad.get_by_label("Points of Ada").fill("17")
    pad.get_by_role("button", name="Minus or plus for Ada").click()
    write_down(pad, {"Bo": 142}, "Ada")
    assert totals(pad) == ["−17", "142"]


def test_two_players_of_one_name_are_told_apart_and_nameless_ones_are_numbered(pad: Page) -> None:
    begin(pad, "Ada", "", "Ada")
    expect(pad.get_by_role("alert").filter(visible=True)).to_contain_text("Two players are called Ada.")
    expect(pad.get_by_label("Name of player 3")).to_be_focused()
    pad.get_by_label("Name of player 3").fill("Cy")
    pad.get_by_role("button", name="Start").click()
    expect(pad.get_by_label("Points of Player 2")).to_be_visible()


def test_it_is_played_by_keyboard_alone_and_without_a_connection(pad: Page) -> None:
    pad.get_by_label("Name of player 1").focus()
    for key in ("Ada", "Tab", "Tab", "Bo", "Tab", "Tab", "Tab", "Enter"):
        pad.keyboard.press(key) if key in {"Tab", "Enter"} else pad.keyboard.type(key)
    pad.get_by_role("button", name="Start").focus()
    pad.evaluate("async () => { await navigator.serviceWorker.ready; }")
    pad.context.set_offline(True)
    pad.keyboard.press("Enter")
    expect(pad.get_by_role("heading", name="Round 1")).to_be_focused()
    # The sign, then the points; Enter goes on to what is empty.
    for key in ("Tab", "Tab"):
        pad.keyboard.press(key)
    pad.keyboard.type("4")
    pad.keyboard.press("Enter")
    expect(pad.get_by_label("Points of Bo")).to_be_focused()
    pad.keyboard.type("7")
    pad.keyboard.press("Tab")
    pad.keyboard.press("Space")
    pad.keyboard.press("Tab")
    pad.keyboard.press("Enter")
    assert totals(pad) == ["4", "14"]
    pad.reload()
    assert totals(pad) == ["4", "14"]
    # With its files, which have other names here than in a checkout.
    kept = pad.evaluate("async () => (await (await caches.open('score-pad')).keys()).map(({url}) => url)")
    files = [url for url in kept if not url.endswith("/rules/score-pad/")]
    assert {url.rpartition(".")[2] for url in files} == {"css", "js", "svg"}
    assert all(re.search(r"/static/arena/[\w-]+\.[0-9a-f]{12}\.\w+$", url) for url in files)
    pad.context.set_offline(False)


def test_eight_players_with_long_names_fit_a_phone(pad: Page) -> None:
    pad.set_viewport_size({"width": 360, "height": 740})
    names = [f"Player-with-a-name-{number}" for number in range(8)]
    begin(pad, *names)
    write_down(pad, {name: 3 * number for number, name in enumerate(names)}, names[0])
    assert pad.evaluate("document.documentElement.scrollWidth") == 360
    assert pad.evaluate(TARGETS) == 0
    pad.get_by_role("button", name="New game").click()
    expect(pad.get_by_role("button", name="Add a player")).to_be_hidden()
    assert pad.evaluate(TARGETS) == 0


@pytest.mark.parametrize(
    "kept", ["{", "null", '{"format": 1, "game": {"names": [1]}, "past": []}', '{"format": 2}']
)
def test_what_it_cannot_read_in_its_store_is_no_hindrance(pad: Page, kept: str) -> None:
    pad.evaluate("(kept) => localStorage.setItem('score-pad', kept)", kept)
    pad.reload()
    begin(pad, "Ada", "Bo")
    write_down(pad, {"Ada": 1, "Bo": 2}, "Ada")
    assert totals(pad) == ["1", "2"]


def test_the_longest_cheat_sheets_print_on_one_page_of_a4_and_of_letter(page: Page) -> None:
    lengths = {}
    for preset in PRESETS:
        page.goto(f"/rules/cheat-sheet/?rules={preset}")
        lengths[preset] = len(page.locator(".sheet").inner_text())
    for preset in sorted(lengths, key=lambda name: lengths[name])[-2:]:
        page.goto(f"/rules/cheat-sheet/?rules={preset}")
        for paper in ("A4", "Letter"):
            pages = re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))
            assert len(pages) == 1, f"{preset} on {paper}"
