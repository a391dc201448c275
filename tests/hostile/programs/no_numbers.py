"""Attack 39: NaN and Infinity, which Python's own reader takes for numbers."""

from attacker import serve

NUMBERS = (b"NaN", b"-Infinity")

serve(lambda message: b'{"cells":[0,%s],"id":%d}' % (NUMBERS[message["view"]["seat"]], message["id"]))
