"""Rules in the words of people who play with cards: what each flag's value means, and the terms in two languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from matches.engine.rules import PRESETS, Preset, Rules

QUESTIONS = {
    "target": gettext_lazy("The total that ends the game"),
    "start_tie": gettext_lazy("Equal highest sums at the start"),
    "next_start": gettext_lazy("Who starts the later rounds"),
    "open_discard": gettext_lazy("When the discard pile is opened"),
    "columns": gettext_lazy("Three equal cards in a column"),
    "flip_after_discard": gettext_lazy("After discarding the drawn card"),
    "tie_doubles": gettext_lazy("Somebody has as few points as the closer"),
    "double_only_positive": gettext_lazy("The closer has zero points or fewer"),
    "final_tie": gettext_lazy("The lowest total is shared"),
    "turn_cap": gettext_lazy("A round without an end"),
    "round_cap": gettext_lazy("A game without an end"),
}
"""What each flag decides."""

ANSWERS: dict[str, dict[object, object]] = {
    "start_tie": {
        "lowest_seat": gettext_lazy("the lowest seat starts (the sheet is silent: agree on your own way)"),
        "flip_more": gettext_lazy("the tied players turn over one more card each"),
    },
    "next_start": {
        "closer": gettext_lazy("the player who closed the round before"),
        "round_winner": gettext_lazy("the player with the fewest points in the round before"),
        "highest_sum": gettext_lazy("the highest sum of two cards, as in the first round"),
    },
    "open_discard": {
        "before_reveal": gettext_lazy("before the first two cards are turned over"),
        "after_reveal": gettext_lazy("after the first two cards are turned over"),
    },
    "columns": {
        True: gettext_lazy("they leave the grid"),
        False: gettext_lazy("they stay and count"),
    },
    "flip_after_discard": {
        "must": gettext_lazy("a face-down card must be turned over"),
        "may": gettext_lazy("a face-down card may be turned over"),
    },
    "tie_doubles": {
        True: gettext_lazy("the closer's points double"),
        False: gettext_lazy("they stay as they are; only fewer points double them"),
    },
    "double_only_positive": {
        True: gettext_lazy("they never double"),
        False: gettext_lazy("they double like any others"),
    },
    "final_tie": {
        "shared": gettext_lazy("the win is shared"),
        "extra_round": gettext_lazy("the tied players play another round"),
    },
}  # fmt: skip
"""What each value of a flag means; of flags that are numbers, `answer` says it."""

TERMS = (
    (gettext_lazy("Draw pile"), "Nachziehstapel", gettext_lazy("The face-down stack in the middle.")),
    (gettext_lazy("Discard pile"), "Ablagestapel", gettext_lazy("The face-up stack beside it.")),
    (gettext_lazy("Player grid"), "Kartenauslage", gettext_lazy("Somebody's cards: four columns of three.")),
    (gettext_lazy("Face-down card"), "Verdeckte Karte", gettext_lazy("Its back is up, nobody knows it.")),
    (gettext_lazy("Face-up card"), "Offene Karte", gettext_lazy("Its number can be seen.")),
    (gettext_lazy("Flip, reveal"), "Aufdecken", gettext_lazy("To turn a face-down card over.")),
    (gettext_lazy("Swap, exchange"), "Austauschen", gettext_lazy("To put a card where another one of the grid lies.")),
    (gettext_lazy("Column"), "Spalte", gettext_lazy("Three cards one below the other.")),
    (gettext_lazy("Row"), "Reihe", gettext_lazy("Four cards side by side. Equal ones mean nothing.")),
    (gettext_lazy("Column removal"), "Spalte entfernen", gettext_lazy("Three equal cards leave the grid.")),
    (gettext_lazy("Round"), "Runde", gettext_lazy("From one deal to its points.")),
    (gettext_lazy("Game"), "Spiel", gettext_lazy("Rounds until somebody's total reaches the target.")),
    (gettext_lazy("Starting player"), "Startspieler", gettext_lazy("Who has the first turn of a round.")),
    (gettext_lazy("Final turn"), "Letzte Runde", gettext_lazy("The one turn of each other player after the close.")),
    (gettext_lazy("Score, points"), "Punkte", gettext_lazy("What the cards add up to. Few are good.")),
)  # fmt: skip
"""Official English terms, the German ones, and what they mean."""


@dataclass(frozen=True)
class Answer:
    """One answer to a question of the rules, and the presets that give it."""

    text: str
    presets: Sequence[Preset]


def answer(rules: Rules, flag: str) -> str:
    """What `rules` say to the question of a flag."""
    value = getattr(rules, flag)
    if flag == "target":
        return _("%(n)s points or more") % {"n": value}
    if flag == "turn_cap":
        return ngettext("cut after %(n)s turn of everybody", "cut after %(n)s turns of everybody", value) % {
            "n": value
        }
    if flag == "round_cap":
        return ngettext("over after %(n)s round", "over after %(n)s rounds", value) % {"n": value}
    return str(ANSWERS[flag][value])


def differing() -> list[tuple[str, list[Answer]]]:
    """The questions that presets answer differently, each with every answer, the publisher's first."""
    found = []
    for flag, question in QUESTIONS.items():
        by_value: dict[object, list[Preset]] = {}
        for preset in PRESETS.values():
            by_value.setdefault(getattr(preset.rules, flag), []).append(preset)
        if len(by_value) > 1:
            answers = [Answer(answer(presets[0].rules, flag), presets) for presets in by_value.values()]
            found.append((str(question), answers))
    return found


def differences(preset: Preset) -> list[tuple[str, str, str, str]]:
    """Where a preset differs from the publisher's sheet: flag, its value as in `hello.rules`, question, answer."""
    official = Rules()
    return [
        (flag, str(getattr(preset.rules, flag)).lower(), str(question), answer(preset.rules, flag))
        for flag, question in QUESTIONS.items()
        if getattr(preset.rules, flag) != getattr(official, flag)
    ]
