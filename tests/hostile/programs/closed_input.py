"""Attack 61: closes its standard input and answers on, blindly."""

import os

from attacker import messages, plain, write

for message in messages():
    if message["type"] == "act":
        write(plain(message))
        break
os.close(0)
for number in range(message["id"] + 1, 100):
    write({"id": number, "take": "draw"})
