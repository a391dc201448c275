"""Attack 69: does not leave: a handler at the exit that computes for ever, and a process for afterwards."""

import atexit
import os
import sys

from attacker import burn, outcome, plain, serve, tell


def stay():
    tell(fork_at_exit=outcome(os.fork))
    burn(1e9)


atexit.register(stay)
serve(plain, bye=lambda message: sys.exit())
