"""What a bot writes to standard error: counted, and kept in part."""

from __future__ import annotations

from typing import Final

STDERR_KEPT_BYTES: Final = 64 * 1024
STDERR_BYTES: Final = 1024 * 1024


class StderrLog:
    """One game's standard error: the first half of what is kept, the last half, and a count of all of it."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = bytearray()
        self._bytes = 0

    def add(self, piece: bytes) -> None:
        half = STDERR_KEPT_BYTES // 2
        self._bytes += len(piece)
        room = half - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        self._tail += piece
        if len(self._tail) > 2 * half:  # not for every piece: a bot may write byte by byte
            del self._tail[:-half]

    @property
    def is_flood(self) -> bool:
        return self._bytes > STDERR_BYTES

    def text(self) -> bytes:
        tail = bytes(self._tail[-(STDERR_KEPT_BYTES // 2) :])
        left_out = self._bytes - len(self._head) - len(tail)
        gap = b"\n[%d bytes left out]\n" % left_out if left_out else b""
        return self._head + gap + tail

    def end(self) -> bytes:
        return (self._head + self._tail[-2048:])[-2048:]

    def last_line(self) -> bytes:
        return self.end().strip().rpartition(b"\n")[2]
