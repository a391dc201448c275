"""The broker where there is no Redis: bells in a folder, each a file that is there as a whole or not at all.

kombu has such a transport too, but its readers find files that are still being written, and a worker dies of a bell
that cannot be read.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import virtual
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)

# How a file's name ends, after the queue's: a bell, one that is being written, one that nobody can read.
BELL, PART, BROKEN = ".msg", ".part", ".broken"


class Channel(virtual.Channel):
    """Of the transport's options it needs `folder`, where the bells lie."""

    @property
    def folder(self) -> Path:
        client: Any = self.connection.client
        return Path(client.transport_options["folder"])

    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:
        bell = self.folder / f"{time.monotonic_ns():020}_{uuid.uuid4()}.{queue}{BELL}"
        part = Path(f"{bell}{PART}")
        try:
            part.write_text(dumps(message))
            part.rename(bell)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise ChannelError(f"The bell {bell} cannot be written: {error.strerror}") from error

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for bell in self._bells(queue):
            try:
                text = bell.read_bytes()
                bell.unlink()  # who does this has the bell
            except OSError:
                continue
            try:
                return loads(text)
            except ValueError:
                _put_aside(bell, text)
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._bells(queue))

    def _purge(self, queue: str) -> int:
        n_gone = 0
        for bell in self._bells(queue):
            with suppress(OSError):
                bell.unlink()
                n_gone += 1
        return n_gone

    def _bells(self, queue: str) -> list[Path]:
        """Oldest first."""
        folder, end = self.folder, f"{queue}{BELL}"
        return [folder / name for name in sorted(os.listdir(folder)) if name.partition(".")[2] == end]


class Transport(virtual.Transport):
    Channel = Channel
    # Between all connections of a process, as kombu's own transports have it.
    global_state = virtual.BrokerState()
    default_port = 0
    driver_type = driver_name = "folder"

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        self.state = self.global_state


def _put_aside(bell: Path, text: bytes) -> None:
    """For whoever wonders. The sweep rings anew for what the bell was about."""
    aside = Path(f"{bell}{BROKEN}")
    try:
        aside.write_bytes(text)
    except OSError:
        logger.warning("A bell of %d bytes cannot be read: %s", len(text), bell.name)
    else:
        logger.warning("A bell of %d bytes cannot be read and was put aside: %s", len(text), aside)
