"""What the hostile programs share: a plain way to play, and words for what an attack came to.

It lies beside each program in its sandbox. A program tells what it managed in lines of JSON on standard error, which
the record keeps for the bot's owner.
"""

import ctypes
import errno
import json
import os
import sys
import time

_library = ctypes.CDLL(None, use_errno=True)


def outcome(action, *arguments):
    """What the action gave, or the name of its error."""
    try:
        result = action(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
    except Exception as error:
        return type(error).__name__
    return result if isinstance(result, str | int | list | dict) else "done"


def outcomes(actions):
    return {name: outcome(action) for name, action in actions.items()}


def system_call(number, *arguments):
    """A call of the system past Python and the C library. Raises OSError."""
    ctypes.set_errno(0)
    given = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = _library.syscall(ctypes.c_long(number), *given)
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def tell(**found):
    os.write(2, json.dumps(found).encode() + b"\n")


def burn(seconds):
    """Uses CPU time of this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def plain(message):
    """A plain answer: the same moves whatever an attack brought."""
    view = message["view"]
    hidden = [cell for cell, card in enumerate(view["grids"][view["seat"]]) if card is None]
    if message["phase"] == "reveal":
        return {"id": message["id"], "cells": hidden[:2]}
    if message["phase"] == "draw":
        return {"id": message["id"], "take": "draw"}
    return {"id": message["id"], "flip": hidden[0]}


def write(line):
    """A line, given as bytes or as what is to be JSON, to standard output."""
    line = line if isinstance(line, bytes) else json.dumps(line).encode()
    line += b"\n"
    while line:
        line = line[os.write(1, line) :]


def messages():
    """The messages of the match, answered hello already."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "hello":
            write({"type": "ready"})
        yield message


def serve(act, **others):
    """Plays: `act(message)` gives the line that answers a question; `others` are called for messages of their type."""
    for message in messages():
        if message["type"] == "act":
            write(act(message))
        elif message["type"] in others:
            others[message["type"]](message)


def play_after(attack):
    """Attacks at the first question of the process, tells what came of it, and plays on as if nothing had been."""
    told = False

    def act(message):
        nonlocal told
        if not told:
            told = True
            tell(**attack())
        return plain(message)

    serve(act)
