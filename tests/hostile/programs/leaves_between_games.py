"""Attack 71: computes when a game is over and leaves before it is charged; a fresh process takes its place."""

import os

from attacker import burn, messages, plain, tell, write

n_games = 0
for message in messages():
    if message["type"] == "game":
        n_games += 1
    elif message["type"] == "over":
        burn(0.15)
        os._exit(0)
    elif message["type"] == "act":
        if message["id"] > 1 and n_games == 1 and message["phase"] == "reveal":
            tell(fresh=message["clock"]["bank_ms"])
            burn(0.15)
        write(plain(message))
