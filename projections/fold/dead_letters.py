"""Dead letters: what a stage gave up, and what the projector itself could not read."""

from __future__ import annotations

from typing import Any
from uuid import NAMESPACE_OID, uuid5

from projections.checkpoint import Record
from projections.rows import Rows
from schemas.code_version import code_version
from schemas.codec import InvalidRecord
from schemas.envelope import SERVICE_WIDE, Envelope, Event
from schemas.events.dlq import DeadLetter, DeadLetterResolved, RecordUndecidable
from schemas.ids import derive_id

STAGE = "projector"
LARGEST_KEPT_BYTES = 512 * 1024  # of a larger record only the place is kept


def dead_letter(rows: Rows, fact: Envelope, event: DeadLetter) -> None:
    rows.add(
        fact,
        "dead_letters",
        {
            "dead_letter_id": event.dead_letter_id,
            "stage": event.stage,
            "origin_topic": event.origin_topic,
            "origin_partition": event.origin_partition,
            "origin_offset": event.origin_offset,
            "origin_key": event.origin_key,
            "value": _hex(event.value),
            "error_class": event.error_class,
            "error": event.error,
            "attempts": event.attempts,
            "recorded_at": fact.recorded_at,
        }
        | _undecided(event),
    )


def _undecided(event: DeadLetter) -> dict[str, Any]:
    """What is known of a record on which code raised."""
    if not isinstance(event, RecordUndecidable):
        return {"undecidable": False, "subject_id": None, "stage_version": None}
    return {
        "undecidable": True,
        "subject_id": event.subject_id,
        "stage_version": event.stage_version,
    }


def resolved(rows: Rows, fact: Envelope, event: DeadLetterResolved) -> None:
    """In a table of its own: it may be read before its dead letter."""
    row = {"dead_letter_id": event.dead_letter_id, "resolved_at": fact.recorded_at}
    rows.add(fact, "resolved_dead_letters", row)


def unreadable(rows: Rows, record: Record, error: Exception, attempts: int = 1) -> None:
    """The record is kept as a dead letter of the projector; it is not published anywhere.

    Of bytes that are no fact only the place is kept, because nobody has redacted them.
    """
    value = record.value or b""
    is_fact = not isinstance(error, InvalidRecord)
    is_kept = is_fact and len(value) <= LARGEST_KEPT_BYTES
    place = f"{STAGE}|{record.topic}|{record.partition}|{record.offset}"
    rows.put(
        "dead_letters",
        {
            "dead_letter_id": derive_id("dlq", place),
            "project_id": dict(record.headers).get("project-id", b"").decode("utf-8", "replace")
            or SERVICE_WIDE,
            "stage": STAGE,
            "origin_topic": record.topic,
            "origin_partition": record.partition,
            "origin_offset": record.offset,
            "origin_key": (record.key or b"").decode("utf-8", "replace") if is_fact else "",
            "value": _hex(value) if is_kept else None,
            "error_class": type(error).__name__,
            "error": " ".join(str(error).split())[:500],
            "attempts": attempts,
            "undecidable": is_fact,
            "subject_id": None,
            "stage_version": code_version("schemas", "projections") if is_fact else None,
            "updated_from_event_id": uuid5(NAMESPACE_OID, place),
        },
    )


def _hex(value: bytes | None) -> str | None:
    """Bytes as the database reads them in text."""
    return None if value is None else f"\\x{value.hex()}"


FOLDS: dict[type[Event], Any] = {
    DeadLetter: dead_letter,
    RecordUndecidable: dead_letter,
    DeadLetterResolved: resolved,
}
