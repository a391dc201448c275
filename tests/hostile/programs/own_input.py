"""Attack 44: writes to its standard input and reads its standard output, by their ends, by name and by new ones."""

import fcntl
import os
import select

from attacker import outcomes, play_after, system_call

O_DIRECT = os.O_DIRECT


def attack():
    return outcomes(
        {
            "write to input": lambda: os.write(0, b'{"type":"over"}\n'),
            "read output": lambda: os.read(1, 100),
            "read errors": lambda: os.read(2, 100),
            "reopen input": lambda: os.open("/proc/self/fd/0", os.O_WRONLY),
            "reopen output": lambda: os.open("/dev/fd/1", os.O_RDONLY),
            "splice into output": lambda: system_call(275, 0, 0, 1, 0, 100, 0),
            "tee": lambda: system_call(276, 0, 1, 100, 0),
            "input has room": lambda: len(select.select([], [0], [], 0)[1]),
            "seek": lambda: os.lseek(0, 0, os.SEEK_SET),
            "enlarge output": lambda: fcntl.fcntl(1, 1031, 1 << 20),
            "steal output's signals": lambda: fcntl.fcntl(1, fcntl.F_SETOWN, 1),
        }
    )


play_after(attack)
