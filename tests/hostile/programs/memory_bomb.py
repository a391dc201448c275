"""Attack 3: takes memory without end."""

from attacker import serve

hoard = []


def act(message):
    while True:
        hoard.append(bytearray(1 << 20))


serve(act)
