"""List records that could not be processed, and have one decided once more.

What is published depends on who has failed. A stage that answers a record gets the record again,
with a header that names the dead letter. A writer's dead letter keeps the fact that has it decide
again. A chunk that could not be read is read by a run that resumes the one it was left out of, and
the content of a source by a trigger of its own. What a fold could not take in is folded again by
itself, once workers run another version of the code, and in the tables by a rebuild.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict, NotFound
from infra.platform.kafka import broker_errors, read_record, running_producer
from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from projections.fold.dead_letters import STAGE as PROJECTOR
from projections.read import dead_letters
from projections.read.dead_letters import WholeDeadLetter
from schemas.codec import InvalidRecord, decode, headers
from schemas.envelope import SYSTEM, Envelope, Event, outside_fact
from schemas.events.atom import CandidatesExtracted
from schemas.events.dlq import RETRIES_HEADER
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion_request import (
    IngestionRequested,
    ListedSource,
    RunResumeRequested,
    SourceReady,
    SourcesListed,
)
from schemas.events.source import SourceRevised
from schemas.ids import run_id as derive_run_id
from schemas.topics import key_of, topic_of
from streams.cause import Cause
from streams.pipeline import HYGIENE, pipeline
from streams.repartitioning import REPARTITIONER
from streams.run_control.starting import LANES
from streams.shell.outgoing import stamp
from streams.shell.reading import read_by_rules
from streams.undecidable import try_again

# Failures of a fact that was never written, so its place in the log holds another one.
NEVER_WRITTEN = {
    "RecordTooLarge": ("dead_letter_too_large", "was too large to be written to"),
    "Undecidable": ("dead_letter_undecidable", "could not be decided, and was never written to"),
}
READERS = frozenset({"map_preview", "map_deep", "reflect"})


@dataclass(frozen=True, slots=True)
class RetriedLetter:
    """``topic``, without prefix, is where the record of a dead letter stood."""

    dead_letter_id: str
    topic: str


async def retry_dead_letter(settings: Settings, dead_letter_id: str) -> RetriedLetter:
    """Have what a dead letter is about decided once more.

    A record whose value is not kept is read from its place. Raises NotFound, Conflict when nothing
    can be published, BrokerUnavailable.
    """
    letter = await ask(
        settings, lambda tables: dead_letters.find_dead_letter(tables, dead_letter_id)
    )
    if letter is None:
        raise NotFound(
            f"There is no dead letter {dead_letter_id}.",
            code="unknown_dead_letter",
            detail={"dead_letter_id": dead_letter_id},
        )
    if letter.undecidable:
        _check_can_be_published(letter)
    key, value = await _record_of(settings, letter)
    fact: Envelope | None = None
    with suppress(InvalidRecord, KeyError):
        fact = decode(value)
    if fact is None:
        await _publish(settings, letter.origin_topic, key, value, [])
    elif again := facts_instead(letter, fact):
        for each in again:
            made = stamp(each, SystemClock().now())
            await _publish(settings, made.topic, made.key.encode(), made.value, made.headers)
    else:
        retries = (RETRIES_HEADER, dead_letter_id.encode())
        topic, key = topic_of(fact).name, key_of(fact).encode()
        await _publish(settings, topic, key, value, [*headers(fact), retries])
    return RetriedLetter(dead_letter_id, letter.origin_topic)


def _check_can_be_published(letter: WholeDeadLetter) -> None:
    """Raises Conflict for what is folded again instead."""
    name = f"{letter.origin_topic}/{letter.origin_partition}@{letter.origin_offset}"
    if letter.stage == PROJECTOR:
        raise Conflict(
            f"{letter.dead_letter_id} is about rows made of {name}: a rebuild makes them.",
            code="dead_letter_of_tables",
        )
    writers = {writer.name for writer in pipeline(read_by_rules).writers}
    if letter.stage in writers and letter.value is None:
        raise Conflict(
            f"{letter.dead_letter_id} is about {name}, which {letter.stage} reads again by itself"
            " when the workers of another version start.",
            code="dead_letter_of_fold",
        )


def facts_instead(letter: WholeDeadLetter, fact: Envelope) -> list[Envelope]:
    """The facts by which a chunk or a source is read once more; none where the record does it."""
    if not letter.undecidable:
        return []
    match fact.event:
        case SourceProcessed(trigger_key=key) as processed if letter.stage == REPARTITIONER.name:
            runs = [derive_run_id(fact.project_id, key, lane) for lane in LANES]
            told = (SourceReady(processed=processed), *(_resume(letter, run) for run in runs))
            return [_again(letter, fact, event) for event in told]
        case ExtractRequested(run_id=run_id) if letter.stage in READERS:
            return [_again(letter, fact, _resume(letter, run_id))]
        case CandidatesExtracted(reading=reading) if letter.stage in READERS:
            return [_again(letter, fact, _resume(letter, reading.run_id))]
        case SourceRevised() as revised if letter.stage == HYGIENE:
            return _read_source_again(letter, fact, revised)
        case _:
            return []


def _resume(letter: WholeDeadLetter, run_id: str) -> RunResumeRequested:
    key = f"retry {letter.dead_letter_id}"
    return RunResumeRequested(run_id=run_id, request_key=key, retry_poison=True)


def _read_source_again(
    letter: WholeDeadLetter, fact: Envelope, revised: SourceRevised
) -> list[Envelope]:
    """A trigger about the one source. Raises Conflict where one record does not hold its text."""
    if revised.part_count > 1:
        raise Conflict(
            f"The text of {revised.source.path} is in {revised.part_count} records: ingest it"
            " again.",
            code="dead_letter_in_parts",
        )
    source, key = revised.source, f"retry {letter.dead_letter_id}"
    listed = ListedSource(
        source_id=source.source_id,
        path=source.path,
        source_type=source.source_type,
        priority_tier=source.priority_tier,
    )
    listing = SourcesListed(
        trigger_key=key,
        root=source.root,
        complete=False,
        part_index=0,
        part_count=1,
        sources=[listed],
    )
    asked = IngestionRequested(trigger_key=key, root=source.root, lanes=["deep"])
    content = revised.model_copy(update={"trigger_key": key})
    return [_again(letter, fact, event) for event in (asked, listing, content)]


def _again(letter: WholeDeadLetter, fact: Envelope, event: Event) -> Envelope:
    made = outside_fact(
        event, project_id=fact.project_id, occurred_at=fact.occurred_at, actor=SYSTEM
    )
    return try_again(made, Cause.of(made), letter.dead_letter_id)


async def _record_of(settings: Settings, letter: WholeDeadLetter) -> tuple[bytes, bytes]:
    """Key and value of the record. Raises Conflict when there is none."""
    if letter.value is not None:
        return letter.origin_key.encode(), letter.value
    name = f"{letter.origin_topic}/{letter.origin_partition}@{letter.origin_offset}"
    if letter.error_class in NEVER_WRITTEN:
        code, why = NEVER_WRITTEN[letter.error_class]
        raise Conflict(
            f"{letter.dead_letter_id} {why} {name}, so there is no record to publish again.",
            code=code,
        )
    found = await read_record(
        settings,
        settings.topic(letter.origin_topic),
        letter.origin_partition,
        letter.origin_offset,
    )
    if found is None:
        raise Conflict(
            f"The record of {letter.dead_letter_id} is gone from {name}: read its source again.",
            code="dead_letter_gone",
        )
    return found


async def _publish(
    settings: Settings,
    topic: str,
    key: bytes,
    value: bytes,
    with_headers: list[tuple[str, bytes]],
) -> None:
    async with running_producer(settings) as producer:
        with broker_errors("publishing"):
            await producer.send_and_wait(
                settings.topic(topic), value=value, key=key, headers=with_headers
            )
