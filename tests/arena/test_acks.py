"""A worker notices by a failed acknowledgement that its broker is gone."""

import logging
from collections.abc import Iterator

import pytest
from kombu.message import Message

from arena.acks import notice_dead_brokers


@pytest.fixture
def noticing() -> Iterator[None]:
    kept = Message.ack_log_error
    notice_dead_brokers()
    yield
    Message.ack_log_error = kept


class Channel:
    """One whose connection may be gone."""

    no_ack_consumers: frozenset[str] = frozenset()

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.acked: list[str] = []

    def basic_ack(self, tag: str, multiple: bool = False) -> None:
        if self.error:
            raise self.error
        self.acked.append(tag)


@pytest.mark.usefixtures("noticing")
def test_an_acknowledgement_that_fails_is_no_secret_of_the_log() -> None:
    message = Message("bell", channel=Channel(ConnectionError("gone")), delivery_tag="1")
    with pytest.raises(ConnectionError):
        message.ack_log_error(logging.getLogger(), (ConnectionError,))


@pytest.mark.usefixtures("noticing")
def test_an_acknowledgement_that_succeeds_is_made_once() -> None:
    channel = Channel()
    message = Message("bell", channel=channel, delivery_tag="1")
    message.ack_log_error(logging.getLogger(), (ConnectionError,))
    assert message.acknowledged
    assert channel.acked == ["1"]
