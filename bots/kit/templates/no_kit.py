"""A bot without the kit: the bare protocol, one JSON object a line on standard input and output.

It shows what a bot in another language would have to do. Only hello and act want an answer.
"""

import json
import sys


def answer(message):
    """The action for a question."""
    view = message["view"]
    cells = view["grids"][view["seat"]]
    # A face-down cell is null, a removed one "x".
    hidden = [cell for cell in range(12) if cells[cell] is None]
    face_up = [cell for cell in range(12) if isinstance(cells[cell], int)]
    worst = max(face_up, key=lambda cell: cells[cell], default=hidden[0])
    if message["phase"] == "reveal":
        # Two cells; a single one in the tie-break that some rules have, when the first two lie open.
        return {"cells": hidden[:2] if len(hidden) == 12 else hidden[:1]}
    if message["phase"] == "draw":
        if view["discard"] <= 2:
            return {"take": "discard", "cell": worst}
        return {"take": "draw"}
    if view["drawn"] <= 4:
        return {"swap": worst}
    return {"flip": hidden[0]}


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        reply = {"type": "ready"}
    elif message["type"] == "act":
        reply = {"id": message["id"], **answer(message)}
    else:
        continue
    # Nothing else may be printed here; print(..., file=sys.stderr) reaches the bot's owner.
    print(json.dumps(reply), flush=True)
