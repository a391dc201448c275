"""Bots for the tests of the kit."""

STEADY = """
from skyjo import Bot, run

class Steady(Bot):
    def draw(self, view):
        return view.draw()

    def place(self, view, card):
        return view.flip(view.hidden()[0])

run(Steady)
"""
LOW = STEADY.replace(
    "return view.flip", "if card < 0:\n            return view.swap(0)\n        return view.flip"
)
CRASHER = STEADY.replace(
    "return view.draw()",
    "if view.turn > 5:\n            raise RuntimeError('fell over\\x1b[31m')\n        return view.draw()",
)
LOOPER = STEADY.replace("return view.draw()", "\n        while True:\n            pass")
BABBLER = """
import sys

for line in sys.stdin:
    if '"hello"' in line:
        print('{"type":"ready"}', flush=True)
    elif '"act"' in line:
        print("how do you do?", flush=True)
"""
BARE = """#!/usr/bin/python3
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "act":
        view = message["view"]
        hidden = [cell for cell, card in enumerate(view["grids"][view["seat"]]) if card is None]
        answers = {"reveal": {"cells": hidden[:2]}, "draw": {"take": "draw"}, "place": {"flip": hidden[0]}}
        print(json.dumps({"id": message["id"], **answers[message["phase"]]}), flush=True)
"""
