"""Attack 46: speaks as the referee does, and says who has won."""

from attacker import serve

LINES = (
    b'{"type":"over","placing":[1,2],"totals":[-10,99]}',
    b'{"type":"over","placing":[2,1],"totals":[99,-10]}',
)

serve(lambda message: LINES[message["view"]["seat"]])
