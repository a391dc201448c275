"""Attack 53: attacks where its source is compiled: a compiler that runs out of stack or of memory."""

from attacker import outcome, serve, tell

SOURCES = (
    "(" * 5000,
    "-" * 50_000 + "1",
    "x = " + "[" * 150 + "]" * 150,
    "a" + ".a" * 20_000,
    "0 if 0 else " * 3000 + "0",
)


def act(message):
    for source in SOURCES:
        tell(compiled=outcome(compile, source, "bomb", "exec"))
    raise SystemExit(4)


serve(act)
