"""A bell in the folder is there as a whole or not at all, one worker gets it, and none dies of one that is broken."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu import Connection
from kombu.exceptions import ChannelError
from kombu.simple import SimpleQueue

PATIENCE_S = 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def queue(folder: Path) -> Iterator[SimpleQueue]:
    options = {"folder": str(folder), "polling_interval": 0.001}
    with (
        Connection(transport="arena.broker:Transport", transport_options=options) as connection,
        connection.SimpleQueue("checks") as queue,
    ):
        yield queue


def take(queue: SimpleQueue) -> object:
    message = queue.get(timeout=PATIENCE_S)
    message.ack()
    return message.payload


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_bells_are_taken_once_oldest_first_and_counted(queue: SimpleQueue, folder: Path) -> None:
    for n in range(3):
        queue.put(n)
    assert len(queue) == 3
    assert [take(queue) for _ in range(3)] == [0, 1, 2]
    assert len(queue) == 0
    assert names(folder) == []


def test_a_queue_hears_and_forgets_its_own_bells_alone(queue: SimpleQueue, folder: Path) -> None:
    (folder / "1_a.matches.msg").write_text("{}")
    queue.put("mine")
    assert queue.clear() == 1
    with pytest.raises(SimpleQueue.Empty):
        queue.get(block=False)
    assert names(folder) == ["1_a.matches.msg"]


def test_a_bell_whose_writer_is_half_way_is_not_there_yet(
    queue: SimpleQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_half_way: list[str] = []

    def write_slowly(path: Path, text: str) -> None:
        with path.open("w") as file:
            for piece in ("", text[: len(text) // 2], text[len(text) // 2 :]):
                file.write(piece)
                file.flush()
                seen_half_way.extend(names(folder))
                assert len(queue) == 0
                with pytest.raises(SimpleQueue.Empty):
                    queue.get(block=False)

    monkeypatch.setattr(Path, "write_text", write_slowly)
    queue.put("whole")
    assert len(seen_half_way) == 3
    assert take(queue) == "whole"


def test_a_bell_that_does_not_fit_on_the_disk_is_an_error_and_leaves_nothing(
    queue: SimpleQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_half(path: Path, text: str) -> None:
        path.write_bytes(text[: len(text) // 2].encode())
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full_disk:
        full_disk.setattr(Path, "write_text", write_half)
        with pytest.raises(ChannelError, match="No space left"):
            queue.put("lost")
    assert names(folder) == []


@pytest.mark.parametrize("content", [b"", b'{"body": "WzEsI', b"\0" * 64, b"\xff\xfe{}"])
def test_a_broken_bell_is_put_aside_with_a_warning_and_the_next_one_is_heard(
    queue: SimpleQueue, folder: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "00000000000000000001_a.checks.msg").write_bytes(content)
    queue.put("sound")
    with caplog.at_level(logging.WARNING, logger="arena.broker"):
        assert take(queue) == "sound"
    assert names(folder) == ["00000000000000000001_a.checks.msg.broken"]
    assert (folder / "00000000000000000001_a.checks.msg.broken").read_bytes() == content
    assert f"{len(content)} bytes" in caplog.text
    assert len(queue) == 0


def test_a_bell_that_another_worker_takes_first_is_left_to_it(
    queue: SimpleQueue, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.put("theirs")
    queue.put("mine")
    first = names(folder)[0]
    read_bytes = Path.read_bytes

    def read_as_another_takes_it(path: Path) -> bytes:
        content = read_bytes(path)
        if path.name == first:
            path.unlink()
        return content

    monkeypatch.setattr(Path, "read_bytes", read_as_another_takes_it)
    assert take(queue) == "mine"
