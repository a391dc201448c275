"""Attack 70: computes in the collector of garbage and while objects are thrown away."""

import gc

from attacker import burn, plain, serve


class Heavy:
    def __del__(self):
        burn(0.004)


def act(message):
    heavy = Heavy()
    heavy.itself = heavy
    del heavy
    gc.collect()
    return plain(message)


gc.callbacks.append(lambda phase, info: burn(0.003))
serve(act)
