"""Attack 63: fills what is kept of a game to its caps: notes, standard error, and the game's length."""

import os

from attacker import serve

asked = 0


def act(message):
    """Never turns a card over once its first two are: takes the discard and puts it where a card lies open."""
    global asked
    asked += 1
    view = message["view"]
    grid = view["grids"][view["seat"]]
    if asked < 16:
        os.write(2, b"\0\xff" * 30_000)
    answer = {"id": message["id"], "note": "\U0001f0cf" * 200}
    if message["phase"] == "reveal":
        return {**answer, "cells": [0, 5]}
    cell = next(cell for cell, card in enumerate(grid) if isinstance(card, int))
    return {**answer, "take": "discard", "cell": cell}


serve(act)
