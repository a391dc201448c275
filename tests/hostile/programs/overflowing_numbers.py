"""Attack 39: numbers that are too large for a float and become infinite where they are read."""

from attacker import serve

NUMBERS = (b"1e999", b"1.0E400")

serve(lambda message: b'{"cells":[0,%s],"id":%d}' % (NUMBERS[message["view"]["seat"]], message["id"]))
