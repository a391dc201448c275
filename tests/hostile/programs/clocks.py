"""Attack 51: sets the clocks of the host."""

import time

from attacker import outcomes, play_after, system_call


def attack():
    return outcomes(
        {
            "settimeofday": lambda: system_call(164, 0, 0),
            "clock_settime": lambda: time.clock_settime(time.CLOCK_REALTIME, 0),
            "adjtimex": lambda: system_call(159, 0),
            "clock_adjtime": lambda: system_call(305, 0, 0),
            "settimer of the host": lambda: system_call(222, 0, 0, 0),
        }
    )


play_after(attack)
