"""The rules for people who play with cards: told with pictures, as a sheet to print, and a pad that keeps the score."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.pages import rule_examples as examples
from arena.pages import rule_words as words
from arena.pages.doors import methods
from arena.pages.errors import NotThere
from arena.pictures import discard_picture, grid_picture, row_picture
from matches.engine import CELLS, COLUMNS, DECK, MAX_SEATS, MIN_SEATS, PRESETS, ROWS, VALUES, Preset
from matches.engine.cards import COPIES, REMOVED
from matches.engine.game import MAX_EXTRA_ROUNDS

WORKER = settings.BASE_DIR / "arena" / "static" / "arena" / "score-pad-worker.js"


@methods("GET")
def rules(request: HttpRequest) -> HttpResponse:
    taking, flipping, clearing, ending = (
        examples.taking(), examples.flipping(), examples.clearing(), examples.ending(),
    )  # fmt: skip
    column = range(ending.column * ROWS, (ending.column + 1) * ROWS)
    context = {
        **_table(),
        "deck": [
            (row_picture([value], _("A card of value %(n)s") % {"n": value}), COPIES[value])
            for value in VALUES
        ],
        "start": [
            (name, grid_picture(grid), examples.sum_of(grid))
            for name, grid in zip(("Ada", "Bo", "Cy"), examples.start_grids(), strict=True)
        ],
        "taking": _turn(taking),
        "flipping": _turn(flipping),
        "clearing": _turn(clearing),
        "ending": ending,
        "closed": grid_picture(ending.closed),
        "final_turn": grid_picture(ending.final_turn, [ending.cell]),
        "revealed": grid_picture(ending.revealed, column),
        "cleared": grid_picture(ending.cleared),
        "doubling": examples.doubling(),
        "finals": [
            {"rows": list(zip(("Ada", "Bo", "Cy"), final.totals, final.placing, strict=True))}
            for final in examples.finals()
        ],
        "terms": words.TERMS,
        "differing": words.differing(),
        "presets": [(preset, words.differences(preset)) for preset in PRESETS.values()],
    }
    return render(request, "arena/rules.html", context)


@methods("GET")
def cheat_sheet(request: HttpRequest) -> HttpResponse:
    preset = _chosen(request)
    clearing = examples.clearing()
    context = {
        **_table(),
        "presets": PRESETS.values(),
        "preset": preset,
        "rules": preset.rules,
        "answers": {flag: words.answer(preset.rules, flag) for flag in words.QUESTIONS},
        "deck": [
            (row_picture([value], _("A card of value %(n)s") % {"n": value}), COPIES[value])
            for value in VALUES
        ],
        "clearing": _turn(clearing),
    }
    return render(request, "arena/cheat_sheet.html", context)


@methods("GET")
def score_pad(request: HttpRequest) -> HttpResponse:
    context = {
        **_table(),
        "presets": [(preset, json.dumps(preset.rules.as_dict())) for preset in PRESETS.values()],
        "max_extra_rounds": MAX_EXTRA_ROUNDS,
        "fewest_points": sum(DECK[:CELLS]),
        "most_points": sum(DECK[-CELLS:]),
    }
    return render(request, "arena/score_pad.html", context)


@methods("GET")
def score_pad_worker(request: HttpRequest) -> HttpResponse:
    """What keeps the pad for reloads without a connection; served beside it, so that it reaches no other page."""
    return HttpResponse(WORKER.read_bytes(), content_type="text/javascript; charset=utf-8")


def _table() -> dict[str, Any]:
    return {
        "min_players": MIN_SEATS,
        "max_players": MAX_SEATS,
        "n_cards": len(DECK),
        "n_cells": CELLS,
        "n_columns": COLUMNS,
        "n_rows": ROWS,
    }


def _turn(turn: examples.Turn) -> dict[str, Any]:
    return {
        "before": grid_picture(turn.before, [turn.cell]),
        "after": grid_picture(turn.after, [turn.cell] if turn.after[turn.cell] != REMOVED else []),
        "discard": discard_picture(turn.discard),
        "turn": turn,
    }


def _chosen(request: HttpRequest) -> Preset:
    """The preset that the address names, else the publisher's."""
    name = request.GET.get("rules", "official")
    if name not in PRESETS:
        raise NotThere(
            _("There is no preset “%(name)s”. There are: %(names)s.")
            % {"name": name, "names": ", ".join(PRESETS)}
        )
    return PRESETS[name]
