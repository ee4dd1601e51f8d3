"""What becomes of a record on which a decision or a fold raises: left out, told, tried again.

Decisions are pure, so one that raises on a record raises on it for ever. Every stage does the same
then, in whatever shell: it tries three times, tells it with ``dlq.undecidable`` (who failed, where,
why, under which code, and the fact that has it decided again), answers whoever waits, acknowledges
the record and goes on with the next. Only the machine is not to blame a record for: when memory, a
disk or a store fails, the stage stops and decides the same again after a restart.

- A step answers with its ``give_up``.
- A writer answers in its own output, as it always does (``Writer.give_up``): first all of the due
  decision but what raises, and if that fails too, that nothing was decided. So the sequence has no
  gap, and a replay reads the answer and calls nothing of what raised.
- A fold that raises on a record takes in no more of it than its place and who is answered
  (``Writer.pass_over``). The store remembers such records and the version of the code; under
  another version all is folded again from the start, and what can be folded then is settled.

Decided against: to leave the answer out and hold back only the project. Whoever waits for a run,
a turn or a decision would wait until an upgrade.
"""

from __future__ import annotations

import sqlite3
import traceback
from dataclasses import dataclass, replace
from pathlib import Path

from schemas.code_version import code_version
from schemas.codec import encode
from schemas.envelope import Envelope, Lane
from schemas.events.dlq import DeadLetterSettled, RecordUndecidable
from schemas.ids import derive_event_id
from schemas.strings import redact_fact
from streams.cause import Cause
from streams.hygiene.redaction.strings import STAGE_REDACTOR

TRIES = 3
KEPT_VALUE_BYTES = 512 * 1024
ROOT = Path(__file__).resolve().parents[1]
RETRIES = "|retries|"  # in a natural key, before the id of a dead letter
TOO_LARGE = "RecordTooLarge"
OF_THE_MACHINE = (MemoryError, OSError, sqlite3.Error)


def build() -> str:
    """The version of the code that decides and folds."""
    return code_version("schemas", "streams")


@dataclass(frozen=True)
class Failure:
    """An exception in words that may be kept: its class, and where it happened."""

    error_class: str
    error: str


def describe(error: BaseException) -> Failure:
    """Class and place, without the message, which may hold a record's content."""
    name = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return Failure(name, name)
    last = frames[-1]
    file = Path(last.filename)
    shown = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file.name
    return Failure(name, f"{name} at {shown}:{last.lineno} in {last.name}")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Who failed under which code, on what place of the log, and how.

    For a writer's decision the place is the one that its answer takes.
    """

    stage: str
    stage_version: str
    topic: str
    partition: int
    offset: int
    failure: Failure
    attempts: int = TRIES

    @property
    def error_class(self) -> str:
        return self.failure.error_class

    @property
    def is_too_large(self) -> bool:
        """Whether the decision was made, and only could not be written."""
        return self.error_class == TOO_LARGE

    @property
    def reason(self) -> str:
        """The code by which the answer tells it."""
        return "record_too_large" if self.is_too_large else "undecidable"

    def of(self, error: BaseException) -> Trouble:
        """The same trouble with another failure, of a part of the decision."""
        return replace(self, failure=describe(error))


def kept(again: Envelope | None) -> bytes:
    """The fact that has something decided again, as bytes."""
    if again is None:
        return b""
    return encode(redact_fact(again, STAGE_REDACTOR).recorded(again.occurred_at))


def make_letter(
    trouble: Trouble, cause: Cause, subject_id: str, again: Envelope | None = None
) -> RecordUndecidable:
    """What is told of a part of a writer's decision; ``again`` has it decided once more."""
    value = kept(again)
    return RecordUndecidable(
        stage=trouble.stage,
        origin_topic=trouble.topic,
        origin_partition=trouble.partition,
        origin_offset=trouble.offset,
        origin_key=cause.project_id,
        value=value if 0 < len(value) <= KEPT_VALUE_BYTES else None,
        error_class=trouble.error_class,
        error=trouble.failure.error,
        attempts=trouble.attempts,
        subject_id=subject_id,
        stage_version=trouble.stage_version,
        attempt_id=f"{cause.event_id}|{subject_id}",
    )


def make_record_letter(trouble: Trouble, cause: Envelope, key: str, value: bytes) -> Envelope:
    """What is told of a record that a stage without state, or a fold, cannot take in."""
    letter = RecordUndecidable(
        stage=trouble.stage,
        origin_topic=trouble.topic,
        origin_partition=trouble.partition,
        origin_offset=trouble.offset,
        origin_key=key,
        value=value if 0 < len(value) <= KEPT_VALUE_BYTES else None,
        error_class=trouble.error_class,
        error=trouble.failure.error,
        attempts=trouble.attempts,
        subject_id=str(cause.event_id),
        stage_version=trouble.stage_version,
    )
    return cause.caused(letter)


def letter_id_of(trouble: Trouble, cause: Cause, subject_id: str) -> str:
    """The id that the letter about the subject will have."""
    return make_letter(trouble, cause, subject_id).dead_letter_id


def tell(
    trouble: Trouble,
    cause: Cause,
    subject_id: str,
    again: Envelope | None = None,
    *,
    lane: Lane = "none",
    run_id: str | None = None,
) -> Envelope:
    """The letter as a fact that ``cause`` led to."""
    letter = make_letter(trouble, cause, subject_id, again)
    return cause.caused(letter, lane=lane, run_id=run_id)


def try_again(fact: Envelope, cause: Cause, dead_letter_id: str) -> Envelope:
    """The fact of ``cause`` as one of its own, so that it is answered once more."""
    key = f"{cause.natural_key}{RETRIES}{dead_letter_id}"
    event_id = derive_event_id(fact.event.type_name, cause.project_id, key)
    return replace(fact, event_id=event_id, natural_key=key, correlation_id=cause.correlation_id)


def settled_by(cause: Cause, stage: str) -> list[Envelope]:
    """What is to be told when a fact is answered that tries another again."""
    _, retries, dead_letter_id = cause.natural_key.rpartition(RETRIES)
    return [settled(cause, dead_letter_id, stage)] if retries else []


def settled(cause: Cause, dead_letter_id: str, stage: str) -> Envelope:
    """``cause`` had what a dead letter is about decided."""
    event = DeadLetterSettled(dead_letter_id=dead_letter_id, stage=stage)
    return cause.caused(event, lane="none", run_id=None)
