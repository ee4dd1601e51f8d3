"""What a failure is, and what becomes of it.

An outage is never the record's fault: it is waited for, within bounds, and then the process stops
with the offsets where they are. So it is when memory, a disk or a store fails. Everything else is
tried three times and ends among the dead letters (``streams.undecidable``).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from infra.platform.errors import Unavailable
from schemas.codec import InvalidRecord
from schemas.envelope import SERVICE_WIDE, SYSTEM, Envelope, outside_fact
from schemas.events.dlq import RETRIES_HEADER, DeadLetter
from streams.cause import Cause
from streams.shell.delivery import Delivery
from streams.undecidable import (
    KEPT_VALUE_BYTES,
    Failure,
    Trouble,
    build,
    describe,
    make_record_letter,
    settled,
)

T = TypeVar("T")
BACK_OFF_S = 0.05
OUTAGE_BACK_OFF_S = 0.25


class ShellFailure(Exception):
    """A failure whose message may be shown: it holds no content of a record."""


class RecordTooLarge(ShellFailure):
    """An output is above what its topic takes; trying again cannot help."""


class StageStopped(ShellFailure):
    """A stage cannot go on and must not skip: the process ends with this sentence."""


class ChildFailed(Exception):
    """What a child process reports of the exception of its job: class and place, no content."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.error)
        self.failure = failure


def settles(delivery: Delivery, stage: str, cause: Envelope) -> list[Envelope]:
    """What is to be told when the record is answered, if somebody retries a dead letter by it."""
    letter = retried_letter(delivery)
    return [settled(Cause.of(cause), letter, stage)] if letter else []


def retried_letter(delivery: Delivery) -> str:
    """The id of the dead letter that somebody retries by the record; nothing where nobody does."""
    values = (value for name, value in delivery.headers if name == RETRIES_HEADER)
    return next(values, b"").decode(errors="replace")


def failure_of(error: BaseException) -> Failure:
    """Class and place; the message only of exceptions that are known to name no content."""
    if isinstance(error, ChildFailed):
        return error.failure
    if isinstance(error, ShellFailure | InvalidRecord):
        return Failure(type(error).__name__, str(error))
    return describe(error)


def dead_letter(
    stage: str, delivery: Delivery, error: BaseException, attempts: int, cause: Envelope | None
) -> Envelope:
    """The dead letter of a record; its id is made of stage and place, so a repeat is the same.

    One whose bytes are no fact, without a ``cause``, says no more than where it is.
    """
    failure, key = failure_of(error), delivery.key.decode(errors="replace")
    place = (delivery.topic, delivery.partition, delivery.offset)
    if cause is not None and not _is_too_large(failure):
        trouble = Trouble(stage, build(), *place, failure, attempts)
        return make_record_letter(trouble, cause, key, delivery.value)
    event = DeadLetter(
        stage=stage,
        origin_topic=delivery.topic,
        origin_partition=delivery.partition,
        origin_offset=delivery.offset,
        origin_key=key,
        value=delivery.value if cause and len(delivery.value) <= KEPT_VALUE_BYTES else None,
        error_class=failure.error_class,
        error=failure.error,
        attempts=attempts,
    )
    if cause is not None:
        return cause.caused(event)
    return outside_fact(
        event, project_id=SERVICE_WIDE, occurred_at=delivery.at, actor=SYSTEM, correlation_id=""
    )


def _is_too_large(failure: Failure) -> bool:
    """Whether all was decided, and only could not be written."""
    return failure.error_class == RecordTooLarge.__name__


async def patiently(what: Callable[[], Awaitable[T]], patience_s: float) -> T:
    """The result of ``what``, tried again while something outside is away. Raises Unavailable."""
    deadline = time.monotonic() + patience_s
    wait_s = OUTAGE_BACK_OFF_S
    while True:
        try:
            return await what()
        except Unavailable:
            if time.monotonic() + wait_s > deadline:
                raise
        await asyncio.sleep(wait_s)
        wait_s = min(2 * wait_s, 5.0)
