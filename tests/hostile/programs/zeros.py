"""Attack 41: NUL and what else a database or a page might choke on, in notes and on standard error."""

import os

from attacker import plain, serve

NOTES = (
    "\0\0before\0after",
    "\x1b[2J\x1b]0;title\x07",
    "\u202egnp.exe",
    "<script>alert(1)</script>",
    "=HYPERLINK(0)",
    "{{ settings.SECRET_KEY }} {% debug %}",
    "\ufeff\u2028\u2029\uffff\U0010ffff",
    "e" + "\u0301" * 199,
)


def act(message):
    os.write(2, b"\0\xff\xfe\x1b[31m\xed\xa0\x80 <b>")
    return {**plain(message), "note": NOTES[message["id"] % len(NOTES)]}


serve(act)
