"""Ends the sandboxes of a process that has been killed, in whatever state they are.

bubblewrap dies with its parent, but not in its first milliseconds: what is half-made then waits for ever, or goes on
and runs a bot that nobody watches. So a small shell stands beside each process that starts sandboxes. It is told of
each of them before it exists, by the pipe that will be its standard input, and reads on until that process is gone.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import threading
from collections.abc import Iterator
from typing import Final

# Whoever is killed may just have made a child that the list at hand does not show: nothing is left only when nothing
# was found twice.
_SCRIPT: Final = r"""
cd /
held=' '
while read -r word; do
    case $word in
        +*) held="$held${word#+} " ;;
        -*) held="${held%%" ${word#-} "*} ${held#*" ${word#-} "}" ;;
    esac
done
for inode in $held; do
    set -- "$@" -o -lname "pipe:\\[$inode\\]"
done
n_empty=$(($# ? 0 : 2))
while [ "$n_empty" -lt 2 ]; do
    n_empty=$((n_empty + 1))
    for path in $(find /proc/[0-9]*/fd/0 -false "$@"); do
        path=${path#/proc/}
        kill -9 "${path%%/*}"
        n_empty=0
    done
done
"""
_NOBODY: Final = -1


class Guard:
    """The shell beside this process, which begins when it is first needed."""

    def __init__(self) -> None:
        self._begin_anew()
        os.register_at_fork(after_in_child=self._leave_to_parent)

    @contextlib.contextmanager
    def holding(self, pipe: int) -> Iterator[None]:
        """To start a process whose standard input is this pipe, given by either end: from now on it ends with us.

        It is to be released when it has ended, unless its start fails. Raises OSError where there is no shell.
        """
        inode = os.fstat(pipe).st_ino
        with self._lock:
            self._held.add(inode)
            self._tell(f"+{inode}\n")
        try:
            yield
        except BaseException:
            self.release(inode)
            raise

    def release(self, inode: int) -> None:
        """The sandbox with this pipe has ended. Never an error."""
        with self._lock:
            self._held.discard(inode)
            with contextlib.suppress(OSError):
                self._tell(f"-{inode}\n")

    @property
    def pid(self) -> int:
        """The shell's, or -1 as long as there is none."""
        return self._pid

    def _begin_anew(self) -> None:
        self._lock = threading.Lock()
        self._held: set[int] = set()
        self._pipe = self._pid = _NOBODY

    def _tell(self, line: str) -> None:
        try:
            if self._pid != _NOBODY:
                os.write(self._pipe, line.encode())
                return
        except OSError:  # somebody has ended it, or keeps it from reading
            self._stop()
        self._start()

    def _start(self) -> None:
        read, write = os.pipe2(os.O_CLOEXEC)
        try:
            os.set_blocking(write, False)
            os.write(write, "".join(f"+{inode}\n" for inode in self._held).encode())
            self._pid = os.posix_spawn(
                "/bin/sh",
                ["sh", "-c", _SCRIPT],
                {"PATH": "/usr/bin:/bin"},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, read, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
                setsid=True,  # what is sent to the group of this process does not reach it
            )
        except OSError:
            os.close(write)
            raise
        finally:
            os.close(read)
        self._pipe = write

    def _stop(self) -> None:
        os.close(self._pipe)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        self._pipe = self._pid = _NOBODY

    def _leave_to_parent(self) -> None:
        """In a child that was forked: while it holds the pipe, the shell would not notice its parent's end."""
        if self._pid != _NOBODY:
            os.close(self._pipe)
        self._begin_anew()


@functools.cache
def guard() -> Guard:
    """That of this process."""
    return Guard()
