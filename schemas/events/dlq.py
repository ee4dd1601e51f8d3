"""Records that could not be processed, with the reason and a way back, and what settled them."""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event
from schemas.ids import derive_id

RETRIES_HEADER = "retries"  # of a record that was published once more: the id of its dead letter


class DeadLetter(Event):
    """A stage could not process a record and gave it up. Key ``origin topic|key``.

    ``value`` is null above 512 KiB, and for bytes that are no fact: nobody has redacted these. Then
    topic, partition and offset say where the record is. ``error`` names the class and place of the
    failure, never source text. Natural key: stage and origin.
    """

    type_name: ClassVar[str] = "dlq.recorded"
    topic: ClassVar[str] = "dlq.v1"
    stable_key: ClassVar[bool] = True

    stage: str
    origin_topic: str
    origin_partition: int
    origin_offset: int
    origin_key: str
    value: bytes | None = None
    error_class: str
    error: str
    attempts: int

    @property
    def dead_letter_id(self) -> str:
        """What people call it by."""
        return derive_id("dlq", self.local_key)

    @property
    def aggregate_id(self) -> str:
        return f"{self.origin_topic}|{self.origin_key}"

    @property
    def local_key(self) -> str:
        place = f"{self.origin_topic}|{self.origin_partition}|{self.origin_offset}"
        return f"{self.stage}|{place}"


class RecordUndecidable(DeadLetter):
    """Code of a stage raised on a record, so it was left out and the stage went on with the next.

    ``subject_id`` is what could not be decided: a candidate, a turn, a decision, a request, or the
    id of a fact. ``value`` is the fact that has it decided again, after an upgrade; null when no
    fact can, since the stage folds the record again by itself. ``stage_version`` names the code
    that failed. ``attempt_id`` keeps apart what failed at one place: the id of the causing fact
    and the subject; empty where the place says it all.
    """

    type_name: ClassVar[str] = "dlq.undecidable"

    subject_id: str
    stage_version: str
    attempt_id: str = ""

    @property
    def local_key(self) -> str:
        return f"{self.stage}|{self.attempt_id}" if self.attempt_id else super().local_key


class DeadLetterResolved(Event):
    """What a dead letter is about was decided after all. Natural key: the dead letter."""

    type_name: ClassVar[str] = "dlq.resolved"
    topic: ClassVar[str] = "dlq.v1"
    stable_key: ClassVar[bool] = True

    dead_letter_id: str
    stage: str

    @property
    def aggregate_id(self) -> str:
        return self.dead_letter_id

    @property
    def local_key(self) -> str:
        return f"{self.dead_letter_id}|settled"
