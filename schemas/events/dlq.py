"""Records that could not be processed, with the reason and a way back."""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event


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
    def aggregate_id(self) -> str:
        return f"{self.origin_topic}|{self.origin_key}"

    @property
    def local_key(self) -> str:
        place = f"{self.origin_topic}|{self.origin_partition}|{self.origin_offset}"
        return f"{self.stage}|{place}"
