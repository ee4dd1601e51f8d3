"""What a failure is, and what becomes of it.

An outage is never the record's fault: it is waited for, within bounds, and then the process stops
with the offsets where they are. Everything else is tried three times and ends among the dead
letters.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from infra.errors import Unavailable
from schemas.codec import InvalidRecord
from schemas.envelope import SERVICE_WIDE, SYSTEM, Envelope, outside_fact
from schemas.events.dlq import DeadLetter
from streams.shell.delivery import Delivery

T = TypeVar("T")
TRIES = 3
BACK_OFF_S = 0.05
OUTAGE_BACK_OFF_S = 0.25
KEPT_VALUE_BYTES = 512 * 1024
ROOT = Path(__file__).resolve().parents[2]


class ShellFailure(Exception):
    """A failure whose message may be shown: it holds no content of a record."""


class RecordTooLarge(ShellFailure):
    """An output is above what its topic takes; trying again cannot help."""


class Undecidable(ShellFailure):
    """A writer failed to decide, three times; the message says where."""


class StageStopped(ShellFailure):
    """A stage cannot go on and must not skip: the process ends with this sentence."""


class ChildFailed(Exception):
    """What a child process reports of the exception of its job: class and place, no content."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.error)
        self.failure = failure


@dataclass(frozen=True)
class Failure:
    """An exception in words that may be kept: its class, and where it happened."""

    error_class: str
    error: str


def failure_of(error: BaseException) -> Failure:
    """Class and place; the message only of exceptions that are known to name no content."""
    if isinstance(error, ChildFailed):
        return error.failure
    name = type(error).__name__
    if isinstance(error, ShellFailure | InvalidRecord):
        return Failure(name, str(error))
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return Failure(name, name)
    last = frames[-1]
    file = Path(last.filename)
    shown = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file.name
    return Failure(name, f"{name} at {shown}:{last.lineno} in {last.name}")


def dead_letter(
    stage: str, delivery: Delivery, error: BaseException, attempts: int, cause: Envelope | None
) -> Envelope:
    """The dead letter of a record; its id is made of stage and place, so a repeat is the same."""
    failure = failure_of(error)
    event = DeadLetter(
        stage=stage,
        origin_topic=delivery.topic,
        origin_partition=delivery.partition,
        origin_offset=delivery.offset,
        origin_key=delivery.key.decode(errors="replace"),
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
