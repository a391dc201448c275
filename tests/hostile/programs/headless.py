"""Attack 56: its first thread ends and leaves a zombie for the referee to look at; another one plays on."""

import threading

from attacker import plain, serve, system_call


def forever():
    serve(plain)


threading.Thread(target=forever).start()
system_call(60, 0)  # exit of this thread alone
