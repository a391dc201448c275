"""Attack 54: continues itself where it has been stopped, by signals of its own and by timers of the kernel,
to think on the opponent's turn."""

import ctypes
import os
import signal
import sys
import threading
import time

from attacker import burn, messages, outcome, plain, system_call, tell, write

sys.setswitchinterval(0.0001)  # so that its answers are not late themselves
mine = threading.Event()
others_s = 0.0


class Notice(ctypes.Structure):  # struct sigevent
    _fields_ = [("value", ctypes.c_void_p), ("signo", ctypes.c_int), ("rest", ctypes.c_int * 13)]


def timer():
    made, every = ctypes.c_void_p(), (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000)
    system_call(222, 1, ctypes.byref(Notice(None, signal.SIGCONT)), ctypes.byref(made))
    system_call(223, made, 0, every, 0)


def keep_going():
    global others_s
    while True:
        before = time.thread_time()
        outcome(lambda: os.kill(os.getpid(), signal.SIGCONT))
        burn(0.0001)
        if not mine.is_set():
            others_s += time.thread_time() - before


def attack():
    signal.signal(signal.SIGCONT, lambda *_: None)
    thread = threading.get_native_id()
    tell(
        timer=outcome(timer),
        kill=outcome(lambda: os.kill(os.getpid(), signal.SIGCONT)),
        tkill=outcome(lambda: system_call(200, thread, signal.SIGCONT)),
        tgkill=outcome(lambda: system_call(234, os.getpid(), thread, signal.SIGCONT)),
        queue=outcome(lambda: system_call(129, os.getpid(), signal.SIGCONT, bytes(128))),
        other_signals=outcome(lambda: os.kill(os.getpid(), signal.SIGWINCH)),
    )
    threading.Thread(target=keep_going, daemon=True).start()
    threading.Thread(target=keep_going, daemon=True).start()


for message in messages():
    if message["type"] == "act":
        mine.set()
        if message["id"] == 1:
            attack()
        tell(thought_ms=others_s * 1000)
        write(plain(message))
        mine.clear()
