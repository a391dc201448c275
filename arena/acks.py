"""A bell that cannot be acknowledged means that the broker is gone, and the worker has to notice.

While all its processes are busy a worker does not listen to the broker. If the broker dies just then, all that shows it
is the acknowledgement that fails, and kombu only logs that: the worker then waits for credit at a dead connection for
ever, and still looks well. An error that is passed on makes Celery connect anew.
"""

from __future__ import annotations

from typing import Any

from kombu.message import Message


def ack_or_fail(message: Message, _logger: Any, _errors: Any, multiple: bool = False) -> None:
    """In place of `Message.ack_log_error`, which keeps a connection error to itself."""
    message.ack(multiple=multiple)


def notice_dead_brokers() -> None:
    """To be called before the worker takes its first bell."""
    ack_or_fail.__name__ = Message.ack_log_error.__name__  # by which Celery knows it
    Message.ack_log_error = ack_or_fail  # type: ignore[method-assign, assignment]
